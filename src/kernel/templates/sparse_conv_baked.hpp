// Template "sparse convolution, baked": positions and weights are in the instructions, nothing is looked up while it runs.
//
//   y[r, p] = activation(bias[r] + sum over the nonzeros (o, w) of r of w * x[p + o] + skip[r, p])        r: rows of a block, p: pixels of a thread's tile
//
// A thread owns a tile of pixels (pixel_grid.hpp) and a block of rows; every source is loaded once for all rows and pixels that read it
// (baked_sources.hpp), from the pixel's address plus a constant. Sums are added up in ascending order of the offsets, beginning with the bias: the same
// bits as a table gives. The first multiply-add of a sum takes the bias as its addend.
//
// Block number block_y of the grid runs row block block_y: one launch for a layer. A barrier after every `piece` multiply-adds keeps the warps of a block together, so
// that they share what the instruction cache fetched, and keeps pieces of code apart for the assembler, whose time then grows as the code does.
#pragma once

#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/templates/baked_sources.hpp"
#include "kernel/templates/pixel_grid.hpp"

namespace lacuna::kernel {

struct BakedConv {
  std::string name;
  PixelGrid grid{};
  PixelView source{};                       ///< row and column: from one output pixel to the next, stride included
  PixelView output{};
  PixelView skip{};
  bool has_skip = false;
  Activation activation{};
  std::vector<std::vector<ConvRow>> blocks{};
  BakedOrder order = BakedOrder::taps_first;
  std::uint32_t piece = 0;                  ///< 0: no barriers; rows first: never any
};

/// Parameters: source, skip if there is one, output. Needs: grid.width is a multiple of tile_x, tile_y is at most grid.height.
ThreadProgram build(const BakedConv& conv);

/// From the first pixel of a tile to each: line by line.
std::vector<std::int32_t> tile_deltas(const PixelGrid& grid, const PixelView& view);

}  // namespace lacuna::kernel
