// Neuron graphs and populations on GPUs against the reference: within the running bound of f32, on OpenCL (PoCL) and on the simulated CUDA.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <lacuna/lacuna.hpp>

#include "support/gpu_devices.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

TypedTensor random_inputs(std::vector<std::size_t> shape, std::mt19937& random, float size = 1) {
  std::uniform_real_distribution<float> uniform(-size, size);
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return make_tensor<float>(std::move(shape), values);
}

bool have_same_bits(const TypedTensor& a, const TypedTensor& b) {
  return a.shape == b.shape && a.bytes.size() == b.bytes.size() && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

class GpuGraphs : public GpuTest {
 protected:
  std::vector<TypedTensor> run(const Network& network, const std::vector<TypedTensor>& inputs) const { return compile(network, {.device = device()}).open().run(inputs); }

  void expect_right(const Network& network, const std::vector<TypedTensor>& inputs) const {
    const Verdict verdict = check_outputs(network, inputs, run(network, inputs));
    EXPECT_TRUE(verdict.right) << verdict.sentence;
  }
};

TEST_P(GpuGraphs, EveryFunctionOfEveryToolIsWithinItsBound) {
  NeuronGraphBuilder builder;
  builder.add_input("x");
  builder.add_input("y");
  for (const NamedFunction& named : named_functions()) {
    const std::uint32_t node = builder.add_neuron(std::string(named.name), named.function, {.bias = 0.125});
    builder.add_edge(0, node, 1);
    builder.add_edge(1, node, 0.25);
    builder.add_output(node);
  }
  const Network network = network_of({builder.finish()});
  std::mt19937 random(1);
  for (const float size : {1.0f, 8.0f, 60.0f}) expect_right(network, {random_inputs({256, 2}, random, size)});
}

TEST_P(GpuGraphs, EveryAggregationTakesAnyNumberOfEdges) {
  NeuronGraphBuilder builder;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (int k = 0; k < 6; ++k) builder.add_input("x" + std::to_string(k));
  for (int aggregation = 0; aggregation < 7; ++aggregation)
    for (std::uint32_t edges = 0; edges <= 13; ++edges) {
      const std::uint32_t node = builder.add_neuron("n" + std::to_string(aggregation) + "_" + std::to_string(edges), {},
                                                    {.aggregation = static_cast<Aggregation>(aggregation), .bias = uniform(random), .response = uniform(random)});
      for (std::uint32_t e = 0; e < edges; ++e) builder.add_edge((e * 5 + edges) % 6, node, uniform(random));
      builder.add_output(node);
    }
  expect_right(network_of({builder.finish()}), {random_inputs({65, 6}, random)});
}

TEST_P(GpuGraphs, PopulationsOfDifferentMembersTakeAnyNumberOfInputs) {
  for (const Update update : {Update::feed_forward, Update::stepwise, Update::continuous}) {
    std::mt19937 random(3);
    std::vector<NeuronGraph> graphs;
    for (unsigned m = 0; m < 6; ++m) graphs.push_back(random_graph({.update = update, .neurons = 35 + 7 * (m % 4), .outputs = 1 + m, .functions = 5, .only_smooth = true}, random));
    const Network network = network_of(graphs);
    Session session = compile(network, {.device = device()}).open();
    for (const std::size_t batch : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, std::size_t{65}, std::size_t{300}}) {
      const std::vector<TypedTensor> inputs{update == Update::feed_forward ? random_inputs({batch, 5}, random) : random_inputs({3, batch, 5}, random)};
      const auto outputs = session.run(inputs);
      ASSERT_EQ(outputs.size(), graphs.size());
      EXPECT_EQ(outputs[1].shape.back(), 2u);
      if (batch == 0) continue;
      const Verdict verdict = check_outputs(network, inputs, outputs);
      EXPECT_TRUE(verdict.right) << "update " << static_cast<int>(update) << ", " << batch << " inputs: " << verdict.sentence;
    }
  }
}

TEST_P(GpuGraphs, MembersMayDifferInTheirWayOfUpdatingAndInTheirInputs) {
  std::mt19937 random(4);
  Network network;
  std::vector<TypedTensor> inputs;
  for (std::uint32_t m = 0; m < 3; ++m) {
    NeuronGraph graph = random_graph({.update = static_cast<Update>(m), .inputs = 2 + m, .functions = 5, .only_smooth = true}, random);
    const ValueId input = network.add_value("x" + std::to_string(m), {{graph.inputs}});
    const ValueId output = network.add_value("y" + std::to_string(m), {{static_cast<std::uint32_t>(graph.outputs.size())}});
    network.operators.push_back({std::move(graph), {input}, output});
    if (m == 0) network.input = input, network.output = output;
    else network.other_inputs.push_back(input), network.other_outputs.push_back(output);
    inputs.push_back(random_inputs({4, 40, 2 + m}, random));
  }
  verify(network);
  expect_right(network, inputs);
}

TEST_P(GpuGraphs, StateIsKeptFromRunToRunIfAsked) {
  for (const Update update : {Update::stepwise, Update::continuous}) {
    std::mt19937 random(13);
    const GraphKind kind{.update = update, .functions = 5, .only_smooth = true};
    const Network network = network_of({random_graph(kind, random), random_graph(kind, random)});
    const TypedTensor sequence = random_inputs({3, 70, 5}, random);
    const Program program = compile(network, {.device = device()});
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
}

TEST_P(GpuGraphs, WeightsChangeWithoutPlanningAgain) {
  std::mt19937 random(11);
  const NeuronGraph first = random_graph({.neurons = 40, .functions = 5, .only_smooth = true}, random);
  NeuronGraph second = first;
  std::vector<double> weights(first.weights.begin(), first.weights.end());
  for (double& weight : weights) weight = -0.5 * weight;
  second.weights = weights;
  const std::vector<TypedTensor> inputs{random_inputs({20, 5}, random)};
  const auto changed = compile(network_of({first}), {.device = device()}).with_weights(network_of({second})).open().run(inputs);
  EXPECT_TRUE(have_same_bits(changed[0], run(network_of({second}), inputs)[0]));
}

/// Levels of `width` neurons with 8 edges each, and a last one that reads them all.
NeuronGraph wide_graph(Update update, int levels, int width, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  NeuronGraphBuilder builder(update);
  for (int k = 0; k < 5; ++k) builder.add_input("");
  std::uint32_t begin = 0, end = 5;
  for (int level = 0; level < levels; ++level) {
    for (int k = 0; k < width; ++k) {
      const std::uint32_t node = builder.add_neuron("", *find_function(random() % 2 == 0 ? "tanh" : "relu"), {.bias = uniform(random), .time_constant = 0.1});
      for (int e = 0; e < 8; ++e) builder.add_edge(static_cast<std::uint32_t>(begin + random() % (end - begin)), node, uniform(random));
    }
    begin = end;
    end += static_cast<std::uint32_t>(width);
  }
  const std::uint32_t last = builder.add_neuron("", {});
  for (std::uint32_t node = begin; node < end; ++node) builder.add_edge(node, last, uniform(random) / width);
  builder.add_output(last);
  builder.set_steps(update == Update::feed_forward ? 1 : 3);
  return builder.finish();
}

TEST_P(GpuGraphs, ALargeGraphIsRunLevelByLevel) {
  for (const Update update : {Update::feed_forward, Update::continuous}) {
    std::mt19937 random(3);
    const Network network = network_of({wide_graph(update, 3, 1000, random)});
    const std::vector<TypedTensor> inputs{random_inputs({2, 33, 5}, random)};
    expect_right(network, inputs);
  }
}

TEST_P(GpuGraphs, AStateLargerThanSharedMemoryIsInGlobalMemory) {
  for (const Update update : {Update::feed_forward, Update::stepwise}) {
    std::mt19937 random(5);
    const Network network = network_of({wide_graph(update, 40, 50, random), wide_graph(update, 39, 50, random)});
    const Program program = compile(network, {.device = device()});
    EXPECT_NE(program.explain().find("state in global memory"), std::string::npos) << program.explain();
    const std::vector<TypedTensor> inputs{random_inputs({70, 5}, random)};
    const Verdict verdict = check_outputs(network, inputs, program.open().run(inputs));
    EXPECT_TRUE(verdict.right) << verdict.sentence;
  }
}

TEST_P(GpuGraphs, InputsInDoubleAreTakenAndOutputsHeldStayAsTheyAre) {
  std::mt19937 random(9);
  const Network network = network_of({random_graph({.functions = 5, .only_smooth = true}, random)});
  const TypedTensor first = random_inputs({4, 5}, random);
  const std::vector<double> doubles(first.as<float>().begin(), first.as<float>().end());
  Session session = compile(network, {.device = device()}).open();
  const auto held = session.run(std::vector<TypedTensor>{first});
  const std::vector<std::byte> before(held[0].bytes.begin(), held[0].bytes.end());
  EXPECT_TRUE(have_same_bits(session.run(std::vector<TypedTensor>{make_tensor<double>({4, 5}, std::span<const double>(doubles))})[0], held[0]));
  session.run(std::vector<TypedTensor>{random_inputs({4, 5}, random)});
  EXPECT_EQ(std::memcmp(before.data(), held[0].bytes.data(), before.size()), 0);
}

template <typename Error, typename Work>
std::string message(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_P(GpuGraphs, WhatGpusDoNotRunIsRefusedWithASentence) {
  std::mt19937 random(6);
  const NeuronGraph graph = random_graph({.neurons = 5}, random);
  const Network network = network_of({graph});
  EXPECT_EQ(message<Unsupported>([&] { compile(network, {.device = device(), .precision = "f64"}); }),
            "GPUs compute neuron graphs in f32; exact answers (f64) come from the cpu: --device cpu");
  EXPECT_EQ(message<Unsupported>([&] { compile(network, {.device = device(), .kernel = "baked"}); }), "neuron graphs have the table kernel only; leave --kernel out");
  EXPECT_EQ(message<InputError>([&] { run(network, {random_inputs({3, 4}, random)}); }), "the input x has shape 3x4; expected inputs x 5, or steps x inputs x 5");
  NeuronGraphBuilder builder;
  builder.add_input("x");
  builder.add_output(builder.add_neuron("large", {}));
  builder.add_edge(0, 1, 1e300);
  EXPECT_EQ(message<Unsupported>([&] { compile(network_of({builder.finish()}), {.device = device()}); }),
            "y0: a weight or bias of large is beyond what a float holds; compile it in f64 for the cpu");
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, GpuGraphs, testing::ValuesIn(gpu_devices()), gpu_device_name);

}  // namespace
}  // namespace lacuna::tests
