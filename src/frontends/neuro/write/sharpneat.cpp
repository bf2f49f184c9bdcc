// SharpNEAT's .net, which knows weighted sums only. Inputs count from 0, outputs follow, then the others.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include <lacuna/error.hpp>

#include "frontends/neuro/write/writers.hpp"

namespace lacuna::frontends {
namespace {

[[noreturn]] void refuse(std::string_view file, const std::string& why, std::string_view instead = ".json") {
  throw Unsupported(fmt::format("{}: SharpNEAT's .net cannot hold this graph: {}; write {}", file, why, instead));
}

void check_neuron(const NeuronGraph& graph, std::uint32_t node, std::string_view file) {
  const Neuron& neuron = graph.neurons[node - graph.inputs];
  const std::string name = graph.name(node);
  if (neuron.bias != 0) refuse(file, fmt::format("node {} has the bias {}, and its neurons have none", name, neuron.bias));
  if (neuron.response != 1) refuse(file, fmt::format("node {} has the response {}, and its neurons have none", name, neuron.response));
  if (neuron.aggregation != Aggregation::sum) refuse(file, fmt::format("node {} has the aggregation {}, and its neurons sum", name, name_of(neuron.aggregation)));
  if (const NeuronFunction& function = graph.functions[neuron.function]; !name_in(Dialect::sharpneat, function))
    refuse(file, fmt::format("node {} has the activation {}, which SharpNEAT lacks", name, to_string(function)));
}

/// The number of each node in the file.
std::vector<std::uint32_t> number_nodes(const NeuronGraph& graph, std::string_view file) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> numbers(graph.nodes(), none);
  std::uint32_t next = 0;
  for (std::uint32_t node = 0; node < graph.inputs; ++node) numbers[node] = next++;
  for (const std::uint32_t node : graph.outputs) {
    if (numbers[node] != none)
      refuse(file, node < graph.inputs ? fmt::format("the output {} is an input", graph.name(node)) : fmt::format("the node {} is an output twice", graph.name(node)));
    numbers[node] = next++;
  }
  for (std::uint32_t& number : numbers)
    if (number == none) number = next++;
  return numbers;
}

}  // namespace

std::string sharpneat_text(const NeuronGraph& graph, std::string_view file) {
  if (graph.update == Update::continuous) refuse(file, "it is continuous");
  if (const auto why = repeated_edge(graph)) refuse(file, *why, ".edges");
  for (std::uint32_t node = graph.inputs; node < graph.nodes(); ++node) check_neuron(graph, node, file);
  const std::vector<std::uint32_t> numbers = number_nodes(graph, file);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# Input and output node counts.\n{}\t{}\n\n# Cyclic/acyclic indicator.\n", graph.inputs, graph.outputs.size());
  if (graph.update == Update::feed_forward)
    fmt::format_to(out, "acyclic\n");
  else
    fmt::format_to(out, "cyclic\t{}\n", graph.steps);
  fmt::format_to(out, "\n# Connections (source target weight).\n");
  for (std::size_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e)
      fmt::format_to(out, "{}\t{}\t{}\n", numbers[graph.sources[e]], numbers[graph.inputs + k], graph.weights[e]);

  // By name: functions that differ here may be one there.
  std::vector<std::string_view> functions;
  std::vector<std::size_t> number_of(graph.functions.size(), 0);
  for (std::size_t k = 0; k < graph.functions.size(); ++k) {
    const auto name = name_in(Dialect::sharpneat, graph.functions[k]);
    if (!name) continue;  // no neuron has it
    const auto found = std::find(functions.begin(), functions.end(), *name);
    number_of[k] = static_cast<std::size_t>(found - functions.begin());
    if (found == functions.end()) functions.push_back(*name);
  }
  if (functions.empty()) functions.push_back("LeakyReLU");  // there must be one
  fmt::format_to(out, "\n# Activation functions (functionId functionCode).\n");
  for (std::size_t k = 0; k < functions.size(); ++k) fmt::format_to(out, "{}\t{}\n", k, functions[k]);
  // A hidden neuron without any edge would not be mentioned at all, but nobody reads it either.
  if (functions.size() == 1) return text;
  fmt::format_to(out, "\n# Per node activation function (nodeId, functionId).\n");
  for (std::size_t k = 0; k < graph.neurons.size(); ++k) fmt::format_to(out, "{}\t{}\n", numbers[graph.inputs + k], number_of[graph.neurons[k].function]);
  return text;
}

}  // namespace lacuna::frontends
