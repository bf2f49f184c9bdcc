// Template "layer table": rows of a layer on a GPU, walked from a table.
//
//   y[r] = activation(bias[r] + sum of w[r,e] * x[source e] + residuals of r)       or, where all weights are equal, w * sum + bias
//
// Two threads take a row at a time through a tile of 16 inputs, eight in a thread: an offset and a weight that were read feed two 16-byte loads and eight
// multiply-adds. The sixteen rows that a warp works on are of one length. A block takes all rows it gets through the same tile, so that its sources stay in the
// first cache; it is as large as its rows allow, because blocks share that cache.
//
//   rows     16 bytes each: where its edges begin (in 16 bytes from the first row on: the table may stand anywhere), how many, the byte offset of its plane, the bits of its bias
//   edges    slices of sixteen rows: four byte offsets of sources' planes for each row, then the four weights of each row, and so on; with one weight for the
//            layer only offsets. Rows are filled up to the longest of their slice, and to fours, at least one, with edges of weight 0 from the tile's last
//            plane, which holds zeros
#pragma once

#include <cstdint>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/templates/tile_layout.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t threads_of_row = 2;
inline constexpr std::uint32_t rows_of_warp = 32 / threads_of_row;
inline constexpr std::uint32_t edges_together = 4;  ///< whose offsets stand before their weights

struct LayerTable {
  bool one_weight = false;
  unsigned residuals = 0;
  Activation activation;
  TileLayout tiles;
  std::uint32_t threads = 0;  ///< of a block: a multiple of 32

  /// That a block works on at once; it takes `rounds` times as many.
  std::uint32_t rows_at_once() const;
  bool operator==(const LayerTable&) const = default;
};

/// Parameters: arena, control, tiles, table, rows_at (in 16 bytes), rows, rounds, weight, then for each residual the distance in bytes from a row's plane to what is
/// added to it. Blocks: x over rows, y over tiles.
ThreadProgram build(const LayerTable& layer, const std::string& name);

}  // namespace lacuna::kernel
