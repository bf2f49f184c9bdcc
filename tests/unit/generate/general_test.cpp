#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <set>
#include <vector>

#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

const Linear& layer_of(const Network& network, std::size_t layer) {
  return std::get<Linear>(network.operators[layer].operation);
}

std::string general_error(const GeneralOptions& options) {
  return message_of<InputError>([&] { generate_general(options); });
}

/// One input through the network in double.
std::vector<double> run(const Network& network, std::vector<double> values) {
  for (const Operator& step : network.operators) {
    const Linear& layer = std::get<Linear>(step.operation);
    std::vector<double> next(layer.weights.rows);
    for (std::uint32_t row = 0; row < layer.weights.rows; ++row) {
      double sum = layer.bias[row];
      for (std::size_t e = layer.weights.row_begin[row]; e < layer.weights.row_begin[row + 1]; ++e)
        sum += values[layer.weights.column(e)] * static_cast<double>(layer.weights.value(e));
      next[row] = std::clamp(sum, 0.0, 32.0);
    }
    values = std::move(next);
  }
  return values;
}

TEST(General, KeepsFanInWithinBoundsAndBiasesAtMostZero) {
  const Network network = generate_general({.neurons = 300, .layers = 3, .fan_in_low = 5, .fan_in_high = 9, .seed = 2});
  EXPECT_NO_THROW(verify(network));
  std::set<std::uint32_t> fan_ins;
  for (std::size_t l = 0; l < 3; ++l) {
    const Linear& layer = layer_of(network, l);
    EXPECT_EQ(layer.activation, Activation::clip(0, 32));
    ASSERT_EQ(layer.bias.size(), 300u);
    for (const float bias : layer.bias) EXPECT_TRUE(bias <= 0 && bias >= -0.3f) << bias;
    for (std::uint32_t row = 0; row < 300; ++row)
      fan_ins.insert(layer.weights.row_begin[row + 1] - layer.weights.row_begin[row]);
  }
  EXPECT_EQ(fan_ins, (std::set<std::uint32_t>{5, 6, 7, 8, 9}));
}

TEST(General, HasWeightsOfBothSignsAndNoneZero) {
  const Network network = generate_general({.neurons = 256, .layers = 2});
  const Array<float>& weights = layer_of(network, 1).weights.values;
  ASSERT_EQ(weights.size(), layer_of(network, 1).weights.nnz());
  const auto positive = std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; });
  EXPECT_NEAR(static_cast<double>(positive) / static_cast<double>(weights.size()), 0.51, 0.03);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0f), 0);
  EXPECT_GT(std::set<float>(weights.begin(), weights.end()).size(), weights.size() * 99 / 100);
}

TEST(General, KeepsSignalsAliveAndDifferentThroughManyLayers) {
  const Network network = generate_general({.neurons = 512, .layers = 240, .seed = 3});
  std::vector<double> first(512, 0), second(512, 0);
  for (std::size_t i = 0; i < 512; i += 10) first[i] = second[(i + 5) % 512] = 1;
  first = run(network, first);
  second = run(network, second);
  const auto alive = std::count_if(first.begin(), first.end(), [](double v) { return v > 0; });
  const auto saturated = std::count(first.begin(), first.end(), 32.0);
  EXPECT_GT(alive, 150);
  EXPECT_LT(saturated, 150);
  double largest = 0;
  for (std::size_t i = 0; i < 512; ++i) largest = std::max(largest, std::abs(first[i] - second[i]));
  EXPECT_GT(largest, 1e-3);
}

TEST(General, CapsFanInByTheNumberOfNeurons) {
  const Network network = generate_general({.neurons = 3, .layers = 2});
  for (std::uint32_t row = 0; row < 3; ++row) EXPECT_EQ(layer_of(network, 0).weights.row_begin[row + 1], 3 * (row + 1));
  EXPECT_NO_THROW(verify(generate_general({.neurons = 1, .layers = 1})));
}

TEST(General, GivesTheSameNetworkForTheSameSeedOnly) {
  const GeneralOptions options{.neurons = 100, .layers = 4, .seed = 9};
  GeneralOptions other = options;
  other.seed = 10;
  EXPECT_EQ(hash(generate_general(options)), hash(generate_general(options)));
  EXPECT_NE(hash(generate_general(options)), hash(generate_general(other)));
}

TEST(General, IsTheSameOnEveryMachine) {
  const Linear layer = layer_of(generate_general({.neurons = 64, .layers = 1, .seed = 1}), 0);
  EXPECT_EQ(layer.weights.nnz(), 2118u);
  EXPECT_EQ(layer.weights.column(0), 0u);
  EXPECT_EQ(layer.weights.value(0), -3.610814f);
  EXPECT_EQ(layer.bias[63], -0.22752121f);
}

TEST(General, SaysWhatIsWrongWithItsOptions) {
  EXPECT_EQ(general_error({.neurons = 0}), "0 neurons: a network has at least 1");
  EXPECT_EQ(general_error({.layers = 0}), "0 layers: a network has at least 1");
  EXPECT_EQ(general_error({.fan_in_low = 9, .fan_in_high = 8}), "fan-in from 9 to 8: give 1 <= low <= high");
  EXPECT_EQ(general_error({.fan_in_low = 0, .fan_in_high = 8}), "fan-in from 0 to 8: give 1 <= low <= high");
  EXPECT_EQ(general_error({.neurons = 100000, .fan_in_low = 1, .fan_in_high = 100000}),
            "100000 neurons with fan-in 100000 may have 10000000000 weights in a layer; the limit is 4294967295");
}

}  // namespace
}  // namespace lacuna::tests
