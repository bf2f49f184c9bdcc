// Graphs that are saved read back as the same, and what a format cannot hold is said.
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "frontends/neuro/read/readers.hpp"
#include "network/neuron_graph_text.hpp"
#include "support/neuro_files.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using network::neuron_graph_text;

const NeuronGraph& graph_in(const Network& network) { return std::get<NeuronGraph>(network.operators.at(0).operation); }

/// Every curve, aggregation and strange number once, a cycle, an input that is an output, an output that comes twice.
NeuronGraph strange_graph(Update update, bool has_plain_names) {
  NeuronGraphBuilder builder(update);
  const auto name = [&](const char* strange, int plain) { return has_plain_names ? std::to_string(plain) : std::string(strange); };
  builder.add_input(name("two words", -1));
  builder.add_input(name("\"#<&>\\", -2));
  for (int curve = 0; curve < curve_count; ++curve) {
    Neuron neuron;
    neuron.aggregation = static_cast<Aggregation>(curve % 7);
    neuron.bias = curve == 3 ? 5e-324 : 0.1 * curve;
    neuron.response = curve % 2 == 0 ? 1 : -1.0 / 3;
    neuron.time_constant = update == Update::continuous ? 0.5 + curve : 1;
    const std::uint32_t node = builder.add_neuron(name(("@n" + std::to_string(curve)).c_str(), curve),
                                                  {.curve = static_cast<Curve>(curve), .slope = 1.0 / 3, .limit = curve % 2 == 0 ? 60 : 1e300, .bend = 0.1}, neuron);
    builder.add_edge(curve % 2, node, 1e308 / (curve + 3));
    if (curve > 0) builder.add_edge(node - 1, node, -1.0 / (curve + 3));
  }
  if (update != Update::feed_forward) builder.add_edge(10, 3, 2);
  for (const std::uint32_t node : {9u, 4u, 0u, 9u}) builder.add_output(node);
  builder.set_steps(update == Update::feed_forward ? 1 : 7);
  builder.set_time_step(update == Update::continuous ? 1.0 / 3 : 0.01);
  return builder.finish();
}

TEST(SavedGraphs, ReadBackAsTheSame) {
  const TempFolder folder;
  for (const Update update : {Update::feed_forward, Update::stepwise, Update::continuous})
    for (const bool has_plain_names : {true, false}) {
      const NeuronGraph graph = strange_graph(update, has_plain_names);
      for (const char* name : {"a.json", "a.edges", "a.graphml"}) {
        save_neuron_graph(graph, folder / name);
        EXPECT_EQ(neuron_graph_text(graph_in(load(folder / name))), neuron_graph_text(graph)) << name << " " << static_cast<int>(update);
      }
    }
  EXPECT_EQ(folder.listing(), "a.edges\na.graphml\na.json\n");
}

TEST(SavedGraphs, OfSharpneatReadBackAsTheSame) {
  const TempFolder folder;
  const NeuronGraph graph = frontends::read_sharpneat(sharpneat_network, "n.net");
  save_neuron_graph(graph, folder / "b.net");
  std::string expected = neuron_graph_text(graph);
  expected.replace(expected.find(" 9]"), 3, " 3]");  // nodes are counted through
  EXPECT_EQ(neuron_graph_text(graph_in(load(folder / "b.net"))), expected);
}

TEST(SavedGraphs, EveryNamedFunctionGoesThroughJson) {
  const TempFolder folder;
  for (const NamedFunction& named : named_functions()) {
    NeuronGraphBuilder builder;
    builder.add_input("-1");
    builder.add_edge(0, builder.add_neuron("0", named.function), 1);
    builder.add_output(1);
    const NeuronGraph graph = builder.finish();
    save_neuron_graph(graph, folder / "f.json");
    EXPECT_EQ(graph_in(load(folder / "f.json")).functions[0], named.function) << named.name;
    EXPECT_EQ(read_file(folder / "f.json").find("\"custom\": true") == std::string::npos, name_in(Dialect::neat_python, named.function).has_value()) << named.name;
  }
}

TEST(SavedGraphs, DotNamesEveryNodeAndEdge) {
  const TempFolder folder;
  save_neuron_graph(frontends::read_edge_lines("@inputs \"a\\\"b\"\n\"a\\\"b\" y -0.5\n", "n"), folder / "n.dot");
  EXPECT_EQ(read_file(folder / "n.dot"),
            "digraph network {\n"
            "  rankdir=LR;\n"
            "  node [shape=circle, style=filled, fillcolor=\"#d9d9d9\"];\n"
            "  n0 [label=\"a\\\"b\", shape=box, fillcolor=\"#a6cee3\"];\n"
            "  n1 [label=\"y\", tooltip=\"identity of sum, bias 0\", fillcolor=\"#fdbf6f\"];\n"
            "  n0 -> n1 [color=\"#c0392b\", tooltip=\"-0.5\"];\n"
            "}\n");
}

TEST(SavedGraphs, WhatSharpneatCannotHoldIsSaid) {
  const TempFolder folder;
  const auto refused = [&](const std::string& lines) {
    return message_of<Unsupported>([&] { save_neuron_graph(frontends::read_edge_lines("@neurons activation=ReLU\n" + lines, "n"), "x.net"); });
  };
  const std::string start = "x.net: SharpNEAT's .net cannot hold this graph: ";
  EXPECT_EQ(refused("@node y bias=0.5\na y 1\n"), start + "node y has the bias 0.5, and its neurons have none; write .json");
  EXPECT_EQ(refused("@node y response=2\na y 1\n"), start + "node y has the response 2, and its neurons have none; write .json");
  EXPECT_EQ(refused("@node y aggregation=max\na y 1\n"), start + "node y has the aggregation max, and its neurons sum; write .json");
  EXPECT_EQ(refused("@node y activation=sigmoid\na y 1\n"), start + "node y has the activation sigmoid, which SharpNEAT lacks; write .json");
  EXPECT_EQ(refused("@update continuous\na y 1\n"), start + "it is continuous; write .json");
  EXPECT_EQ(refused("@outputs y a\na y 1\n"), start + "the output a is an input; write .json");
  EXPECT_EQ(refused("@outputs y y\na y 1\n"), start + "the node y is an output twice; write .json");
  EXPECT_EQ(refused("a y 1\na y 2\n"), start + "two connections go from a to y; write .edges");
  EXPECT_EQ(refused("a y 1\n").find("x.net:"), std::string::npos);
  std::filesystem::remove("x.net");
}

TEST(SavedGraphs, OtherRefusals) {
  const TempFolder folder;
  const NeuronGraph twice = frontends::read_edge_lines("a y 1\na y 2\n", "n");
  EXPECT_EQ(message_of<Unsupported>([&] { save_neuron_graph(twice, "x.json"); }),
            "x.json: neat-python's JSON cannot hold this graph: two connections go from a to y; write .edges");
  save_neuron_graph(twice, folder / "x.edges");
  EXPECT_EQ(neuron_graph_text(graph_in(load(folder / "x.edges"))), neuron_graph_text(twice));
  EXPECT_EQ(message_of<InputError>([&] { save_neuron_graph(twice, "x.txt"); }), "x.txt: names no format of neuron graphs; give .json, .net, .edges, .graphml or .dot");
}

}  // namespace
}  // namespace lacuna::tests
