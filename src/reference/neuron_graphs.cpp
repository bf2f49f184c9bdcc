// Neuron graphs in plain loops, edge by edge in the order given.
#include <algorithm>
#include <cmath>

#include <lacuna/error.hpp>

#include "reference/reference.hpp"

namespace lacuna::reference {
namespace {

double median(std::vector<double> values) {
  if (values.size() <= 2) return (values.size() == 1 ? 0.0 + values[0] : 0.0 + values[0] + values[1]) / static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

double aggregate_values(Aggregation aggregation, const std::vector<double>& values) {
  if (aggregation == Aggregation::product) {
    double product = 1;
    for (const double value : values) product *= value;
    return product;
  }
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  switch (aggregation) {
    case Aggregation::max: return *std::max_element(values.begin(), values.end());
    case Aggregation::min: return *std::min_element(values.begin(), values.end());
    case Aggregation::maxabs: return *std::max_element(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    case Aggregation::mean: return sum / static_cast<double>(values.size());
    case Aggregation::median: return median(values);
    default: return sum;
  }
}

namespace {

double function_of(const NeuronGraph& graph, std::size_t neuron, const std::vector<double>& before) {
  std::vector<double> terms;
  for (std::size_t e = graph.edge_begin[neuron]; e < graph.edge_begin[neuron + 1]; ++e) terms.push_back(before[graph.sources[e]] * graph.weights[e]);
  const Neuron& it = graph.neurons[neuron];
  return apply(graph.functions[it.function], it.bias + it.response * aggregate_values(it.aggregation, terms));
}

/// Depth first, without recursion: a chain of a million neurons is a network too.
void compute_feed_forward(const NeuronGraph& graph, std::vector<double>& values) {
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(graph.nodes(), Mark::unseen);
  std::fill_n(marks.begin(), graph.inputs, Mark::done);
  for (const std::uint32_t output : graph.outputs) {
    std::vector<std::uint32_t> stack{output};
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      if (marks[node] == Mark::done) {
        stack.pop_back();
        continue;
      }
      const std::size_t neuron = node - graph.inputs;
      const bool sources_were_stacked = marks[node] == Mark::open;
      marks[node] = Mark::open;
      bool is_ready = true;
      for (std::size_t e = graph.edge_begin[neuron]; e < graph.edge_begin[neuron + 1]; ++e) {
        const std::uint32_t source = graph.sources[e];
        if (marks[source] == Mark::done) continue;
        if (sources_were_stacked) throw InputError("the neuron graph has a cycle through " + graph.name(source));
        is_ready = false;
        stack.push_back(source);
      }
      if (!is_ready) continue;
      values[node] = function_of(graph, neuron, values);
      marks[node] = Mark::done;
      stack.pop_back();
    }
  }
}

void compute_step(const NeuronGraph& graph, std::vector<double>& values) {
  const std::vector<double> before = values;
  for (std::size_t k = 0; k < graph.neurons.size(); ++k) {
    double value = function_of(graph, k, before);
    if (graph.update == Update::continuous) {
      const double decay = std::exp(-graph.time_step / graph.neurons[k].time_constant);
      value = decay * before[graph.inputs + k] + (1 - decay) * value;
    }
    values[graph.inputs + k] = value;
  }
}

}  // namespace

std::vector<std::vector<double>> evaluate(const NeuronGraph& graph, const std::vector<std::vector<double>>& sequence) {
  std::vector<double> values(graph.nodes(), 0.0);
  std::vector<std::vector<double>> outputs;
  for (const std::vector<double>& inputs : sequence) {
    std::copy(inputs.begin(), inputs.end(), values.begin());
    if (graph.update == Update::feed_forward)
      compute_feed_forward(graph, values);
    else
      for (std::uint32_t step = 0; step < graph.steps; ++step) compute_step(graph, values);
    std::vector<double>& row = outputs.emplace_back();
    for (const std::uint32_t node : graph.outputs) row.push_back(values[node]);
  }
  return outputs;
}

}  // namespace lacuna::reference
