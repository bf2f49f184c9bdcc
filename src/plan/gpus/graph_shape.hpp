// How a group of neuron graphs runs on a GPU: inputs of a thread, warps of a block, where the state is, and whether one graph is worth a launch for each level.
#pragma once

#include <cstdint>

#include "devices/gpu/device.hpp"
#include "kernel/templates/neuron_graph.hpp"
#include "plan/gpus/graph_pack.hpp"

namespace lacuna::plan::gpus {

struct GraphPlan {
  kernel::GraphShape shape;
  bool is_in_parts = false;  ///< a launch for each level, its rows over all multiprocessors
};

/// By rules, not by measuring: a population is another one the next time. `inputs`: of the batch.
GraphPlan plan_group(const GraphGroup& group, const kernel::RowKinds& kinds, const gpu::Limits& limits, std::uint64_t inputs);

}  // namespace lacuna::plan::gpus
