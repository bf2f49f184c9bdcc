#include "plan/graph_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <lacuna/error.hpp>

namespace lacuna::plan {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Slope and shift are in the rows.
cpu::FloatFunction in_float(const NeuronFunction& function) {
  auto limit = static_cast<float>(function.limit);
  if (function.curve == Curve::logistic) limit = std::min(limit, 87.0f);  // where e^u is still a number, and a float's value hardly changes any more
  if (function.curve == Curve::tanh) limit = std::min(limit, 43.0f);      // the same for e^2u
  cpu::FloatFunction result{.curve = function.curve,
                            .ending = cpu::Ending::other,
                            .low = -infinity,
                            .high = infinity,
                            .limit = limit,
                            .bend = static_cast<float>(function.bend),
                            .gain = static_cast<float>(function.gain),
                            .offset = static_cast<float>(function.offset)};
  if (function.curve == Curve::logistic) result.ending = cpu::Ending::logistic;
  if (function.curve == Curve::tanh) result.ending = cpu::Ending::tanh;
  if (function.gain != 1 || function.offset != 0) return result;
  switch (function.curve) {
    case Curve::identity: result.low = -limit, result.high = limit; break;
    case Curve::relu: result.low = 0, result.high = limit; break;
    case Curve::clip: result.low = std::max(-1.0f, -limit), result.high = std::min(1.0f, limit); break;
    case Curve::at_least_minus_one: result.low = std::max(-1.0f, -limit), result.high = limit; break;
    default: return result;
  }
  result.ending = cpu::Ending::bounds;
  return result;
}

NeuronFunction in_precision(const NeuronFunction& function, double) { return function; }
cpu::FloatFunction in_precision(const NeuronFunction& function, float) { return in_float(function); }

/// The kernels know no mean in float: its weights are divided.
template <typename T>
Aggregation walked_as(Aggregation aggregation) {
  return std::is_same_v<T, float> && aggregation == Aggregation::mean ? Aggregation::sum : aggregation;
}

/// The kernels may take several rows of a run up to their function, and then the function of all: such runs end where a level does.
template <typename T>
bool is_finished_row_by_row(const NeuronFunction& function, Aggregation aggregation) {
  if (!std::is_same_v<T, float>) return true;
  const cpu::Ending ending = in_float(function).ending;
  return ending == cpu::Ending::bounds || (ending != cpu::Ending::other && walked_as<T>(aggregation) == Aggregation::sum);
}

template <typename T>
GraphSlice slice_of(const NeuronGraph& graph, std::uint32_t begin, std::uint32_t end) {
  GraphSlice slice;
  slice.first_row = begin;
  slice.edges = graph.edge_begin[end] - graph.edge_begin[begin];
  auto next_level = std::upper_bound(graph.levels.begin(), graph.levels.end(), begin);
  for (std::uint32_t row = begin; row < end; ++row) {
    const bool starts_level = next_level != graph.levels.end() && *next_level == row;
    if (starts_level) ++next_level;
    const Neuron& neuron = graph.neurons[row];
    const cpu::NodeRun run{1, graph.edge_begin[row + 1] - graph.edge_begin[row], neuron.function, walked_as<T>(neuron.aggregation)};
    const bool needs_all = starts_level && !is_finished_row_by_row<T>(graph.functions[neuron.function], neuron.aggregation);
    cpu::NodeRun* const last = slice.runs.empty() || needs_all ? nullptr : &slice.runs.back();
    if (last != nullptr && last->length == run.length && last->function == run.function && last->aggregation == run.aggregation)
      ++last->rows;
    else
      slice.runs.push_back(run);
  }
  return slice;
}

[[noreturn]] void fail_range(const NeuronGraph& graph, std::uint32_t row, std::string_view name) {
  throw Unsupported(fmt::format("{}: a weight or bias of {} is beyond what a float holds; compile it in f64", name, graph.name(graph.inputs + row)));
}

}  // namespace

template <typename T>
GraphTable<T>::GraphTable(const NeuronGraph& graph, std::string_view name) : graph_(graph) {
  const auto rows = static_cast<std::uint32_t>(graph.neurons.size());
  all_ = slice_of<T>(graph, 0, rows);
  functions_.reserve(graph.functions.size());
  for (const NeuronFunction& function : graph.functions) functions_.push_back(in_precision(function, T{}));
  edges_.resize(graph.sources.size());
  bias_.resize(rows);
  scale_.resize(rows);
  if (graph.update == Update::continuous) decay_.resize(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Neuron& neuron = graph.neurons[row];
    const std::uint32_t begin = graph.edge_begin[row], end = graph.edge_begin[row + 1];
    double factor = 1;
    if constexpr (std::is_same_v<T, float>) {
      const NeuronFunction& function = graph.functions[neuron.function];
      const double scale = function.slope * neuron.response;
      bias_[row] = static_cast<float>(function.slope * neuron.bias + function.shift);
      scale_[row] = static_cast<float>(scale);
      if (neuron.aggregation == Aggregation::sum) factor = scale;
      if (neuron.aggregation == Aggregation::mean && begin != end) factor = scale / (end - begin);
    } else {
      bias_[row] = neuron.bias;
      scale_[row] = neuron.response;
    }
    T total = std::abs(bias_[row]) + std::abs(scale_[row]);
    for (std::uint32_t e = begin; e < end; ++e) {
      edges_[e] = {graph.sources[e], static_cast<T>(graph.weights[e] * factor)};
      total += std::abs(edges_[e].weight);
    }
    if (std::is_same_v<T, float> && !std::isfinite(total)) fail_range(graph, row, name);
    if (!decay_.empty()) decay_[row] = static_cast<T>(std::exp(-graph.time_step / neuron.time_constant));
  }
}

template <typename T>
GraphSlice GraphTable<T>::slice(std::uint32_t begin, std::uint32_t end) const {
  return slice_of<T>(graph_, begin, end);
}

template <typename T>
typename GraphTable<T>::Nodes GraphTable<T>::nodes(const GraphSlice& slice) const {
  const std::size_t row = slice.first_row;
  return {slice.runs,
          edges_.data() + graph_.edge_begin[row],
          bias_.data() + row,
          scale_.data() + row,
          decay_.empty() ? nullptr : decay_.data() + row,
          functions_.data(),
          graph_.inputs + slice.first_row};
}

template <typename T>
void GraphTable<T>::run_nodes(const cpu::NodeKernel& kernel, const Nodes& nodes, unsigned lanes, const T* before, T* after) {
  if constexpr (std::is_same_v<T, float>)
    kernel.run(nodes, lanes, before, after);
  else
    cpu::run_exact_nodes(nodes, lanes, before, after);
}

template class GraphTable<float>;
template class GraphTable<double>;

}  // namespace lacuna::plan
