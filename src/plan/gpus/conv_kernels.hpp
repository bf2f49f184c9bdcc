// A convolution for a GPU: thread programs, tables and launches. Which kernel and which tile is decided by counting instructions before anything is compiled
// (no device is needed for that), so the same network always gives the same code for a kind of device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/thread_program.hpp"
#include "rows/planes.hpp"

namespace lacuna::plan::gpus {

enum class ConvKernel : std::uint8_t {
  table,  ///< one kernel walks offsets and weights
  baked,  ///< positions and weights in the instructions
  dot,    ///< threads are output channels: outputs of few pixels
};

struct ConvOptions {
  ConvKernel kernel = ConvKernel::table;
  unsigned multiprocessors = 80;           ///< of the device: how many warps are enough
  std::uint32_t kernel_multiply_adds = 0;  ///< baked: of one kernel at most; 0: a whole layer is one kernel
  std::uint32_t piece = 512;               ///< baked: multiply-adds between barriers; 0: no barriers
};


struct ConvKernels {
  struct Launch {
    std::size_t program;
    std::uint32_t blocks_x, blocks_y;
  };
  ConvKernel kernel = ConvKernel::table;
  std::vector<kernel::ThreadProgram> programs;  ///< parameters: source, skip if there is one, output, and rows and edges if there is a table
  std::vector<Launch> launches;
  std::vector<std::uint32_t> rows, edges;       ///< the table; empty for baked
  std::string description;                      ///< "baked, 64 rows, tile 1x1"
  std::uint64_t multiply_adds_in_code = 0;
};

/// Needs: planes by padded_planes() with a halo of at least rows::halo_of(conv), or plain where there is no window. Throws InputError where they do not fit,
/// Unsupported for more than two spatial axes or values too large for 32 bits. Names of programs begin with `name`.
ConvKernels plan_conv(const std::string& name, const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip, const ConvOptions& options);

/// Multiply-adds that baked code of this convolution has at least: its nonzeros.
std::uint64_t count_nonzeros(const Conv& conv);

}  // namespace lacuna::plan::gpus
