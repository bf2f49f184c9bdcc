// What a thread of a baked convolution loads and multiplies, in which order: found before any code is made, so that shapes of tiles can be compared by counting.
//
// A tap is a nonzero's place in the input, the same for all rows that have a weight there; pixel k of the thread's tile reads tap t at element t + delta[k].
// Each element is loaded once, before its first use, together with the neighbours that are wanted too and fit into an aligned vector of two or four; it stays in
// a register until its last use. Two orders, in both of which a row meets its taps in ascending order:
//
//   taps first   tap by tap, for all rows that have it: the sums of all rows are in registers, sources come and go
//   rows first   row by row: all sources stay in registers, a row's sums leave when it is done; for many rows with few nonzeros over few sources
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna::kernel {

/// A nonzero of a row: its source in floats from the pixel.
struct ConvEdge {
  std::int32_t offset = 0;
  float weight = 0;
};

/// An output channel.
struct ConvRow {
  std::uint32_t channel = 0;
  float bias = 0;
  std::span<const ConvEdge> edges{};  ///< by ascending offset
};

struct BakedStep {
  enum class Kind : std::uint8_t { load, multiply_add, finish_row } kind;
  std::uint8_t width = 1;      ///< load: floats
  std::uint16_t row = 0;       ///< of the block
  std::uint32_t pixel = 0;     ///< multiply_add: of the tile
  std::int32_t element = 0;    ///< load: the first; multiply_add: the source
  float weight = 0;
};

enum class BakedOrder : std::uint8_t { taps_first, rows_first };

struct BakedSources {
  std::vector<BakedStep> steps;
  std::size_t multiply_adds = 0;
  std::size_t loads = 0;
  std::size_t vectors_loaded = 0;    ///< 128-byte lines that the loads of 32 neighbouring threads touch, if they begin on one
  std::size_t most_alive = 0;        ///< elements and sums in registers at once
};

/// `deltas`: of the pixels of a tile, the first zero; `aligned`: floats that the tile's first pixel is aligned to; `lane_stride`: floats from one thread's
/// first pixel to the next one's. Cost: O(edges x pixels log).
BakedSources plan_sources(std::span<const ConvRow> rows, std::span<const std::int32_t> deltas, std::uint32_t aligned, std::uint32_t lane_stride, BakedOrder order);

}  // namespace lacuna::kernel
