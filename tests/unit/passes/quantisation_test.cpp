// Convolutions between dequantised and quantised values: which become convolutions of bytes, and that the answer stays.
#include <gtest/gtest.h>

#include <cmath>

#include "passes/int8_grid.hpp"
#include "passes/pass_list.hpp"
#include "reference/reference.hpp"
#include "support/quantised_network.hpp"

namespace lacuna {
namespace {

using test::ConvSpec;
using test::QuantisedNetwork;

const Call* call_at(const Network& network, std::size_t k) { return std::get_if<Call>(&network.operators.at(k).operation); }

TEST(Int8Grid, HasWhatWasBytes) {
  for (const float step : {1.0f, 0.0078125f, 0.00312f, 1e-12f}) {
    std::vector<float> values;
    for (const int number : {0, 3, -127, 64, 1}) values.push_back(static_cast<float>(number) * step);
    const auto grid = passes::find_int8_grid(values);
    ASSERT_TRUE(grid);
    EXPECT_NEAR(grid->step, step, 1e-6f * step);
    EXPECT_EQ(grid->numbers, (std::vector<std::int8_t>{0, 3, -127, 64, 1}));
  }
}

TEST(Int8Grid, IsAsFineAsBytesAllow) {
  const auto grid = passes::find_int8_grid(std::vector<float>{0.0f, -0.5f, 1.0f});  // 63 steps up and down, not one
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->numbers, (std::vector<std::int8_t>{0, -63, 126}));
  EXPECT_FLOAT_EQ(grid->step, 1.0f / 126);
}

TEST(Int8Grid, IsNotThereForOtherNumbers) {
  EXPECT_FALSE(passes::find_int8_grid(std::vector<float>{1.0f, 0.7071068f, 0.3183099f}));
  EXPECT_FALSE(passes::find_int8_grid(std::vector<float>{1.0f, HUGE_VALF}));
  EXPECT_TRUE(passes::find_int8_grid(std::vector<float>(3, 0.0f)));
}

TEST(FuseQuantisation, AConvolutionOfBytesGivesTheSameAnswer) {
  for (const ElementType type : {ElementType::u8, ElementType::i8}) {
    QuantisedNetwork net(type, 5);
    ValueId at = net.quantise(net.input());
    at = net.quantise(net.int8_conv(net.dequantise(at), {.outputs = 6, .stride = 2, .sparsity = 0.5}), 0.05f);
    at = net.quantise(net.int8_conv(net.dequantise(at, 0.05f), {.outputs = 4, .kernel = {1, 1}, .pad = 0}), 0.1f);
    net.dequantise(at, 0.1f);
    const Network fused = passes::fuse_quantisation(net.network());
    ASSERT_EQ(fused.operators.size(), 4u);
    EXPECT_EQ(call_at(fused, 1)->name, "QLinearConv");
    EXPECT_EQ(call_at(fused, 2)->name, "QLinearConv");
    verify(fused);
    const TypedTensor given = net.random_input();
    const auto before = reference::evaluate(net.network(), std::span(&given, 1)), after = reference::evaluate(fused, std::span(&given, 1));
    for (std::size_t k = 0; k < before[0].size(); ++k) ASSERT_NEAR(before[0].as<float>()[k], after[0].as<float>()[k], 0.1f + 1e-5f) << "one step";
  }
}

TEST(FuseQuantisation, AFullyConnectedLayerIsAConvolutionOfOnePixel) {
  QuantisedNetwork net(ElementType::u8, 5, {{3, 20}});
  const ValueId at = net.quantise(net.int8_conv(net.dequantise(net.quantise(net.input())), {.outputs = 7, .kernel = {}}), 0.1f);
  net.dequantise(at, 0.1f);
  const Network fused = passes::fuse_quantisation(net.network());
  ASSERT_EQ(fused.operators.size(), 5u);  // quantise, reshape, convolve, reshape, dequantise
  EXPECT_EQ(call_at(fused, 2)->name, "QLinearConv");
  EXPECT_EQ(fused.value(fused.operators[3].output).shape, (Shape{{3, 7}}));
}

TEST(FuseQuantisation, WhatMovesElementsMovesBytes) {
  QuantisedNetwork net(ElementType::u8, 5);
  const ValueId pooled = net.pool(net.dequantise(net.quantise(net.input())));
  net.dequantise(net.quantise(pooled));
  const Network fused = passes::fuse_quantisation(net.network());
  ASSERT_EQ(fused.operators.size(), 3u);
  EXPECT_EQ(call_at(fused, 1)->name, "MaxPool");
  EXPECT_EQ(fused.value(fused.operators[1].output).type, ElementType::u8);
}

TEST(FuseQuantisation, LeavesAloneWhatBytesCannotHold) {
  const auto operators_of = [](const auto& between) {
    QuantisedNetwork net(ElementType::u8, 5);
    net.dequantise(between(net, net.dequantise(net.quantise(net.input()))), 0.05f);
    return passes::fuse_quantisation(net.network()).operators.size();
  };
  const auto conv_then = [&](ConvSpec spec, float scale, std::uint8_t zero) {
    return operators_of([&](QuantisedNetwork& net, ValueId at) { return net.quantise(net.int8_conv(at, spec), scale, zero); });
  };
  EXPECT_EQ(conv_then({.activation = Activation::relu()}, 0.05f, 0), 3u) << "zero is the least byte: relu is what bytes do";
  EXPECT_EQ(conv_then({.activation = Activation::relu()}, 0.05f, 100), 5u) << "bytes below the zero point would be negative";
  EXPECT_EQ(conv_then({.activation = Activation::clip(0, 6)}, 6.0f / 255, 0), 3u);
  EXPECT_EQ(conv_then({.activation = Activation::clip(0, 6)}, 7.0f / 255, 0), 5u) << "bytes reach 7, the clip 6";
  EXPECT_EQ(conv_then({.activation = Activation::tanh()}, 0.05f, 0), 5u);
  EXPECT_EQ(operators_of([](QuantisedNetwork& net, ValueId at) { return net.quantise(net.float_conv(at), 0.05f); }), 5u) << "weights that are no bytes";
}

TEST(FuseQuantisation, NamesThatAreTakenStayWhoseTheyAre) {
  QuantisedNetwork net(ElementType::u8, 5);
  const ValueId at = net.quantise(net.int8_conv(net.dequantise(net.quantise(net.input())), {.outputs = 3}), 0.05f);
  net.rename(net.input(), net.network().value(at).name + ".weights");
  const Network fused = passes::fuse_quantisation(net.network());
  EXPECT_EQ(fused.operators.size(), 2u);
  verify(fused);
}

TEST(FuseQuantisation, AChannelOfZerosKeepsItsBias) {
  QuantisedNetwork net(ElementType::u8, 5);
  const ValueId at = net.quantise(net.int8_conv(net.dequantise(net.quantise(net.input())), {.outputs = 3, .sparsity = 1}), 0.05f);
  net.dequantise(at, 0.05f);
  const TypedTensor given = net.random_input();
  const auto before = reference::evaluate(net.network(), std::span(&given, 1)), after = reference::evaluate(passes::fuse_quantisation(net.network()), std::span(&given, 1));
  EXPECT_TRUE(std::equal(before[0].bytes.begin(), before[0].bytes.end(), after[0].bytes.begin(), after[0].bytes.end()));
}

}  // namespace
}  // namespace lacuna
