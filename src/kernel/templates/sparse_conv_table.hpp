// Template "sparse convolution, table": one kernel for any pattern; offsets and weights are read from a table, the same for all threads of a block.
//
//   y[r, p] = activation(bias[r] + sum over the edges (o, w) of r of w * x[p + o] + skip[r, p])        r: rows of a warp, p: pixels of a thread's tile
//
//   rows   {first group of edges, edges, channel, bias} each, 16 bytes
//   edges  in groups of four: four offsets, in bytes from the lowest source, then four weights: 32 bytes, two loads
//
// An edge costs half a load of the table and one address for all pixels of the tile: they stand a constant apart. Neighbouring threads own neighbouring pixels,
// so a load of 32 threads is a line or two; with a tile of four neighbours each load is a vector, which needs offsets that are multiples of four (1x1).
//
// The warps of a block own the same pixels and different rows, one after the other: what one fetched the others find in L1.
#pragma once

#include <string>

#include <lacuna/network.hpp>

#include "kernel/templates/pixel_grid.hpp"

namespace lacuna::kernel {

struct TableConv {
  std::string name;
  PixelGrid grid{};              ///< block_threads is 32: the lanes of a warp
  std::uint32_t rows = 1;
  std::uint32_t warps = 1;       ///< of a block
  std::uint32_t rows_of_warp = 1;
  PixelView source{};            ///< as of BakedConv
  PixelView output{};
  PixelView skip{};
  bool has_skip = false;
  Activation activation{};
  std::uint32_t lowest = 0;      ///< floats from the pixel's address down to the lowest source
  std::uint32_t vector = 1;      ///< floats that every source of a tile's first pixel is aligned to

  std::uint32_t blocks_y() const { return (rows + warps * rows_of_warp - 1) / (warps * rows_of_warp); }
};

/// Edges that one round of the main loop takes.
inline constexpr std::uint32_t table_edges_at_once = 4;

/// Parameters: source, skip if there is one, output, rows, edges.
ThreadProgram build(const TableConv& conv);

}  // namespace lacuna::kernel
