#include "plan/gpus/graph_shape.hpp"

#include <algorithm>

namespace lacuna::plan::gpus {
namespace {

constexpr std::uint64_t warps_wanted = 16;        // of a multiprocessor, to hide the latency of its shared memory
constexpr unsigned most_warps = 8;                // of a block
constexpr std::uint64_t worth_launches = 16384;   // edges of a graph that is run in parts, and rows of a level:
constexpr std::uint64_t worth_a_launch = 64;

std::uint64_t blocks_of(const GraphGroup& group, std::uint64_t inputs, unsigned inputs_of_thread) {
  const std::uint64_t at_once = std::uint64_t{32} * inputs_of_thread;
  return group.count * ((inputs + at_once - 1) / at_once);
}

/// Rows of a level, on average.
std::uint64_t level_rows(const GraphGroup& group) { return group.levels == 0 ? 0 : group.rows / group.levels; }

/// What the blocks that run at the same time have in the L2: more of it goes to DRAM and back, as often as it is read.
std::uint64_t active_bytes(const GraphGroup& group, const kernel::GraphShape& shape, std::uint64_t inputs, std::uint64_t multiprocessors) {
  constexpr std::uint64_t blocks_at_once = 3;  // of a multiprocessor: eight warps of 72 registers
  return std::min(blocks_of(group, inputs, shape.inputs_of_thread), blocks_at_once * multiprocessors) * shape.state_bytes();
}

/// Enough to hide latency with as many blocks as fit, but not more than a level has work for.
unsigned warps_of(const GraphGroup& group, const kernel::GraphShape& shape, std::uint64_t shared_bytes) {
  const std::uint64_t blocks = shape.is_in_shared ? std::max<std::uint64_t>(1, shared_bytes / std::max<std::uint64_t>(1, shape.state_bytes())) : warps_wanted;
  unsigned warps = 1;
  while (warps < most_warps && warps * blocks < warps_wanted && level_rows(group) >= 4 * warps) warps *= 2;
  return warps;
}

}  // namespace

GraphPlan plan_group(const GraphGroup& group, const kernel::RowKinds& kinds, const gpu::Limits& limits, std::uint64_t inputs) {
  const std::uint64_t shared_bytes = limits.shared_bytes == 0 ? 48 * 1024 : limits.shared_bytes;
  const std::uint64_t multiprocessors = std::max(1u, limits.multiprocessors);
  GraphPlan plan{{.kinds = kinds, .update = group.update, .planes = group.planes}};
  kernel::GraphShape& shape = plan.shape;
  shape.kinds.has_decay = group.update == Update::continuous;
  // Several inputs of a thread share what is read about a row; but first every multiprocessor has a few blocks.
  shape.inputs_of_thread = inputs > 64 ? 4 : inputs > 32 ? 2 : 1;
  while (shape.inputs_of_thread > 1 && blocks_of(group, inputs, shape.inputs_of_thread) < 4 * multiprocessors) shape.inputs_of_thread /= 2;
  const unsigned wanted = shape.inputs_of_thread;
  while (shape.inputs_of_thread > 1 && shape.state_bytes() > shared_bytes) shape.inputs_of_thread /= 2;
  shape.is_in_shared = shape.state_bytes() <= shared_bytes;
  plan.is_in_parts = group.count == 1 && group.edges >= worth_launches && level_rows(group) >= worth_a_launch && blocks_of(group, inputs, wanted) < 2 * multiprocessors;
  if (plan.is_in_parts) shape.is_in_shared = false;
  if (!shape.is_in_shared) {
    shape.inputs_of_thread = wanted;
    while (shape.inputs_of_thread > 1 && limits.l2_bytes != 0 && active_bytes(group, shape, inputs, multiprocessors) > limits.l2_bytes) shape.inputs_of_thread /= 2;
  }
  shape.warps = plan.is_in_parts ? 4 : warps_of(group, shape, shared_bytes);
  return plan;
}

}  // namespace lacuna::plan::gpus
