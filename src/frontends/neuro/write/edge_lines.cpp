// Lacuna's own edge lines; see edge_lines.cpp for the format.
#include <fmt/format.h>

#include <iterator>

#include "frontends/neuro/write/writers.hpp"
#include "network/neuron_graph_text.hpp"

namespace lacuna::frontends {
namespace {

/// As it is, or between double quotes where the reader would take it for something else.
std::string field_text(std::string_view name) {
  const bool is_plain = !name.empty() && name[0] != '@' && name[0] != '#' && name[0] != '"' && name.find_first_of(" \t\r\n") == std::string_view::npos;
  if (is_plain) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (c == '\n' || c == '\r')
      fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string edge_lines_text(const NeuronGraph& graph) {
  std::vector<std::string> names = distinct_names(graph);
  for (std::string& name : names) name = field_text(name);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "@inputs {}\n@update {}\n", fmt::join(names.begin(), names.begin() + graph.inputs, " "), network::name_of(graph.update));
  if (graph.update != Update::feed_forward) fmt::format_to(out, "@steps {}\n", graph.steps);
  if (graph.update == Update::continuous) fmt::format_to(out, "@time_step {}\n", graph.time_step);
  for (std::size_t k = 0; k < graph.neurons.size(); ++k) {
    const Neuron& neuron = graph.neurons[k];
    fmt::format_to(out, "@node {} activation={}", names[graph.inputs + k], to_string(graph.functions[neuron.function]));
    if (neuron.aggregation != Aggregation::sum) fmt::format_to(out, " aggregation={}", name_of(neuron.aggregation));
    if (neuron.bias != 0) fmt::format_to(out, " bias={}", neuron.bias);
    if (neuron.response != 1) fmt::format_to(out, " response={}", neuron.response);
    if (neuron.time_constant != 1) fmt::format_to(out, " time_constant={}", neuron.time_constant);
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "@outputs");  // after the nodes, whose order is that of their first mention
  for (const std::uint32_t node : graph.outputs) fmt::format_to(out, " {}", names[node]);
  fmt::format_to(out, "\n");
  for (std::size_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e)
      fmt::format_to(out, "{} {} {}\n", names[graph.sources[e]], names[graph.inputs + k], graph.weights[e]);
  return text;
}

}  // namespace lacuna::frontends
