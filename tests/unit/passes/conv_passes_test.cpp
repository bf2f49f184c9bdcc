// Passes on convolutions: what they leave, and that the reference gives the same answer before and after.
#include <gtest/gtest.h>

#include "passes/pass_list.hpp"
#include "reference/reference.hpp"
#include "support/tensor_network.hpp"

namespace lacuna {
namespace {

using test::ConvSpec;
using test::TensorNetwork;

void expect_same_answer(const Network& before, const Network& after, const TypedTensor& input) {
  verify(after);
  const auto expected = reference::evaluate(before, std::span(&input, 1));
  const auto computed = reference::evaluate(after, std::span(&input, 1));
  ASSERT_EQ(expected.size(), computed.size());
  const auto a = expected[0].as<float>();
  const auto b = computed[0].as<float>();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-5f * std::max(1.0f, std::abs(a[k]))) << "element " << k;
}

ValueId batch_norm(TensorNetwork& net, ValueId from, std::uint32_t channels) {
  std::vector<ValueId> inputs{from};
  for (int k = 0; k < 4; ++k) {
    std::vector<float> values(channels);
    for (float& value : values) value = k == 3 ? std::abs(net.number()) + 0.5f : net.number();
    inputs.push_back(net.constant({{channels}}, values));
  }
  return net.call("BatchNormalization", inputs, net.network.value(from).shape, {{"epsilon", 1e-3f}});
}

TEST(FoldScales, FoldsBatchNormalisationIntoTheConvolutionBeforeIt) {
  TensorNetwork net({{2, 3, 5, 5}});
  const ValueId conv = net.conv(net.network.input, {.outputs = 4, .has_bias = false});
  batch_norm(net, conv, 4);
  const Network folded = passes::fold_scales(net.network);
  EXPECT_EQ(folded.operators.size(), 1u);
  expect_same_answer(net.network, folded, net.random_input());
}

TEST(FoldScales, FoldsConstantsByChannel) {
  TensorNetwork net({{1, 3, 5, 5}});
  ValueId value = net.conv(net.network.input, {.outputs = 2});
  const Shape shape = net.network.value(value).shape;
  value = net.call("Mul", {value, net.constant({{2, 1, 1}}, {2, -3})}, shape);
  value = net.call("Add", {net.constant({{1, 2, 1, 1}}, {0.5f, 1}), value}, shape);
  value = net.call("Sub", {value, net.constant({{}}, {0.25f})}, shape);
  net.call("Div", {value, net.constant({{1}}, {4})}, shape);
  const Network folded = passes::fold_scales(net.network);
  EXPECT_EQ(folded.operators.size(), 1u);
  expect_same_answer(net.network, folded, net.random_input());
}

TEST(FoldScales, LeavesAConstantMinusTheValueAlone) {
  TensorNetwork net({{1, 3, 5, 5}});
  const ValueId value = net.conv(net.network.input, {.outputs = 2});
  net.call("Sub", {net.constant({{2, 1, 1}}, {2, -3}), value}, net.network.value(value).shape);
  EXPECT_EQ(passes::fold_scales(net.network).operators.size(), 2u);
}

TEST(FoldScales, LeavesAConvolutionThatOthersReadAlone) {
  TensorNetwork net({{1, 3, 5, 5}});
  const ValueId value = net.conv(net.network.input, {.outputs = 3});
  const ValueId normal = batch_norm(net, value, 3);
  net.call("Add", {value, normal}, net.network.value(value).shape);
  const Network folded = passes::fold_scales(net.network);
  ASSERT_EQ(folded.operators.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Conv>(folded.operators[1].operation)) << "a lone normalisation is a convolution of each channel by itself";
  EXPECT_EQ(std::get<Conv>(folded.operators[1].operation).groups, 3u);
  expect_same_answer(net.network, folded, net.random_input());
}

TEST(FuseSkips, AResidualBlockIsTwoConvolutions) {
  TensorNetwork net({{1, 4, 6, 6}});
  const ValueId first = net.conv(net.network.input, {.outputs = 4});
  const ValueId second = net.conv(first, {.outputs = 4});
  net.call("Add", {net.network.input, second}, net.network.value(second).shape);
  const Network fused = passes::fuse_skips(net.network);
  ASSERT_EQ(fused.operators.size(), 2u);
  EXPECT_EQ(fused.operators[1].inputs, (std::vector<ValueId>{first, net.network.input}));
  expect_same_answer(net.network, fused, net.random_input());
}

TEST(FuseSkips, TheConvolutionMovesBehindTheOtherBranch) {
  TensorNetwork net({{1, 4, 6, 6}});
  const ValueId a = net.conv(net.network.input, {.outputs = 4});
  const ValueId b = net.conv(net.network.input, {.outputs = 4, .kernel = {1, 1}, .pad = 0, .activation = Activation::relu()});
  net.call("Add", {a, b}, net.network.value(b).shape);
  const Network fused = passes::fuse_skips(net.network);
  ASSERT_EQ(fused.operators.size(), 2u);
  expect_same_answer(net.network, fused, net.random_input());
}

TEST(FuseSkips, LeavesABroadcastSumAlone) {
  TensorNetwork net({{1, 4, 6, 6}});
  const ValueId a = net.conv(net.network.input, {.outputs = 4});
  const ValueId b = net.call("GlobalAveragePool", {net.network.input}, {{1, 4, 1, 1}});
  net.call("Add", {a, b}, net.network.value(a).shape);
  EXPECT_EQ(passes::fuse_skips(net.network).operators.size(), 3u);
}

TEST(FuseActivations, EachActivationBecomesTheConvolutionsOwn) {
  struct Case {
    std::string name;
    std::vector<std::pair<std::string, Attribute>> attributes;
    Activation expected;
  };
  for (const Case& one : {Case{"Relu", {}, Activation::relu()}, Case{"LeakyRelu", {{"alpha", 0.25f}}, Activation::leaky_relu(0.25f)},
                          Case{"Sigmoid", {}, Activation::sigmoid()}, Case{"Tanh", {}, Activation::tanh()}, Case{"HardSwish", {}, Activation::hard_swish()},
                          Case{"HardSigmoid", {{"alpha", 0.3f}, {"beta", 0.4f}}, Activation::hard_sigmoid(0.3f, 0.4f)}}) {
    TensorNetwork net({{1, 3, 5, 5}});
    const ValueId conv = net.conv(net.network.input, {.outputs = 4});
    net.call(one.name, {conv}, net.network.value(conv).shape, one.attributes);
    const Network fused = passes::fuse_activations(net.network);
    ASSERT_EQ(fused.operators.size(), 1u) << one.name;
    EXPECT_EQ(std::get<Conv>(fused.operators[0].operation).activation, one.expected) << one.name;
    expect_same_answer(net.network, fused, net.random_input());
  }
}

TEST(FuseActivations, ClipWithConstantBounds) {
  TensorNetwork net({{1, 3, 5, 5}});
  const ValueId conv = net.conv(net.network.input, {.outputs = 4});
  net.call("Clip", {conv, net.constant({{}}, {0}), net.constant({{}}, {0.5f})}, net.network.value(conv).shape);
  const Network fused = passes::fuse_activations(net.network);
  ASSERT_EQ(fused.operators.size(), 1u);
  EXPECT_EQ(std::get<Conv>(fused.operators[0].operation).activation, Activation::clip(0, 0.5f));
}

TEST(FuseActivations, AValueTimesItsSigmoidIsSwish) {
  TensorNetwork net({{1, 3, 5, 5}});
  const ValueId conv = net.conv(net.network.input, {.outputs = 4});
  const ValueId gate = net.call("Sigmoid", {conv}, net.network.value(conv).shape);
  net.call("Mul", {conv, gate}, net.network.value(conv).shape);
  const Network fused = passes::fuse_activations(net.network);
  ASSERT_EQ(fused.operators.size(), 1u);
  EXPECT_EQ(std::get<Conv>(fused.operators[0].operation).activation, Activation::swish());
  expect_same_answer(net.network, fused, net.random_input());
}

Conv& conv_of(Network& network, std::size_t op) { return std::get<Conv>(network.operators[op].operation); }

void zero_filter(Network& network, std::size_t op, std::size_t channel, float bias) {
  Conv& conv = conv_of(network, op);
  std::vector<float> weights(conv.weights.begin(), conv.weights.end());
  std::vector<float> biases(conv.bias.begin(), conv.bias.end());
  const std::size_t of_filter = weights.size() / conv.output_channels;
  std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(channel * of_filter), of_filter, 0.0f);
  biases[channel] = bias;
  conv.weights = std::move(weights);
  conv.bias = std::move(biases);
}

TEST(RemoveDeadChannels, DropsFiltersThatAreZero) {
  TensorNetwork net({{1, 3, 6, 6}});
  const ValueId first = net.conv(net.network.input, {.outputs = 5, .activation = Activation::relu()});
  const ValueId pooled = net.call("MaxPool", {first}, {{1, 5, 3, 3}}, {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  net.conv(pooled, {.outputs = 4});
  zero_filter(net.network, 0, 2, -0.5f);  // relu makes it zero
  zero_filter(net.network, 0, 4, 0.5f);   // constant, but the reader has padding
  const Network left = passes::remove_dead_channels(net.network);
  EXPECT_EQ(std::get<Conv>(left.operators[0].operation).output_channels, 4u);
  EXPECT_EQ(std::get<Conv>(left.operators[2].operation).group_channels, 4u);
  EXPECT_EQ(to_string(left.value(pooled).shape), "1x4x3x3");
  expect_same_answer(net.network, left, net.random_input());
}

TEST(RemoveDeadChannels, FoldsConstantChannelsIntoReadersWithoutPadding) {
  TensorNetwork net({{1, 3, 6, 6}});
  const ValueId first = net.conv(net.network.input, {.outputs = 3});
  net.conv(first, {.outputs = 4, .kernel = {1, 1}, .pad = 0});
  zero_filter(net.network, 0, 1, 0.75f);
  const Network left = passes::remove_dead_channels(net.network);
  EXPECT_EQ(std::get<Conv>(left.operators[0].operation).output_channels, 2u);
  expect_same_answer(net.network, left, net.random_input());
}

TEST(RemoveDeadChannels, DropsWhatNobodyReadsAndThenWhatOnlyThatRead) {
  TensorNetwork net({{1, 3, 6, 6}});
  const ValueId first = net.conv(net.network.input, {.outputs = 3, .sparsity = 0});
  const ValueId second = net.conv(first, {.outputs = 2, .kernel = {1, 1}, .pad = 0, .sparsity = 0});
  net.conv(second, {.outputs = 2, .kernel = {1, 1}, .pad = 0, .sparsity = 0});
  conv_of(net.network, 1).weights = std::vector<float>{1, 2, 0, 0, 0, 5};  // channel 2 of the first is read by channel 1 alone
  conv_of(net.network, 2).weights = std::vector<float>{3, 0, 4, 0};        // ... which nobody reads
  const Network left = passes::remove_dead_channels(net.network);
  EXPECT_EQ(std::get<Conv>(left.operators[0].operation).output_channels, 2u);
  EXPECT_EQ(std::get<Conv>(left.operators[1].operation).output_channels, 1u);
  expect_same_answer(net.network, left, net.random_input());
}

TEST(RemoveDeadChannels, KeepsTheNetworksOutputWhole) {
  TensorNetwork net({{1, 3, 6, 6}});
  net.conv(net.network.input, {.outputs = 3});
  zero_filter(net.network, 0, 1, 0);
  EXPECT_EQ(std::get<Conv>(passes::remove_dead_channels(net.network).operators[0].operation).output_channels, 3u);
}

TEST(MergeEqualFilters, ReadersAddTheirWeights) {
  TensorNetwork net({{1, 3, 6, 6}});
  const ValueId first = net.conv(net.network.input, {.outputs = 3, .sparsity = 0, .activation = Activation::relu()});
  net.conv(first, {.outputs = 4, .sparsity = 0});
  Conv& conv = conv_of(net.network, 0);
  std::vector<float> weights(conv.weights.begin(), conv.weights.end());
  std::copy_n(weights.begin(), 27, weights.begin() + 54);
  conv.weights = std::move(weights);
  conv.bias = std::vector<float>{0.5f, 0.1f, 0.5f};
  const Network merged = passes::merge_equal_filters(net.network);
  EXPECT_EQ(std::get<Conv>(merged.operators[0].operation).output_channels, 2u);
  expect_same_answer(net.network, merged, net.random_input());
}

}  // namespace
}  // namespace lacuna
