// What all kernels of a convolution on a GPU are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/templates/baked_sources.hpp"
#include "kernel/templates/pixel_grid.hpp"
#include "plan/gpus/conv_kernels.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan::gpus {

struct ConvParts {
  std::string name;
  rows::ConvRows rows;
  kernel::PixelGrid grid;           ///< without a tile
  kernel::PixelView source;         ///< steps of outputs
  kernel::PixelView output, skip;
  bool has_skip = false;
  Activation activation;
  std::vector<kernel::ConvEdge> edges;  ///< of all rows

  std::span<const kernel::ConvEdge> edges_of(std::size_t row) const {
    return std::span(edges).subspan(rows.row_begin[row], rows.row_begin[row + 1] - rows.row_begin[row]);
  }
};

ConvKernels plan_table(const ConvParts& parts, const ConvOptions& options);
ConvKernels plan_baked(const ConvParts& parts, const ConvOptions& options);
ConvKernels plan_dot(const ConvParts& parts);

/// What one warp does, and how many of them there are.
struct WarpWork {
  double instructions = 0;
  double lines = 0;                   ///< of 128 bytes that its loads and stores touch
  std::uint64_t warps = 0;
  double warps_of_multiprocessor = 1; ///< that are needed to keep it busy
};

/// Time of a launch in clocks of the whole device, times how much of it stays idle: a rule of thumb to compare tiles by. A multiprocessor issues four instructions
/// and moves a line in a clock.
double clocks(const WarpWork& work, unsigned multiprocessors);

}  // namespace lacuna::plan::gpus
