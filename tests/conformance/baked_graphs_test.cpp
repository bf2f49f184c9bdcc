// Neuron graphs as machine code: the reference's answer for every instruction set that has code, sizes around the panel's width, populations, changed weights.
#include <gtest/gtest.h>

#include <random>

#include <lacuna/lacuna.hpp>

#include "support/all_isas.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

/// Sums that end in bounds, two functions to a level, some neurons without edges and sources read twice.
NeuronGraph bounded_graph(std::uint32_t neurons, std::mt19937& random, double scale = 1) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  NeuronGraphBuilder builder(Update::feed_forward);
  for (int k = 0; k < 5; ++k) builder.add_input("");
  const char* const names[] = {"relu", "clamped", "identity"};
  for (std::uint32_t k = 0; k < neurons; ++k) {
    const std::uint32_t node = builder.add_neuron("", *find_function(names[random() % 3]), {.bias = uniform(random), .response = 1 + uniform(random) / 2});
    for (std::size_t e = random() % 7; e > 0; --e) builder.add_edge(static_cast<std::uint32_t>(random() % (5 + k)), node, uniform(random));
  }
  for (std::uint32_t k = neurons - 3; k < neurons; ++k) builder.add_output(5 + k);
  return builder.finish();
}

std::vector<TypedTensor> inputs_for(std::size_t batch, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(batch * 5);
  for (float& value : values) value = uniform(random);
  return {make_tensor<float>({batch, 5}, values)};
}

std::vector<std::string> isas_with_code() {
  std::vector<std::string> isas;
  for (const std::string& isa : all_isas())
    if (isa == "avx2" || isa == "avx512") isas.push_back(isa);
  return isas;
}

TEST(BakedGraphs, AgreeWithTheReference) {
  if (isas_with_code().empty()) GTEST_SKIP() << "no instruction set with baked code";
  for (const std::string& isa : isas_with_code())
    for (unsigned seed = 0; seed < 8; ++seed) {
      std::mt19937 random(seed);
      std::vector<NeuronGraph> graphs;
      for (unsigned member = 0; member < 1 + seed % 3; ++member) graphs.push_back(bounded_graph(4 + 40 * seed, random));
      const Network network = network_of(graphs);
      const Program program = compile(network, {.isa = isa, .threads = 1 + seed % 2, .kernel = "baked"});
      EXPECT_NE(program.print_plan().find("baked"), std::string::npos);
      for (const std::size_t batch : {1u, 15u, 16u, 17u, 64u, 200u}) {
        const std::vector<TypedTensor> inputs = inputs_for(batch, random);
        const Verdict verdict = check_outputs(network, inputs, program.open().run(inputs));
        EXPECT_TRUE(verdict.right) << isa << ", seed " << seed << ", batch " << batch << ": " << verdict.sentence;
      }
    }
}

TEST(BakedGraphs, ChangedWeightsAreInTheCode) {
  if (isas_with_code().empty()) GTEST_SKIP() << "no instruction set with baked code";
  std::mt19937 random(5), again(5);
  const Network first = network_of({bounded_graph(60, random)});
  const Network second = network_of({bounded_graph(60, again, 0.5)});  // the same structure
  const std::vector<TypedTensor> inputs = inputs_for(100, random);
  const Program program = compile(first, {.threads = 1, .kernel = "baked"}).with_weights(second);
  EXPECT_NE(program.print_plan().find("baked"), std::string::npos);
  const Verdict verdict = check_outputs(second, inputs, program.open().run(inputs));
  EXPECT_TRUE(verdict.right) << verdict.sentence;
}

TEST(BakedGraphs, FullTuningTellsTheRatesOfBoth) {
  if (isas_with_code().empty()) GTEST_SKIP() << "no instruction set with baked code";
  std::mt19937 random(5);
  const Network network = network_of({bounded_graph(60, random)});
  const std::string tried = compile(network, {.threads = 1, .tune = "full"}).explain();
  EXPECT_NE(tried.find("lanes, baked 1 vector x "), std::string::npos) << tried;
  EXPECT_EQ(compile(network, {.threads = 1, .tune = "fast"}).explain().find("baked"), std::string::npos) << "code takes too long to make for those who compile every generation";
}

TEST(BakedGraphs, WhatHasNoCodeIsNamed) {
  const auto message = [](const Network& network, const CompileOptions& options) -> std::string {
    try {
      compile(network, options);
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "";
  };
  std::mt19937 random(5);
  const Network bounded = network_of({bounded_graph(20, random)});
  EXPECT_EQ(message(bounded, {.isa = "scalar", .kernel = "baked"}), "kernel \"baked\": there is baked code for avx2 and avx512, not for scalar; ask for auto or table");
  EXPECT_EQ(message(bounded, {.kernel = "dense"}), "neuron graphs have no dense kernel; ask for auto, table or baked");
  if (isas_with_code().empty()) GTEST_SKIP() << "no instruction set with baked code";
  const Network stepwise = network_of({random_graph({.update = Update::stepwise}, random)});
  EXPECT_EQ(message(stepwise, {.kernel = "baked"}),
            "y0: there is baked code for feed-forward graphs of sums that end in bounds (relu, clamped, identity); ask for auto or table");
  EXPECT_EQ(message(bounded, {.isa = "avx2", .panel_lanes = 64, .kernel = "baked"}), "kernel \"baked\": there is no code for panels of 64 lanes; leave the width out");
}

}  // namespace
}  // namespace lacuna::tests
