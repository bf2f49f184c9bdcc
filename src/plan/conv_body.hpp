// What a sparse convolution does with one block of rows on some tiles: by table or by machine code. The rest (tiles, threads, halos) is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// What tiles that run() is given have in common.
struct BakedTiles {
  unsigned vectors = 1;
  std::size_t most = 1;                    ///< in one call
  std::optional<std::uint32_t> into_line;  ///< sources come by whole lines: floats from the begin of a line to `source` of every tile
  bool spreads = false;                    ///< as in ConvKernelChoice
};

std::unique_ptr<ConvBody> make_baked_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa, const BakedTiles& tiles);

/// One kernel for each block; sources are bytes from where a tile begins.
std::unique_ptr<ConvBody> make_baked_body(std::span<const kernel::Kernel> kernels, cpu::Isa isa, const BakedTiles& tiles);

}  // namespace lacuna::plan
