// Template "sparse dot": a convolution with few output pixels, or a fully connected layer. There are no pixels to spread over threads, so threads are rows.
//
//   y[n, r, p] = activation(bias[r] + sum over the edges (o, w) of r of w * x[n, p + o] + skip[n, r, p])
//
//   rows    {first word, edges, channel, bias} each, 16 bytes; sorted by length, 32 to a slice
//   edges   {offset in floats, weight} each, 8 bytes; of a slice: the first edge of all 32 rows, then the second, ...; shorter rows have gaps that nobody reads
//
// A block is one slice at one pixel; `parts` threads share a row, each takes every parts-th edge for `images` inputs, and their sums meet in shared memory, in order.
#pragma once

#include <string>

#include <lacuna/network.hpp>

#include "kernel/templates/pixel_grid.hpp"

namespace lacuna::kernel {

struct DotLayer {
  static constexpr std::uint32_t slice_rows = 32;

  std::string name;
  std::uint32_t rows = 0;        ///< in the table, slices filled up with rows without edges and channel no_channel
  std::uint32_t inputs = 1;      ///< of the batch
  std::uint32_t images = 1;      ///< inputs of a thread, at most `inputs`
  std::uint32_t height = 1, width = 1;  ///< output pixels
  std::uint32_t parts = 8;       ///< threads of a row, 1 to 32
  PixelView source{}, output{}, skip{};  ///< of the source: steps of output pixels
  bool has_skip = false;
  Activation activation{};

  static constexpr std::uint32_t no_channel = 0xffffffff;
  std::uint32_t blocks_x() const { return rows / slice_rows; }
  std::uint32_t blocks_y() const { return (inputs + images - 1) / images * height * width; }
};

/// Parameters: source, skip if there is one, output, rows, edges.
ThreadProgram build(const DotLayer& layer);

}  // namespace lacuna::kernel
