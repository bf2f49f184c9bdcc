// The rows of a convolution in blocks, each for one function or table, and their sources in ranges that are summed up one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/sparse_conv.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {

inline bool is_table(ConvKernelKind kind) { return kind == ConvKernelKind::table || kind == ConvKernelKind::steps; }

/// The rows of a convolution in blocks, and their sources in ranges.
struct ConvBlocks {
  std::vector<std::uint32_t> order;        ///< of the rows: output channels
  std::vector<std::uint32_t> block_begin;  ///< positions in `order`, one more than there are blocks
  unsigned rows_at_once = 0;               ///< of code: so many rows of a block have their sums in registers
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

/// `skip`: null for none. Leaves low and high at 0.
ConvBlocks make_blocks(const rows::ConvRows& rows, const rows::Planes& out, const rows::Planes* skip, const ConvKernelChoice& choice, unsigned threads);

}  // namespace lacuna::plan
