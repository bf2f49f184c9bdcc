// What each format of neuroevolution becomes, written out.
#include <gtest/gtest.h>

#include <cmath>

#include "frontends/neuro/read/readers.hpp"
#include "network/neuron_graph_text.hpp"
#include "reference/reference.hpp"
#include "support/neuro_files.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using namespace frontends;
using network::neuron_graph_text;

TEST(NeatPython, KeepsTheOrderOfNodesAndConnections) {
  const std::string nodes = json_node(7, "hidden", "gauss", "product") + "," + json_node(0, "output") + "," + json_node(-1, "input", "identity", "none") + "," +
                            json_node(-2, "input", "identity", "none");
  const std::string edges = json_edge(-2, 7, "0.5") + "," + json_edge(7, 0, "-1e-3") + "," + json_edge(-1, 7, "3") + "," + json_edge(-1, 0, "9", "false") + "," +
                            json_edge(-2, 0, "1");
  EXPECT_EQ(neuron_graph_text(read_neat_python(json_network("feedforward", nodes, edges), "n.json")),
            "feed_forward outputs [3] names [-1 -2 7 0] {\n"
            "  2: gauss product bias 0.5 response 2 1*0.5 0*3\n"
            "  3: tanh sum bias 0.5 response 2 2*-0.001 1*1\n"
            "}");
}

TEST(NeatPython, NodesThatARecurrentNetworkNeverEvaluatesStayZero) {
  const NeuronGraph graph = read_neat_python(json_network("recurrent", json_node(5, "hidden"), json_edge(8, 5, "2") + "," + json_edge(5, 5, "1")), "n.json");
  EXPECT_EQ(neuron_graph_text(graph),
            "stepwise steps 1 outputs [4] names [-1 -2 5 8 0] {\n"
            "  2: tanh sum bias 0.5 response 2 3*2 2*1\n"
            "  3: NullFn sum bias 0 response 1\n"
            "  4: NullFn sum bias 0 response 1\n"
            "}");
}

TEST(NeatPython, ContinuousNetworksHaveTimeConstants) {
  const NeuronGraph graph = read_neat_python(json_network("ctrnn", json_node(0, "output", "sin", "mean", ", \"time_constant\": 0.25"), json_edge(-1, 0, "2")), "n.json");
  EXPECT_EQ(graph.update, Update::continuous);
  EXPECT_EQ(graph.neurons[0].time_constant, 0.25);
  EXPECT_EQ(graph.time_step, 0.01);
}

TEST(NeatPython, CustomFunctionsMayBeAnyNameOrFormulaWeKnow) {
  for (const char* name : {"SoftSignSteep", "SigmoidLeftShiftedActivation", "logistic;slope:3;gain:2"}) {
    const NeuronGraph graph = read_neat_python(json_network("feedforward", json_node(0, "output", name), json_edge(-1, 0, "2")), "n.json");
    EXPECT_EQ(graph.functions[0], *parse_function(name)) << name;
  }
}

TEST(NeatPython, TextIsUnescaped) {
  const std::string nodes = json_node(0, "output", "tanh", "sum", ", \"name\": \"a\\\"\\u00e9\\ud83d\\ude00\\n\"");
  EXPECT_EQ(read_neat_python(json_network("feedforward", nodes, json_edge(-1, 0, "2")), "n.json").name(2), "a\"\u00e9\U0001F600\n");
}

TEST(Sharpneat, OutputsComeBeforeHiddenNodesAndFunctionsAreByNode) {
  EXPECT_EQ(neuron_graph_text(read_sharpneat(sharpneat_network, "n.net")),
            "feed_forward outputs [2] names [0 1 2 9] {\n"
            "  2: relu sum bias 0 response 1 3*3 0*0.5\n"
            "  3: Logistic sum bias 0 response 1 0*0.25 1*-0.001\n"
            "}");
}

TEST(Sharpneat, CyclicNetworksHaveSteps) {
  const NeuronGraph graph = read_sharpneat("1 1\r\n\r\ncyclic 3\r\n\r\n0 1 0.5\r\n1 1 -1\r\n\r\n0 TanH\r\n", "n.net");
  EXPECT_EQ(neuron_graph_text(graph), "stepwise steps 3 outputs [1] names [0 1] {\n  1: TanH sum bias 0 response 1 0*0.5 1*-1\n}");
}

TEST(Sharpneat, ANetworkMayHaveNoConnections) {
  EXPECT_EQ(read_sharpneat("1 1\n\nacyclic\n\n# none\n\n0 ReLU\n", "n.net").weights.size(), 0u);
}

TEST(Stanley, TheBiasNodeIsANeuronThatIsAlwaysOne) {
  const NeuronGraph graph = read_stanley(stanley_genome, "g");
  EXPECT_EQ(neuron_graph_text(graph),
            "feed_forward outputs [3] names [2 3 1 4 5] {\n"
            "  2: identity sum bias 1 response 1\n"
            "  3: SigmoidSteepenedActivation sum bias 0 response 1 2*0.5 4*2\n"
            "  4: SigmoidSteepenedActivation sum bias 0 response 1 0*-1.5\n"
            "}");
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-4.924273 * x)); };
  EXPECT_DOUBLE_EQ(reference::evaluate(graph, {{0.5, 7}})[0][0], sigmoid(0.5 + 2 * sigmoid(-0.75)));
}

TEST(Stanley, OfARecurrentGenomeTheBiasActsFromTheFirstStep) {
  std::string text(stanley_genome);
  text.replace(text.find("gene 1 5 4 2 0"), 14, "gene 1 5 4 2 1");
  const NeuronGraph graph = read_stanley(text, "g");
  EXPECT_EQ(graph.update, Update::stepwise);
  EXPECT_DOUBLE_EQ(reference::evaluate(graph, {{0, 0}})[0][0], 1 / (1 + std::exp(-4.924273 * 0.5)));
}

TEST(Stanley, ACycleThatNobodyMarkedIsStepwiseToo) {
  std::string text(stanley_genome);
  text.insert(text.find("genomeend"), "gene 1 4 5 1 0 9 0 1\n");
  EXPECT_EQ(read_stanley(text, "g").update, Update::stepwise);
}

TEST(Stanley, GoneatNamesFunctionsAndWritesTrueAndFalse) {
  const NeuronGraph graph = read_stanley("genomestart 1\nnode 1 0 1 1 NullActivation\nnode 2 0 0 2 GaussianBipolarActivation\ngene 1 1 2 0.5 false 1 0 true\n"
                                         "gene 1 1 2 0.25 false 1 0 true\ngenomeend 1\n", "g");
  EXPECT_EQ(neuron_graph_text(graph), "feed_forward outputs [1] names [1 2] {\n  1: BipolarGaussian sum bias 0 response 1 0*0.5 0*0.25\n}");
}

TEST(GoneatYaml, AModuleOverwritesWhatItsOutputNodeComputes) {
  const NeuronGraph graph = read_goneat_yaml(goneat_genome, "g.yml");
  EXPECT_EQ(neuron_graph_text(graph),
            "feed_forward outputs [3] names [2 3 1 4 5 6] {\n"
            "  2: identity sum bias 1 response 1\n"
            "  3: TanhActivation sum bias 0 response 1 2*2 5*-1\n"
            "  4: identity sum bias 0 response 1 0*0.5\n"
            "  5: identity product bias 0 response 1 4*1 1*1\n"
            "}");
  EXPECT_DOUBLE_EQ(reference::evaluate(graph, {{3, 5}})[0][0], std::tanh(0.9 * (2 - 1.5 * 5)));
}

TEST(Multineat, SlopesAndShiftsActAsInActivate) {
  const NeuronGraph graph = read_multineat(multineat_network, "n");
  EXPECT_EQ(graph.inputs, 2u);
  EXPECT_EQ(graph.update, Update::feed_forward);
  const double hidden = std::sin(2 * 0.5 * 0.75 + 0.5);
  EXPECT_DOUBLE_EQ(reference::evaluate(graph, {{0.75, 1}})[0][0], 1 / (1 + std::exp(-4.9 * (-2 * hidden + 1) - 0.25)));
}

TEST(Multineat, EveryFunctionAnswersAsItsSource) {
  const double a = 1.5, b = 0.25, x = 0.8;
  const double sigmoid = 1 / (1 + std::exp(-a * x - b));
  const double expected[] = {(sigmoid - 0.5) * 2, sigmoid, std::tanh(x * a), std::tanh(x * x * x * a), x > b ? 1 : -1, x > 0.5 + b ? 1 : 0,
                             (std::exp(-a * x * x + b) - 0.5) * 2, std::exp(-a * x * x + b), x + b, std::sin(x * a + b), (std::sin(x * a + b) + 1) / 2, x + b, x,
                             std::log(1 + std::exp(x))};
  for (int number = 0; number < 14; ++number) {
    const std::string text = "NNstart\n1 1\nneuron 1 0 0 0 0 0 0\nneuron 4 1.5 0.25 1 99 " + std::to_string(number) + " 1\nconnection 0 1 1 0 0 0\nNNend\n";
    EXPECT_NEAR(reference::evaluate(read_multineat(text, "n"), {{x}})[0][0], expected[number], 1e-15) << number;
  }
}

TEST(Multineat, RecurrentConnectionsMakeItStepwise) {
  const NeuronGraph graph = read_multineat("NNstart\n1 1\nneuron 1 0 0 0 0 0 0\nneuron 4 1 0 1 0 2 1\nconnection 0 1 1 0 0 0\nconnection 1 1 1 1 0 0\nNNend\n", "n");
  EXPECT_EQ(graph.update, Update::stepwise);
}

TEST(EdgeLines, HaveAttributesAndDefaults) {
  EXPECT_EQ(neuron_graph_text(read_edge_lines(edge_lines, "n.edges")),
            "feed_forward outputs [2] names [a b y h] {\n"
            "  2: relu sum bias 0 response 1 3*3 1*0.001\n"
            "  3: tanh max bias -0.5 response 2 0*0.25 1*-1\n"
            "}");
}

TEST(EdgeLines, WithoutDirectivesInputsAndOutputsAreTheEnds) {
  EXPECT_EQ(neuron_graph_text(read_edge_lines("a h 1\nb h 2\nh y 3\nh z 4\n", "n.edges")),
            "feed_forward outputs [3 4] names [a b h y z] {\n"
            "  2: identity sum bias 0 response 1 0*1 1*2\n"
            "  3: identity sum bias 0 response 1 2*3\n"
            "  4: identity sum bias 0 response 1 2*4\n"
            "}");
}

TEST(EdgeLines, SayHowOftenTheyAreUpdated) {
  const NeuronGraph graph = read_edge_lines("@update continuous\n@steps 5\n@time_step 0.125\n@node y time_constant=2\na y 1\ny y 1\n@outputs y\n", "n.edges");
  EXPECT_EQ(neuron_graph_text(graph),
            "continuous steps 5 time_step 0.125 outputs [1] names [a y] {\n  1: identity sum bias 0 response 1 time_constant 2 0*1 1*1\n}");
}

TEST(Graphml, AttributesAreFoundByName) {
  EXPECT_EQ(neuron_graph_text(read_graphml(graphml, "n.graphml")),
            "feed_forward outputs [2] names [a b y] {\n  2: sigmoid sum bias 0 response 1 0*0.5 1*1\n}");
}

TEST(NamesOfFunctions, AreAllInTheDocumentation) {
  const std::string page = read_file(std::filesystem::path(LACUNA_GOLDEN_FOLDER) / "../../docs/neuroevolution.md");
  for (const NamedFunction& named : named_functions()) EXPECT_NE(page.find("| `" + std::string(named.name) + "` |"), std::string::npos) << named.name;
  for (int k = 0; k < 7; ++k) EXPECT_NE(page.find("`" + std::string(name_of(static_cast<Aggregation>(k))) + "`"), std::string::npos) << k;
}

TEST(RealNetworks, OfSharpneatAreRead) {
  const std::filesystem::path folder = data_folder() / "neat";
  if (data_folder().empty() || !std::filesystem::exists(folder)) GTEST_SKIP() << "LACUNA_DATA has no folder neat";
  const auto read = [&](const char* name) { return read_sharpneat(read_file(folder / name), name); };
  const NeuronGraph binary = read("binary11.net"), prey = read("preycapture.net");
  EXPECT_EQ(std::tuple(binary.inputs, binary.outputs.size(), binary.weights.size(), binary.update), std::tuple(12u, 1u, 121u, Update::feed_forward));
  EXPECT_EQ(std::tuple(prey.inputs, prey.outputs.size(), prey.weights.size(), prey.update), std::tuple(14u, 4u, 416u, Update::stepwise));
  EXPECT_EQ(neuron_graph_text(read("example2.net")),
            "feed_forward outputs [3 4] names [0 1 2 3 4 5] {\n"
            "  3: relu sum bias 0 response 1 0*0.123 1*1.234 2*-0.5835\n"
            "  4: relu sum bias 0 response 1 2*5.123456789 5*5.4\n"
            "  5: relu sum bias 0 response 1 2*2.5\n"
            "}");
}

}  // namespace
}  // namespace lacuna::tests
