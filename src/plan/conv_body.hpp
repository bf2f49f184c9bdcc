// What a sparse convolution does with one block of rows on some tiles: by table or by machine code. The rest (tiles, threads, halos) is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "plan/sparse_conv.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {

/// The rows of a convolution in blocks, and their sources in ranges.
struct ConvBlocks {
  std::vector<std::uint32_t> order;        ///< of the rows: output channels
  std::vector<std::uint32_t> block_begin;  ///< positions in `order`, one more than there are blocks
  std::vector<std::int32_t> cuts;          ///< range g has the offsets [cuts[g], cuts[g + 1])
  std::vector<std::int64_t> destinations;  ///< of each position in `order`: floats from the plane of channel 0
  std::vector<std::int64_t> skips;
  std::vector<float> bias;
  float low = 0;
  float high = 0;
  bool has_skip = false;

  std::size_t blocks() const { return block_begin.size() - 1; }
  std::size_t groups() const { return cuts.size() - 1; }
};

class ConvBody {
 public:
  virtual ~ConvBody() = default;
  virtual void run(std::size_t block, const cpu::ConvMemory& memory, const cpu::ConvTile* tiles, std::size_t count) const = 0;
  virtual std::size_t bytes() const = 0;
};

std::unique_ptr<ConvBody> make_table_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa);

/// Tiles that machine code works off before its next range of channels: their partial sums should stay in L1.
inline constexpr unsigned baked_window_tiles = 64;

/// `vectors` of a tile; every tile has that many.
std::unique_ptr<ConvBody> make_baked_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa, unsigned vectors);

}  // namespace lacuna::plan
