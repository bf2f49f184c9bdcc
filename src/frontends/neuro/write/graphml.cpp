// GraphML with the attributes our reader knows; ids are n0, n1, ..., so that names may hold anything.
#include <fmt/format.h>

#include <iterator>

#include "frontends/neuro/write/writers.hpp"
#include "network/neuron_graph_text.hpp"

namespace lacuna::frontends {

std::string graphml_text(const NeuronGraph& graph) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  const auto out = std::back_inserter(text);
  struct Key {
    std::string_view name, owner, type;
  };
  for (const Key& key : {Key{"update", "graph", "string"}, {"steps", "graph", "int"}, {"time_step", "graph", "double"}, {"outputs", "graph", "string"},
                         {"name", "node", "string"}, {"role", "node", "string"}, {"activation", "node", "string"}, {"aggregation", "node", "string"},
                         {"bias", "node", "double"}, {"response", "node", "double"}, {"time_constant", "node", "double"}, {"weight", "edge", "double"}})
    fmt::format_to(out, "  <key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", key.name, key.owner, key.type);

  fmt::format_to(out, "  <graph edgedefault=\"directed\">\n    <data key=\"update\">{}</data>\n", network::name_of(graph.update));
  if (graph.update != Update::feed_forward) fmt::format_to(out, "    <data key=\"steps\">{}</data>\n", graph.steps);
  if (graph.update == Update::continuous) fmt::format_to(out, "    <data key=\"time_step\">{}</data>\n", graph.time_step);
  fmt::format_to(out, "    <data key=\"outputs\">");
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) fmt::format_to(out, "{}n{}", k == 0 ? "" : " ", graph.outputs[k]);
  fmt::format_to(out, "</data>\n");

  std::vector<bool> is_output(graph.nodes(), false);
  for (const std::uint32_t node : graph.outputs) is_output[node] = true;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const bool is_input = node < graph.inputs;
    fmt::format_to(out, "    <node id=\"n{}\"><data key=\"name\">{}</data><data key=\"role\">{}</data>", node, xml_text(graph.name(node)),
                   is_input ? "input" : is_output[node] ? "output" : "hidden");
    if (!is_input) {
      const Neuron& neuron = graph.neurons[node - graph.inputs];
      fmt::format_to(out, "<data key=\"activation\">{}</data><data key=\"aggregation\">{}</data><data key=\"bias\">{}</data><data key=\"response\">{}</data>",
                     xml_text(to_string(graph.functions[neuron.function])), name_of(neuron.aggregation), neuron.bias, neuron.response);
      if (graph.update == Update::continuous) fmt::format_to(out, "<data key=\"time_constant\">{}</data>", neuron.time_constant);
    }
    fmt::format_to(out, "</node>\n");
  }
  for (std::size_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e)
      fmt::format_to(out, "    <edge source=\"n{}\" target=\"n{}\"><data key=\"weight\">{}</data></edge>\n", graph.sources[e], graph.inputs + k, graph.weights[e]);
  text += "  </graph>\n</graphml>\n";
  return text;
}

}  // namespace lacuna::frontends
