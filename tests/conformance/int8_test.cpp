// Quantised networks against the reference: with bytes where the CPU has VNNI, with floats elsewhere, the same answer within a step.
#include <gtest/gtest.h>

#include <algorithm>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>

#include "dense/layout.hpp"
#include "engine/precision.hpp"
#include "reference/reference.hpp"
#include "support/quantised_network.hpp"

namespace lacuna {
namespace {

using test::ConvSpec;
using test::QuantisedNetwork;

constexpr float step = 0.05f;

void expect_a_step_at_most(ElementType type, int zero, const ConvSpec& spec, Shape input) {
  QuantisedNetwork net(type, 11, std::move(input));
  const ValueId bytes = net.quantise(net.input(), QuantisedNetwork::default_scale, zero);
  net.dequantise(net.quantise(net.int8_conv(net.dequantise(bytes), spec), step, zero), step);
  const TypedTensor given = net.random_input();
  const auto expected = reference::evaluate(net.network(), std::span(&given, 1));
  for (const unsigned threads : {1u, 2u}) {
    const Program program = compile(net.network(), {.threads = threads, .tune = "off"});
    const auto layers = program.layers();
    EXPECT_EQ(std::any_of(layers.begin(), layers.end(), [](const LayerReport& layer) { return layer.precision == "int8"; }), dense::has_vnni());
    const auto computed = program.open().run(std::span(&given, 1));
    for (std::size_t k = 0; k < computed[0].size(); ++k) ASSERT_NEAR(computed[0].as<float>()[k], expected[0].as<float>()[k], 1.001f * step);
  }
}

TEST(Int8, EveryKindOfConvolutionIsRightWithinAStep) {
  struct Case {
    ElementType type;
    int zero;
  };
  for (const Case& of : {Case{ElementType::u8, 128}, {ElementType::u8, 117}, {ElementType::i8, 0}, {ElementType::i8, -9}}) {
    expect_a_step_at_most(of.type, of.zero, {.outputs = 16, .sparsity = 0.3}, {{2, 8, 9, 11}});
    expect_a_step_at_most(of.type, of.zero, {.outputs = 5, .kernel = {5, 3}, .stride = 2, .pad = 2, .sparsity = 0.3}, {{1, 3, 12, 9}});
    expect_a_step_at_most(of.type, of.zero, {.outputs = 32, .kernel = {1, 1}, .pad = 0, .sparsity = 0.3, .has_bias = false}, {{1, 33, 7, 7}});
    expect_a_step_at_most(of.type, of.zero, {.outputs = 12, .groups = 12, .sparsity = 0}, {{1, 12, 8, 8}});
    expect_a_step_at_most(of.type, of.zero, {.outputs = 8, .groups = 2, .dilation = 2, .sparsity = 0.3}, {{1, 6, 10, 10}});
    expect_a_step_at_most(of.type, of.zero, {.outputs = 10, .kernel = {}, .sparsity = 0.3}, {{3, 40}});
  }
}

TEST(Int8, BytesStayBytesBetweenLayers) {
  QuantisedNetwork net(ElementType::u8, 7, {{2, 4, 16, 16}});
  ValueId at = net.quantise(net.input(), QuantisedNetwork::default_scale, 128);
  at = net.quantise(net.int8_conv(net.dequantise(at), {.outputs = 8, .sparsity = 0.3}), step, 128);
  at = net.quantise(net.pool(net.dequantise(at, step)), step, 128);
  at = net.quantise(net.int8_conv(net.dequantise(at, step), {.outputs = 8, .sparsity = 0.3}), 2 * step, 128);
  net.dequantise(at, 2 * step);
  const TypedTensor given = net.random_input();
  const Program program = compile(net.network(), {.threads = 2, .tune = "off"});
  EXPECT_EQ(program.layers().size(), dense::has_vnni() ? 5u : 11u) << "quantise, convolve, pool, convolve, dequantise; or each in floats";
  EXPECT_EQ(program.edges_left(), program.edges()) << "bytes are multiplied as often as floats";
  const Verdict verdict = check_outputs(net.network(), std::span(&given, 1), program.open().run(std::span(&given, 1)), program.tolerance());
  EXPECT_TRUE(verdict.right) << verdict.sentence;
}

TEST(Int8, QuantisedAnswersMayBeAStepOff) {
  QuantisedNetwork net(ElementType::u8, 7);
  net.quantise(net.input());
  EXPECT_EQ(engine::tolerance_of(engine::Precision::f32, net.network()), 5e-2);
}

}  // namespace
}  // namespace lacuna
