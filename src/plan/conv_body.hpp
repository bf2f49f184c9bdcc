// What a sparse convolution does with one block of rows on some tiles: by table or by machine code. The rest (tiles, threads, halos) is the same.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "devices/cpu/kernels.hpp"
#include "kernel/kernel.hpp"
#include "plan/conv_blocks.hpp"

namespace lacuna::plan {

class ConvBody {
 public:
  virtual ~ConvBody() = default;
  virtual void run(std::size_t block, const cpu::ConvMemory& memory, const cpu::ConvTile* tiles, std::size_t count) const = 0;
  virtual std::size_t bytes() const = 0;
};

std::unique_ptr<ConvBody> make_table_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa);

/// Tiles that machine code works off before its next range of channels: their partial sums should stay in L1.
inline constexpr unsigned baked_window_tiles = 64;

/// `vectors` of a tile; every tile has that many. `tiles` that run() is given at most.
std::unique_ptr<ConvBody> make_baked_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa, unsigned vectors, std::size_t tiles);

/// One kernel for each block; sources are bytes from where a tile begins.
std::unique_ptr<ConvBody> make_baked_body(std::span<const kernel::Kernel> kernels, cpu::Isa isa, unsigned vectors, std::size_t tiles);

}  // namespace lacuna::plan
