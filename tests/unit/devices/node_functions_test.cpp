// The functions of neurons on vectors of floats against their definitions in double.
#include <gtest/gtest.h>

#include <cmath>

#include <lacuna/lacuna.hpp>

#include "support/all_isas.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

class NodeFunctions : public testing::TestWithParam<std::string> {};

/// Sixteen units of the last place of the larger of |y| and the function's scale, the bound docs/neuroevolution.md states.
TEST_P(NodeFunctions, AreWithinTheStatedBound) {
  for (const NamedFunction& entry : named_functions()) {
    NeuronGraphBuilder builder;
    builder.add_input("x");
    builder.add_edge(0, builder.add_neuron("y", entry.function), 1);
    builder.add_output(1);
    const Network network = network_of({builder.finish()});
    std::vector<float> places;
    for (int k = -4000; k <= 4000; ++k) places.push_back(static_cast<float>(k) / 256);
    for (const float far : {30.0f, 88.0f, 100.0f, 1e4f, 1e-4f, 1e-20f}) places.insert(places.end(), {far, -far});
    const std::vector<TypedTensor> inputs{make_tensor<float>({places.size(), 1}, std::span<const float>(places))};
    const auto outputs = compile(network, {.isa = GetParam(), .tune = "off"}).open().run(inputs);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double wanted = apply(entry.function, places[k]);
      if (std::abs(wanted) > 1e38) continue;  // beyond float, or close to it
      const double argument = entry.function.slope * places[k] + entry.function.shift;
      const double unit = 1.0 / (1 << 24);
      double bound = 16 * unit * (std::abs(wanted) + std::abs(entry.function.gain) + std::abs(entry.function.offset));
      for (const double moved : {places[k] - 2 * unit * std::abs(argument), places[k] + 2 * unit * std::abs(argument)})
        bound = std::max(bound, 2 * std::abs(apply(entry.function, moved) - wanted) + bound);
      if (!std::isfinite(bound)) continue;
      EXPECT_NEAR(outputs[0].as<float>()[k], wanted, bound) << entry.name << " of " << places[k];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, NodeFunctions, testing::ValuesIn(all_isas()), [](const auto& of) { return of.param; });

TEST(NeuronFunctionNames, AreFoundAndGivenBack) {
  for (const NamedFunction& entry : named_functions()) {
    EXPECT_EQ(find_function(entry.name), entry.function) << entry.name;
    EXPECT_EQ(parse_function(to_string(entry.function)), entry.function) << entry.name;
  }
  const NeuronFunction own{.curve = Curve::sine, .slope = 0.1, .shift = -3, .limit = 7, .bend = 2, .gain = 0.3, .offset = 1e-300};
  EXPECT_EQ(to_string(own), "sine;slope:0.1;shift:-3;limit:7;bend:2;gain:0.3;offset:1e-300");
  EXPECT_EQ(parse_function(to_string(own)), own);
  EXPECT_EQ(parse_function("sine;slope"), std::nullopt);
  EXPECT_EQ(parse_function("sine;pitch:2"), std::nullopt);
  EXPECT_EQ(parse_function("sine;slope:2x"), std::nullopt);
  EXPECT_EQ(parse_function("cosine"), std::nullopt);
}

TEST(NeuronFunctionNames, NoSpellingStandsTwice) {
  const auto list = named_functions();
  for (std::size_t a = 0; a < list.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(list[a].name, list[b].name);
}

}  // namespace
}  // namespace lacuna::tests
