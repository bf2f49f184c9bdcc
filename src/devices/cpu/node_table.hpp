// What the node kernels walk: rows of a neuron graph, one after the other, each reading planes of the same arena. Rows that are alike form runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <lacuna/neuron_function.hpp>

namespace lacuna::cpu {

/// `rows` rows of `length` edges each, with one aggregation and one function.
struct NodeRun {
  std::uint32_t rows = 0;
  std::uint32_t length = 0;
  std::uint32_t function = 0;
  Aggregation aggregation = Aggregation::sum;  ///< never mean: its weights are divided instead
};

template <typename T>
struct NodeEdge {
  std::uint32_t plane;
  T weight;
};

/// How the row of a sum ends: with bounds (relu, clip, ...) or a common function while it is in registers, or with any other in a second visit.
enum class Ending : std::uint8_t { bounds, logistic, tanh, other };

/// y = gain * curve(u) + offset, u not beyond +-limit. A function that only bounds its argument is nothing but `low` and `high`.
struct FloatFunction {
  Curve curve = Curve::identity;
  Ending ending = Ending::bounds;
  float low = 0;
  float high = 0;
  float limit = 0;
  float bend = 0;
  float gain = 1;
  float offset = 0;
};

/// Rows for the float kernels: response, slope and shift are in the weights and biases of sums; other aggregations have a `scale` for each row:
/// u = bias + scale * aggregation(weight * source, ...).
struct FloatNodes {
  std::span<const NodeRun> runs;
  const NodeEdge<float>* edges = nullptr;
  const float* bias = nullptr;
  const float* scale = nullptr;
  const float* decay = nullptr;  ///< null: y is the function's value, else decay * y before + (1 - decay) * it
  const FloatFunction* functions = nullptr;
  std::uint32_t plane = 0;       ///< of the first row; the others follow
};

/// Rows for exact answers: double, every term multiplied, then added, in the order of the edges.
struct ExactNodes {
  std::span<const NodeRun> runs;  ///< mean stays mean
  const NodeEdge<double>* edges = nullptr;
  const double* bias = nullptr;
  const double* response = nullptr;
  const double* decay = nullptr;
  const NeuronFunction* functions = nullptr;
  std::uint32_t plane = 0;
};

/// Computes all rows for `lanes` lanes: reads planes of `before`, writes planes of `after`; both are the same memory in a feed-forward graph.
void run_exact_nodes(const ExactNodes& nodes, unsigned lanes, const double* before, double* after);

}  // namespace lacuna::cpu
