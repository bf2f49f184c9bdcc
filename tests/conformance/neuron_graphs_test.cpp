// Neuron graphs against the reference: every instruction set, panel width and number of threads; bit for bit in f64, within the running bound in f32.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <tuple>

#include <lacuna/lacuna.hpp>

#include "reference/reference.hpp"
#include "support/all_isas.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

TypedTensor random_inputs(std::vector<std::size_t> shape, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  std::vector<float> values(size);
  for (float& value : values) value = uniform(random);
  return make_tensor<float>(std::move(shape), values);
}

/// Rows of the batch in double, step by step.
std::vector<std::vector<double>> sequence_of(const TypedTensor& input, std::size_t row) {
  const bool has_steps = input.shape.size() == 3;
  const std::size_t steps = has_steps ? input.shape[0] : 1, batch = input.shape[has_steps ? 1 : 0], width = input.shape.back();
  std::vector<std::vector<double>> sequence(steps);
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t k = 0; k < width; ++k) sequence[step].push_back(input.as<float>()[(step * batch + row) * width + k]);
  return sequence;
}

void expect_exact(const Network& network, const TypedTensor& input, const std::vector<TypedTensor>& outputs) {
  const std::size_t batch = input.shape[input.shape.size() - 2];
  for (std::size_t m = 0; m < network.operators.size(); ++m) {
    const auto& graph = std::get<NeuronGraph>(network.operators[m].operation);
    ASSERT_EQ(outputs[m].type, ElementType::f64);
    for (std::size_t row = 0; row < batch; ++row) {
      const auto expected = reference::evaluate(graph, sequence_of(input, row));
      for (std::size_t step = 0; step < expected.size(); ++step)
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
          const double value = outputs[m].as<double>()[(step * batch + row) * graph.outputs.size() + k];
          if (std::isnan(expected[step][k]) && std::isnan(value)) continue;
          ASSERT_EQ(std::memcmp(&value, &expected[step][k], sizeof(value)), 0)
              << "graph " << m << ", row " << row << ", step " << step << ", output " << k << ": " << value << " where the reference has " << expected[step][k];
        }
    }
  }
}

const char* const update_names[] = {"feed_forward", "stepwise", "continuous"};

class NeuronGraphs : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(NeuronGraphs, AgreeWithTheReferenceOnEveryWidthAndNumberOfThreads) {
  const auto& [isa, update] = GetParam();
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    std::vector<NeuronGraph> graphs;
    const unsigned members = seed % 3 == 0 ? 1 : 5;
    for (unsigned m = 0; m < members; ++m)
      graphs.push_back(random_graph({.update = static_cast<Update>(update), .neurons = 10 + 30 * (seed % 4), .outputs = 1 + seed, .only_smooth = true}, random));
    const Network network = network_of(graphs);
    verify(network);
    for (const std::size_t batch : {std::size_t{1}, std::size_t{3}, std::size_t{33}, std::size_t{130}}) {
      const std::vector<TypedTensor> inputs{update == 0 ? random_inputs({batch, 5}, random) : random_inputs({3, batch, 5}, random)};
      const CompileOptions fast{.isa = isa, .threads = 1 + seed % 2, .tune = seed % 2 == 0 ? "off" : "fast"};
      const auto outputs = compile(network, fast).open().run(inputs);
      const Verdict verdict = check_outputs(network, inputs, outputs);
      EXPECT_TRUE(verdict.right) << "seed " << seed << ", batch " << batch << ": " << verdict.sentence;
      CompileOptions exact = fast;
      exact.precision = "f64";
      expect_exact(network, inputs[0], compile(network, exact).open().run(inputs));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, NeuronGraphs, testing::Combine(testing::ValuesIn(all_isas()), testing::Range(0, 3)),
                         [](const auto& of) { return std::get<0>(of.param) + "_" + update_names[std::get<1>(of.param)]; });

TEST(NeuronGraphPrecision, RoughFunctionsAnswerBitForBitInDouble) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    std::mt19937 random(seed);
    const Network network = network_of({random_graph({.update = static_cast<Update>(seed % 3), .neurons = 60}, random)});
    const std::vector<TypedTensor> inputs{random_inputs({seed % 3 == 0 ? std::size_t{1} : std::size_t{4}, 19, 5}, random)};
    expect_exact(network, inputs[0], compile(network, {.precision = "f64"}).open().run(inputs));
  }
}

TEST(NeuronGraphPrecision, EveryPanelWidthGivesTheSameBits) {
  std::mt19937 random(7);
  const Network network = network_of({random_graph({.neurons = 200}, random)});
  const std::vector<TypedTensor> inputs{random_inputs({77, 5}, random)};
  for (const std::string precision : {"f32", "f64"}) {
    const auto wide = compile(network, {.isa = "scalar", .panel_lanes = 8, .precision = precision}).open().run(inputs);
    for (const unsigned lanes : {1u, 2u, 4u}) {
      const auto narrow = compile(network, {.isa = "scalar", .panel_lanes = lanes, .precision = precision}).open().run(inputs);
      EXPECT_EQ(std::memcmp(wide[0].bytes.data(), narrow[0].bytes.data(), wide[0].bytes.size()), 0) << lanes << " lanes in " << precision;
    }
  }
}

/// Three levels of 3,000 neurons with 8 edges each, and a last one that reads them all.
NeuronGraph wide_graph(Update update, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  NeuronGraphBuilder builder(update);
  for (int k = 0; k < 5; ++k) builder.add_input("");
  std::uint32_t begin = 0, end = 5;
  for (int level = 0; level < 3; ++level) {
    for (int k = 0; k < 3000; ++k) {
      const std::uint32_t node = builder.add_neuron("", *find_function(random() % 2 == 0 ? "tanh" : "relu"), {.bias = uniform(random)});
      for (int e = 0; e < 8; ++e) builder.add_edge(static_cast<std::uint32_t>(begin + random() % (end - begin)), node, uniform(random));
    }
    begin = end;
    end += 3000;
  }
  const std::uint32_t last = builder.add_neuron("", {});
  for (std::uint32_t node = begin; node < end; ++node) builder.add_edge(node, last, uniform(random));
  builder.add_output(last);
  return builder.finish();
}

TEST(NeuronGraphLevels, ALargeGraphRunByLevelsOnTwoThreadsGivesTheBitsOfOne) {
  for (const Update update : {Update::feed_forward, Update::stepwise}) {
    std::mt19937 random(3);
    const Network network = network_of({wide_graph(update, random)});
    const std::vector<TypedTensor> inputs{random_inputs({1, 5}, random)};
    const auto one = compile(network, {.threads = 1, .tune = "off"}).open().run(inputs);
    const Program program = compile(network, {.threads = 2, .tune = "off"});
    EXPECT_NE(program.explain().find("level by level"), std::string::npos);
    const auto two = program.open().run(inputs);
    EXPECT_EQ(std::memcmp(one[0].bytes.data(), two[0].bytes.data(), one[0].bytes.size()), 0);
  }
}

TEST(NeuronGraphLevels, ALongChainRuns) {
  NeuronGraphBuilder builder;
  builder.add_input("x");
  const std::uint32_t length = 200000;
  for (std::uint32_t k = 0; k < length; ++k) builder.add_neuron("", {}, {.bias = 1});
  for (std::uint32_t k = 0; k < length; ++k) builder.add_edge(k, k + 1, 1);
  builder.add_output(length);
  const Network network = network_of({builder.finish()});
  const std::vector<float> x{2};
  const std::vector<TypedTensor> inputs{make_tensor<float>({1, 1}, std::span<const float>(x))};
  EXPECT_EQ(compile(network, {.precision = "f64"}).open().run(inputs)[0].as<double>()[0], 200002.0);
  EXPECT_EQ(reference::evaluate(std::get<NeuronGraph>(network.operators[0].operation), {{2.0}})[0][0], 200002.0);
}

TEST(NeuronGraphWeights, ChangeWithoutPlanningAgain) {
  std::mt19937 random(11);
  const NeuronGraph first = random_graph({.neurons = 80, .only_smooth = true}, random);
  NeuronGraph second = first;
  std::vector<double> weights(first.weights.begin(), first.weights.end());
  for (double& weight : weights) weight = -0.5 * weight;
  std::vector<Neuron> neurons(first.neurons.begin(), first.neurons.end());
  for (Neuron& neuron : neurons) neuron.bias += 0.25;
  second.weights = weights;
  second.neurons = neurons;
  const std::vector<TypedTensor> inputs{random_inputs({20, 5}, random)};
  for (const std::string precision : {"f32", "f64"}) {
    const Program program = compile(network_of({first}), {.precision = precision});
    const auto changed = program.with_weights(network_of({second})).open().run(inputs);
    const auto anew = compile(network_of({second}), {.precision = precision}).open().run(inputs);
    EXPECT_EQ(std::memcmp(changed[0].bytes.data(), anew[0].bytes.data(), anew[0].bytes.size()), 0);
  }
  const Network other = network_of({random_graph({.neurons = 80}, random)});
  const auto message = [&](const Network& changed) -> std::string {
    try {
      compile(network_of({first})).with_weights(changed);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(other), "y0: its structure is not that of the network that was compiled; compile it anew");
  EXPECT_EQ(message(network_of({first, first})), "2 graphs for a program of 1; compile them anew");
}

TEST(NeuronGraphPopulations, MembersWithInputsOfTheirOwn) {
  std::mt19937 random(5);
  Network network;
  std::vector<TypedTensor> inputs;
  for (std::uint32_t m = 0; m < 3; ++m) {
    NeuronGraph graph = random_graph({.inputs = 2 + m, .only_smooth = true}, random);
    const ValueId input = network.add_value("x" + std::to_string(m), {{graph.inputs}});
    const ValueId output = network.add_value("y" + std::to_string(m), {{static_cast<std::uint32_t>(graph.outputs.size())}});
    network.operators.push_back({std::move(graph), {input}, output});
    if (m == 0) network.input = input, network.output = output;
    else network.other_inputs.push_back(input), network.other_outputs.push_back(output);
    inputs.push_back(random_inputs({9, 2 + m}, random));
  }
  verify(network);
  const Verdict verdict = check_outputs(network, inputs, compile(network).open().run(inputs));
  EXPECT_TRUE(verdict.right) << verdict.sentence;
  inputs[2] = random_inputs({8, 4}, random);
  try {
    compile(network).open().run(inputs);
    FAIL() << "inputs with different numbers of rows were taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the input x2 has shape 8x4, but the first is 9x2; all have as many rows");
  }
}

TEST(NeuronGraphSessions, KeepStateFromRunToRunIfAsked) {
  for (const Update update : {Update::stepwise, Update::continuous}) {
    std::mt19937 random(13);
    const Network network = network_of({random_graph({.update = update}, random), random_graph({.update = update}, random)});
    const TypedTensor sequence = random_inputs({3, 70, 5}, random);
    const Program program = compile(network, {.precision = "f64"});
    const auto at_once = program.open().run(std::vector<TypedTensor>{sequence});
    Session session = program.open();
    session.keep_state(true);
    for (int again = 0; again < 2; ++again) {
      for (std::size_t step = 0; step < 3; ++step) {
        const std::vector<TypedTensor> inputs{make_tensor<float>({70, 5}, sequence.as<float>().subspan(step * 350, 350))};
        const auto outputs = session.run(inputs);
        for (std::size_t m = 0; m < 2; ++m)
          EXPECT_EQ(std::memcmp(outputs[m].bytes.data(), at_once[m].bytes.data() + step * outputs[m].bytes.size(), outputs[m].bytes.size()), 0) << "step " << step;
      }
      session.keep_state(true);  // starts again
    }
  }
  Session layered = compile(parse("lacuna network 1\ninput x 1\ny = linear x 1 relu {\n  0: 0*1\n}\noutput y\n")).open();
  EXPECT_THROW(layered.keep_state(true), Unsupported);
}

TEST(NeuronGraphSessions, KeepEarlierOutputsWhileTheyAreHeld) {
  std::mt19937 random(9);
  const Network network = network_of({random_graph({.only_smooth = true}, random)});
  Session session = compile(network).open();
  const std::vector<TypedTensor> first{random_inputs({4, 5}, random)}, second{random_inputs({4, 5}, random)};
  const auto held = session.run(first);
  const std::vector<std::byte> before(held[0].bytes.begin(), held[0].bytes.end());
  session.run(second);
  EXPECT_EQ(std::memcmp(before.data(), held[0].bytes.data(), before.size()), 0);
}

}  // namespace
}  // namespace lacuna::tests
