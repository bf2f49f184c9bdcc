// The kernel that computes rows of neuron graphs, for each instruction set.
#pragma once

#include "devices/cpu/isa.hpp"
#include "devices/cpu/node_table.hpp"

namespace lacuna::cpu {

/// The widths of a panel, in vectors, beside a single lane.
inline constexpr unsigned node_panel_vectors[] = {1, 2, 4, 8};

struct NodeKernel {
  /// Computes all rows for all lanes: reads planes of `before`, writes planes of `after`; both are the same memory in a feed-forward graph. `lanes` is 1
  /// or vector_lanes times one of node_panel_vectors; arenas are 64-byte aligned.
  void (*run)(const FloatNodes& nodes, unsigned lanes, const float* before, float* after);

  /// planes[k * lanes + row] = rows[row * width + k]; lanes from `count` on become 0.
  void (*rows_to_planes)(const float* rows, std::size_t count, std::uint32_t width, unsigned lanes, float* planes);

  /// rows[row * width + k] = plane planes[k] of the arena, for `count` rows.
  void (*planes_to_rows)(const float* arena, const std::uint32_t* planes, std::size_t width, unsigned lanes, std::size_t count, float* rows);
  unsigned vector_lanes;
};

NodeKernel node_kernel_for(Isa isa);

}  // namespace lacuna::cpu
