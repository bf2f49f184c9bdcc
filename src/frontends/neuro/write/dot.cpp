// Graphviz: the structure to look at, not to read back.
#include <fmt/format.h>

#include <iterator>

#include "frontends/neuro/write/writers.hpp"

namespace lacuna::frontends {
namespace {

std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return quoted + '"';
}

}  // namespace

std::string dot_text(const NeuronGraph& graph) {
  std::string text = "digraph network {\n  rankdir=LR;\n  node [shape=circle, style=filled, fillcolor=\"#d9d9d9\"];\n";
  const auto out = std::back_inserter(text);
  std::vector<bool> is_output(graph.nodes(), false);
  for (const std::uint32_t node : graph.outputs) is_output[node] = true;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    fmt::format_to(out, "  n{} [label={}", node, dot_string(graph.name(node)));
    if (node < graph.inputs)
      fmt::format_to(out, ", shape=box, fillcolor=\"#a6cee3\"");
    else {
      const Neuron& neuron = graph.neurons[node - graph.inputs];
      fmt::format_to(out, ", tooltip={}", dot_string(fmt::format("{} of {}, bias {}", to_string(graph.functions[neuron.function]), name_of(neuron.aggregation), neuron.bias)));
      if (is_output[node]) fmt::format_to(out, ", fillcolor=\"#fdbf6f\"");
    }
    fmt::format_to(out, "];\n");
  }
  for (std::size_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e)
      fmt::format_to(out, "  n{} -> n{} [color=\"{}\", tooltip=\"{}\"];\n", graph.sources[e], graph.inputs + k, graph.weights[e] < 0 ? "#c0392b" : "#2471a3",
                     graph.weights[e]);
  text += "}\n";
  return text;
}

}  // namespace lacuna::frontends
