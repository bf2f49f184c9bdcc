// Template "layer table": rows of a layer on a GPU, walked from a table.
//
//   y[r] = activation(bias[r] + sum of w[r,e] * x[source e] + residuals of r)       or, where all weights are equal, w * sum + bias
//
// Eight threads take a row at a time through a tile of 32 inputs, four in a thread: one 16-byte load of a source feeds four multiply-adds. The four rows that
// a warp works on are of one length. A block takes all rows it gets through the same tile, so that its sources stay in the
// first cache; large layers have large blocks, because blocks share that cache.
//
//   rows     16 bytes each: where its edges begin (in 16 bytes), how many, the byte offset of its plane, the bits of its bias
//   edges    four byte offsets of sources' planes, then their four weights, and so on; with one weight for the layer only offsets. Rows are filled up to
//            the longest of each four rows, and to fours, at least one, with edges of weight 0 from the tile's last plane, which holds zeros
#pragma once

#include <cstdint>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

struct LayerTable {
  bool one_weight = false;
  unsigned residuals = 0;
  Activation activation;
  std::uint32_t planes = 0;   ///< of a tile, the one of zeros too
  std::uint32_t threads = 0;  ///< of a block: a multiple of 32

  /// That a block works on at once; it takes `rounds` times as many.
  std::uint32_t rows_at_once() const;
  bool operator==(const LayerTable&) const = default;
};

/// Parameters: arena, control, tiles, table, rows_at (in 16 bytes), rows, rounds, weight, then for each residual the distance in bytes from a row's plane to what is
/// added to it. Blocks: x over rows, y over tiles.
ThreadProgram build(const LayerTable& layer, const std::string& name);

}  // namespace lacuna::kernel
