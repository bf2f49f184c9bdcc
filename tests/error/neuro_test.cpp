// Wrong files of neuroevolution: the exact message for each mistake.
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "frontends/neuro/load_neuro.hpp"
#include "frontends/neuro/read/readers.hpp"
#include "support/neuro_files.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using namespace frontends;

std::string refused(GraphReader reader, std::string_view text) {
  return message_of<Error>([&] { reader(text, "n"); });
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string changed(text);
  const std::size_t at = changed.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return changed.replace(at, what.size(), by);
}

std::string json(const std::string& nodes, const std::string& edges, std::string_view type = "feedforward", std::string_view outputs = "0") {
  return refused(read_neat_python, json_network(type, nodes, edges, outputs));
}

TEST(NeatPythonErrors, Graph) {
  const std::string output = json_node(0, "output"), edge = json_edge(-1, 0, "1");
  EXPECT_EQ(json(output, edge), "");
  EXPECT_EQ(json(output, json_edge(4, 0, "1")), "n: the connection from 4 to 0 starts at a node that is not listed");
  EXPECT_EQ(json(output, json_edge(-1, 4, "1")), "n: the connection from -1 to 4 ends at a node that is not listed");
  EXPECT_EQ(json(output, json_edge(4, 9, "1"), "recurrent"), "n: the connection from 4 to 9 ends at a node that is not listed");
  EXPECT_EQ(json(output, json_edge(0, -1, "1")), "n: the connection from 0 to -1 ends at an input");
  EXPECT_EQ(json(output + "," + output, edge), "n: the node 0 is listed twice");
  EXPECT_EQ(json(json_node(-1, "input") + "," + json_node(-1, "input"), edge), "n: the node -1 is listed twice");
  EXPECT_EQ(json(json_node(-3, "input") + "," + output, edge), "n: the input node -3 is not among the input_keys");
  EXPECT_EQ(json(output, edge + "," + edge), "n: the connection from -1 to 0 is listed twice");
  EXPECT_EQ(json(json_node(1, "hidden"), json_edge(-1, 1, "1")), "n: the output 0 is never computed: no node has this name");
}

TEST(NeatPythonErrors, Functions) {
  EXPECT_EQ(json(json_node(0, "output", "my_function"), ""), "n: node 0 has the activation \"my_function\", which is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(json(json_node(0, "output", "tanh", "none"), ""),
            "n: node 0 has the aggregation \"none\", which is unknown; there are sum, product, max, min, maxabs, mean and median");
  EXPECT_EQ(json(json_node(0, "neuron"), ""), "n:3:37: a node has the type \"neuron\"; neat-python has input, hidden and output");
}

TEST(NeatPythonErrors, Numbers) {
  const std::string output = json_node(0, "output");
  EXPECT_EQ(json(output, json_edge(-1, 0, "NaN")), "n:4:49: the weight \"NaN\" is not a finite 64-bit number");
  EXPECT_EQ(json(output, json_edge(-1, 0, "-Infinity")), "n:4:49: the weight \"-Infinity\" is not a finite 64-bit number");
  EXPECT_EQ(json(output, json_edge(-1, 0, "1e999")), "n:4:49: the weight \"1e999\" is not a finite 64-bit number");
  EXPECT_EQ(json(output, json_edge(-1, 0, "heavy")), "n:4:49: the weight \"heavy\" is not a number");
  EXPECT_EQ(json(output, json_edge(-1, 0, "1", "1")), "n:4:63: the mark of an enabled connection \"1\" is neither true nor false");
  EXPECT_EQ(json(output, "{\"from\": 1.5}"), "n:4:26: the source \"1.5\" is not a whole number");
  EXPECT_EQ(json(output, "{\"from\": 99999999999999999999}"), "n:4:26: the source \"99999999999999999999\" is not a whole number");
  EXPECT_EQ(json(output, "{\"from\": 1, \"to\": 0}"), "n:4:37: this connection has no \"weight\"");
  EXPECT_EQ(json("{\"type\": \"output\"}", ""), "n:3:29: this node has no \"id\"");
}

TEST(NeatPythonErrors, Files) {
  const std::string good = json_network("feedforward", json_node(0, "output"), json_edge(-1, 0, "1"));
  EXPECT_EQ(refused(read_neat_python, ""), "n:1:1: expected an object, found the end of the file, which may be cut short");
  EXPECT_EQ(refused(read_neat_python, "[]"), "n:1:1: expected an object, found \"[\"");
  for (std::size_t cut = 1; cut + 1 < good.size(); ++cut) EXPECT_NE(refused(read_neat_python, good.substr(0, cut)), "") << cut;
  EXPECT_EQ(refused(read_neat_python, good.substr(0, good.find("\"weight\""))), "n:4:39: expected a key, found the end of the file, which may be cut short");
  EXPECT_EQ(refused(read_neat_python, good + "{}"), "n:5:1: \"{\" comes after the end of the JSON object");
  EXPECT_EQ(refused(read_neat_python, "{}"), "n: has no \"format_version\"; a network of neat-python's export_network_json has one");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "\"nodes\"", "\"knots\"")), "n: has no \"nodes\"; a network of neat-python's export_network_json has one");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "\"1.0\"", "\"2.0\"")), "n: format version \"2.0\" of neat-python's JSON is not read; 1.0 is");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "feedforward", "iznn")), "n: spiking networks (iznn) are not served; feedforward, recurrent and ctrnn networks are");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "feedforward", "dense")),
            "n: the network type \"dense\" is unknown; neat-python has feedforward, recurrent, ctrnn and iznn");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "\"num_inputs\": 2", "\"num_inputs\": 3")), "n: num_inputs is 3, but there are 2 input_keys");
  EXPECT_EQ(refused(read_neat_python, replaced(good, "\"num_outputs\": 1", "\"num_outputs\": 0")), "n: num_outputs is 0, but there are 1 output_keys");
  EXPECT_EQ(refused(read_neat_python, replaced(replaced(good, "-1, -2", ""), "\"num_inputs\": 2", "\"num_inputs\": 0")), "n: has no inputs");
  EXPECT_EQ(refused(read_neat_python, "{\"a\": " + std::string(100'000, '[')), "n:1:263: more than 256 brackets within each other");
  EXPECT_EQ(refused(read_neat_python, "{\"a\\q\": 1}"), "n:1:5: a backslash with an unknown letter");
  EXPECT_EQ(refused(read_neat_python, "{\"\\ud800\": 1}"), "n:1:9: the first half of a character without its second");
}

std::string net(std::string_view what, std::string_view by) { return refused(read_sharpneat, replaced(sharpneat_network, what, by)); }

TEST(SharpneatErrors, Lines) {
  EXPECT_EQ(net("2 1\n", "2\n"), "n:2:2: the line ends after 1 of 2 fields; it should read: inputs outputs");
  EXPECT_EQ(net("2 1\n", "2 one\n"), "n:2:3: the number of outputs \"one\" is not a whole number");
  EXPECT_EQ(net("2 1\n", "-2 1\n"), "n:2:1: the number of inputs -2 is outside 0 to 2147483647");
  EXPECT_EQ(net("2 1\n", "2 1\n2 1\n"), "n:3:1: an empty line must end this section");
  EXPECT_EQ(net("acyclic\n", "cyclic\n"), "n:5:7: the line ends after 1 of 2 fields; it should read: cyclic steps");
  EXPECT_EQ(net("acyclic\n", "cyclic 0\n"), "n:5:8: the number of steps 0 is outside 1 to 2147483647");
  EXPECT_EQ(net("acyclic\n", "recurrent\n"), "n:5:1: \"recurrent\" where cyclic or acyclic is due");
  EXPECT_EQ(net("0 9 0.25", "0 9"), "n:8:4: the line ends after 2 of 3 fields; it should read: source target weight");
  EXPECT_EQ(net("0 9 0.25", "0 9 0.25 1"), "n:8:10: \"1\" comes after the 3 fields of the line: source target weight");
  EXPECT_EQ(net("0 9 0.25", "0 9 0,25"), "n:8:5: the weight \"0,25\" is not a number");
  EXPECT_EQ(net("0 9 0.25", "0 9 NaN"), "n:8:5: the weight \"NaN\" is not a finite 64-bit number");
  EXPECT_EQ(net("0 9 0.25", "0 9 1e400"), "n:8:5: the weight \"1e400\" is not a finite 64-bit number");
  EXPECT_EQ(net("0 9 0.25", "0 1 0.25"), "n:8:3: the connection from 0 to 1 ends at an input; inputs are 0 to 1");
  EXPECT_EQ(net("0 2 0.5\n", "0 9 0.5\n"), "n:12:1: the connection from 0 to 9 is listed twice");
  EXPECT_EQ(net("1 Logistic", "1 Step"), "n:16:3: the function \"Step\" is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(net("1 Logistic", "2 Logistic"), "n:16:1: function 2 where 1 is due; they count from 0");
  EXPECT_EQ(net("\n9 1\n", "\n9 2\n"), "n:19:3: the function 2 is outside 0 to 1");
  EXPECT_EQ(net("\n9 1\n", "\n1 1\n"), "n:19:1: node 1 is an input; inputs have no function");
  EXPECT_EQ(net("\n9 1\n", "\n9 1\n9 0\n"), "n:20:1: the function of node 9 is listed twice");
  EXPECT_EQ(net("\n9 1\n", "\n9 1\n\n7\n"), "n:21:1: comes after the last section of a network");
}

TEST(SharpneatErrors, Files) {
  EXPECT_EQ(refused(read_sharpneat, ""), "n: ends before the numbers of inputs and outputs; the file may be cut short");
  EXPECT_EQ(refused(read_sharpneat, "1 1\n"), "n: ends before cyclic or acyclic; the file may be cut short");
  EXPECT_EQ(refused(read_sharpneat, "1 1\n\nacyclic\n\n0 1 1\n"), "n: ends before the list of activation functions; the file may be cut short");
  EXPECT_EQ(refused(read_sharpneat, "0 1\n\nacyclic\n\n\n0 ReLU\n"), "n: has no inputs");
  EXPECT_EQ(refused(read_sharpneat, "1 0\n\nacyclic\n\n\n0 ReLU\n"), "n: has no outputs");
  EXPECT_EQ(refused(read_sharpneat, "2000000000 1\n\nacyclic\n"), "n:1:1: 2000000000 inputs and 1 outputs in a file of 22 bytes are not believed");
  EXPECT_EQ(refused(read_sharpneat, "FANN_FLO_2.1\nnum_layers=3\n"), "n: is a network of FANN, which has the same extension as SharpNEAT's; it is not read");
}

std::string genome(std::string_view what, std::string_view by) { return refused(read_stanley, replaced(stanley_genome, what, by)); }

TEST(StanleyErrors, Lines) {
  EXPECT_EQ(genome("genomestart 7", "node 7"), "n:2:1: \"node\" where genomestart is due");
  EXPECT_EQ(genome("genomeend 7\n", ""), "n: ends before genomeend; the file may be cut short");
  EXPECT_EQ(genome("genomeend 7\n", "genomeend 7\ngenomestart 8\n"), "n: ends before genomeend; the file may be cut short");
  EXPECT_EQ(genome("genomeend 7\n", "genomeend 7\nnode 9 0 0 0\n"), "n:14:1: \"node\" where genomestart is due");
  EXPECT_EQ(genome("genomeend 7\n", "genomestart 8\n"), "n:13:1: a genome starts before the one above has ended");
  EXPECT_EQ(refused(read_stanley, std::string(stanley_genome) + std::string(stanley_genome)),
            "n:15:1: a second genome starts here; one is taken from a file of a population");
  EXPECT_EQ(genome("trait 1", "treat 1"), "n:3:1: \"treat\" where trait, node, gene or genomeend is due");
  EXPECT_EQ(genome("node 5 0 0 0", "node 4 0 0 0"), "n:8:1: the node 4 is listed twice");
  EXPECT_EQ(genome("node 5 0 0 0", "node 5 0 0 4"), "n:8:12: the place 4 is outside 0 to 3");
  EXPECT_EQ(genome("node 5 0 0 0", "node 5 0 0 0 Wavy"), "n:8:14: node 5 has the activation \"Wavy\", which is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(genome("gene 1 2 5 -1.5", "gene 1 2 6 -1.5"), "n:10:1: the connection from 2 to 6 ends at a node that is not listed");
  EXPECT_EQ(genome("gene 1 2 5 -1.5", "gene 1 8 5 -1.5"), "n:10:1: the connection from 8 to 5 starts at a node that is not listed");
  EXPECT_EQ(genome("gene 1 2 5 -1.5", "gene 1 5 2 -1.5"), "n:10:1: the connection from 5 to 2 ends at an input");
  EXPECT_EQ(genome("gene 1 2 5 -1.5", "gene 1 2 5 inf"), "n:10:12: the weight \"inf\" is not a finite 64-bit number");
  EXPECT_EQ(genome("-1.5 0 2 0 1", "-1.5 0 2 0"), "n:10:22: the line ends after 8 of 9 fields; it should read: gene trait source target weight recurrent innovation mutation enabled");
  EXPECT_EQ(genome("-1.5 0 2 0 1", "-1.5 0 2 0 yes"), "n:10:23: the mark of an enabled gene \"yes\" is neither 1, 0, true nor false");
  EXPECT_EQ(genome("node 4 0 0 2", "node 4 0 0 0"), "n: has no outputs");
}

std::string yaml(std::string_view what, std::string_view by) { return refused(read_goneat_yaml, replaced(goneat_genome, what, by)); }

TEST(GoneatErrors, Lines) {
  EXPECT_EQ(yaml("genome:", "gnome:"), "n: has no \"genome\"; goNEAT writes one");
  EXPECT_EQ(yaml("  nodes:", "  knots:"), "n: the genome has no list of nodes");
  EXPECT_EQ(yaml("type: HIDN", "type: HIDDEN"), "n:10:7: node 5 has the type \"HIDDEN\"; goNEAT has INPT, BIAS, HIDN and OUTP");
  EXPECT_EQ(yaml("TanhActivation", "Tan"), "n:9:7: node 4 has the activation \"Tan\", which is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(yaml("weight: 0.5", "weight: much"), "n:13:38: weight \"much\" of a gene is not a number");
  EXPECT_EQ(yaml("weight: 0.5", "weight: .inf"), "n:13:1: the connection from 2 to 5 has the weight inf; weights must be finite");
  EXPECT_EQ(yaml("weight: 0.5, ", ""), "n:13:7: a gene has no \"weight\"");
  EXPECT_EQ(yaml("src_id: 2, tgt_id: 5", "src_id: 2, tgt_id: 55"), "n:13:1: the connection from 2 to 55 ends at a node that is not listed");
  EXPECT_EQ(yaml("MultiplyModule", "DivideModule"),
            "n:18:7: module 7 has the activation \"DivideModuleActivation\", which is unknown; goNEAT has Multiply-, Max- and MinModuleActivation");
  EXPECT_EQ(yaml("outputs: [", "outputs: [{id: 4, order: 1}, "), "n:18:7: module 7 has 2 outputs; goNEAT's modules give one value");
  EXPECT_EQ(yaml("inputs: [{id: 5", "inputs: [{id: 50"), "n:18:1: the connection from 50 to 6 starts at a node that is not listed");
  EXPECT_EQ(yaml("{id: 2,", "{id: 2"), "n:7:22: is not YAML: end of map flow not found");
}

std::string multineat(std::string_view what, std::string_view by) { return refused(read_multineat, replaced(multineat_network, what, by)); }

TEST(MultineatErrors, Lines) {
  EXPECT_EQ(multineat("NNend", ""), "n: ends before NNend; the file may be cut short");
  EXPECT_EQ(multineat("NNstart", "NNbegin"), "n: does not start with NNstart");
  EXPECT_EQ(multineat("NNend", "NNend\nNNstart"), "n:11:1: comes after NNend; a file holds one network");
  EXPECT_EQ(multineat("2 1\n", "2 3\n"), "n:2:1: 2 inputs and 3 outputs are announced, but 4 neurons listed");
  EXPECT_EQ(multineat("1 0 9 0.5", "1 0 14 0.5"), "n:6:20: the function 14 is outside 0 to 13");
  EXPECT_EQ(multineat("connection 0 3", "connection 0 4"), "n:7:1: the connection from 0 to 4 ends at a node that is not listed");
  EXPECT_EQ(multineat("connection 0 3", "synapse 0 3"), "n:7:1: \"synapse\" where neuron, connection or NNend is due");
  EXPECT_EQ(multineat("neuron 4 4.9 0.25", "neuron 4 4.9 nan"), "n:5:14: the shift \"nan\" is not a finite 64-bit number");
}

std::string edges(std::string_view what, std::string_view by) { return refused(read_edge_lines, replaced(edge_lines, what, by)); }

TEST(EdgeLinesErrors, Lines) {
  EXPECT_EQ(edges("h y 3", "h y"), "n:8:4: the line ends after 2 of 3 fields; it should read: source target weight");
  EXPECT_EQ(edges("h y 3", "h y 3 4"), "n:8:7: \"4\" comes after the 3 fields of the line: source target weight");
  EXPECT_EQ(edges("h y 3", "h y three"), "n:8:5: the weight \"three\" is not a number");
  EXPECT_EQ(edges("h y 3", "h y inf"), "n:8:5: the weight \"inf\" is not a finite 64-bit number");
  EXPECT_EQ(edges("h y 3", "g y 3"), "n: g is the start of a connection, but neither an input nor the end of a connection; list it in @inputs, or as a neuron with @node");
  EXPECT_EQ(edges("h y 3", "h a 3"), "n:8:1: the connection from h to a ends at an input");
  EXPECT_EQ(edges("@outputs y", "@outputs z"), "n:3:1: the output z is never computed: no connection ends there; list it in @inputs, or as a neuron with @node");
  EXPECT_EQ(edges("@outputs y", "@output y"), "n:3:1: \"@output\" is unknown; there are @inputs, @outputs, @node, @neurons, @update, @steps and @time_step");
  EXPECT_EQ(edges("@inputs a b", "@inputs a b a"), "n:2:1: the node a is listed twice");
  EXPECT_EQ(edges("@node h ", "@node h\n@node h "), "n:6:7: the node h is listed twice");
  EXPECT_EQ(edges("activation=tanh", "activation=tan"), "n:5:9: the activation \"tan\" is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(edges("aggregation=max", "aggregation=most"),
            "n:5:25: the aggregation \"most\" is unknown; there are sum, product, max, min, maxabs, mean and median");
  EXPECT_EQ(edges("bias=-0.5", "bias=low"), "n:5:41: the bias \"low\" is not a number");
  EXPECT_EQ(edges("bias=-0.5", "bias=nan"), "n:5:41: the bias \"nan\" is not a finite 64-bit number");
  EXPECT_EQ(edges("bias=-0.5", "bios=-0.5"), "n:5:41: the attribute \"bios\" is unknown; neurons have activation, aggregation, bias, response and time_constant");
  EXPECT_EQ(edges("bias=-0.5", "bias"), "n:5:41: \"bias\" is not of the form attribute=value");
  EXPECT_EQ(edges("\"b\"", "\"b"), "n:9:1: quotes that are not closed in their line");
  EXPECT_EQ(edges("@outputs y", "@update often"), "n:3:9: \"often\" where feed_forward, stepwise or continuous is due");
  EXPECT_EQ(refused(read_edge_lines, "# nothing\n"), "n: has no inputs");
}

std::string xml(std::string_view what, std::string_view by) { return refused(read_graphml, replaced(graphml, what, by)); }

TEST(GraphmlErrors, Elements) {
  EXPECT_EQ(xml("</graphml>", ""), "n:13:1: is not XML: Start-end tags mismatch");
  EXPECT_EQ(refused(read_graphml, "<gexf/>"), "n: has no <graphml> element");
  EXPECT_EQ(refused(read_graphml, "<graphml/>"), "n: has no <graph> element");
  EXPECT_EQ(xml("\"directed\"", "\"undirected\""), "n:6:4: the graph is undirected; connections have a direction");
  EXPECT_EQ(xml("<node id=\"b\"/>", "<node id=\"a\"/>"), "n:8:6: the node a is listed twice");
  EXPECT_EQ(xml("<node id=\"b\"/>", "<node/>"), "n:8:6: a node has no id");
  EXPECT_EQ(xml("source=\"a\"", "source=\"c\""), "n:10:6: the connection from c to y starts at a node that is not listed");
  EXPECT_EQ(xml("target=\"y\"", "target=\"c\""), "n:10:6: the connection from a to c ends at a node that is not listed");
  EXPECT_EQ(xml(">sigmoid<", ">sigmund<"), "n:9:19: node y: the activation \"sigmund\" is unknown; docs/neuroevolution.md lists the functions");
  EXPECT_EQ(xml(">0.5<", ">half<"), "n:10:34: the weight of the connection from a to y: \"half\" is not a number");
  EXPECT_EQ(xml(">0.5<", ">1e999<"), "n:10:34: the weight of the connection from a to y: \"1e999\" is not a finite 64-bit number");
}

TEST(GraphFiles, ThatAreNotServedSaySo) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("genome", "GenomeStart 3\n");
  EXPECT_EQ(message_of<Unsupported>([&] { load(file); }),
            file.string() + ": is a genome of MultiNEAT; save the network that is built from it (NeuralNetwork::Save)");
}

}  // namespace
}  // namespace lacuna::tests
