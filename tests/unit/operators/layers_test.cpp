// Reductions, pooling, convolutions, products and normalisation, with hand-checked values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <lacuna/error.hpp>

#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using Sizes = std::vector<std::size_t>;
using List = std::vector<std::int64_t>;

const TypedTensor cube = floats({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

TEST(Reduce, OverTheLastTheFirstAndTheMiddleAxis) {
  EXPECT_THAT(values_of(run_operator("ReduceSum", {cube, integers({-1})})), ElementsAre(6, 15, 24, 33));
  EXPECT_THAT(values_of(run_operator("ReduceSum", {cube, integers({0})})), ElementsAre(8, 10, 12, 14, 16, 18));
  EXPECT_THAT(values_of(run_operator("ReduceMean", {cube, integers({1})}, {{"keepdims", std::int64_t{0}}})), ElementsAre(2.5f, 3.5f, 4.5f, 8.5f, 9.5f, 10.5f));
  EXPECT_THAT(values_of(run_operator("ReduceMax", {cube, integers({0, 2})})), ElementsAre(9, 12));
  EXPECT_THAT(values_of(run_operator("ReduceMin", {cube})), ElementsAre(1));
  EXPECT_EQ(run_operator("ReduceMin", {cube}).shape, (Sizes{1, 1, 1}));
  EXPECT_EQ(run_operator("ReduceSum", {cube}, {{"noop_with_empty_axes", std::int64_t{1}}}).shape, (Sizes{2, 2, 3}));
  EXPECT_THAT(values_of(run_operator("ReduceL2", {floats({2}, {3, 4})})), ElementsAre(5));
  EXPECT_THAT(values_of(run_operator("ReduceLogSumExp", {floats({2}, {1000, 1000})})), ElementsAre(FloatEq(1000 + std::log(2.0f))));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("ReduceSum", {integers({std::int64_t{1} << 60, 1})})), ElementsAre((std::int64_t{1} << 60) + 1));
  EXPECT_THROW(run_operator("ReduceSum", {cube, integers({1, -2})}), InputError);
}

TEST(Pool, MaximaWithPadsStridesAndCeil) {
  const TypedTensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const List two{2, 2};
  EXPECT_THAT(values_of(run_operator("MaxPool", {x}, {{"kernel_shape", two}})), ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(values_of(run_operator("MaxPool", {x}, {{"kernel_shape", two}, {"strides", two}, {"ceil_mode", std::int64_t{1}}})), ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(values_of(run_operator("MaxPool", {x}, {{"kernel_shape", two}, {"strides", two}, {"pads", List{1, 1, 0, 0}}})), ElementsAre(1, 3, 7, 9));
  EXPECT_THAT(values_of(run_operator("MaxPool", {x}, {{"dilations", two}, {"kernel_shape", two}})), ElementsAre(9));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("MaxPool", {x}, {{"kernel_shape", two}}, 1)), ElementsAre(4, 5, 7, 8));
  EXPECT_EQ(run_operator("MaxPool", {x}, {{"auto_pad", std::string("SAME_UPPER")}, {"kernel_shape", two}, {"strides", two}}).shape, (Sizes{1, 1, 2, 2}));
  EXPECT_THROW(run_operator("MaxPool", {x}, {{"kernel_shape", List{4, 4}}}), InputError);
  EXPECT_THROW(run_operator("MaxPool", {x}, {{"kernel_shape", List{2}}}), InputError);
  EXPECT_THROW(run_operator("MaxPool", {x}, {{"kernel_shape", two}, {"strides", List{0, 1}}}), InputError);
}

TEST(Pool, MeansCountPadsOnlyIfAsked) {
  const TypedTensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const Attributes base{{"kernel_shape", List{2, 2}}, {"pads", List{1, 1, 0, 0}}, {"strides", List{2, 2}}};
  EXPECT_THAT(values_of(run_operator("AveragePool", {x}, base)), ElementsAre(1));
  Attributes counted = base;
  counted.insert(counted.begin(), {"count_include_pad", std::int64_t{1}});
  EXPECT_THAT(values_of(run_operator("AveragePool", {x}, counted)), ElementsAre(0.25f));
  EXPECT_THAT(values_of(run_operator("GlobalAveragePool", {x})), ElementsAre(2.5f));
  EXPECT_THAT(values_of(run_operator("GlobalMaxPool", {x})), ElementsAre(4));
}

TEST(Convolution, OfTheNetworkAndAsACallAgree) {
  const TypedTensor x = floats({1, 2, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  const std::vector<float> weights{1, 0, 0, 1, 2, 2, 2, 2};
  const TypedTensor y = run_operator("Conv", {x, floats({1, 2, 2, 2}, weights), floats({1}, {0.5f})}, {{"pads", List{1, 0, 0, 0}}});
  EXPECT_EQ(y.shape, (Sizes{1, 1, 3, 2}));
  EXPECT_THAT(values_of(y), ElementsAre(4.5f, 3.5f, 10.5f, 10.5f, 14.5f, 18.5f));

  const Conv conv{.weights = weights, .output_channels = 1, .group_channels = 2, .groups = 1, .kernel = {2, 2}, .strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {1, 0},
            .pads_end = {0, 0}, .bias = std::vector<float>{0.5f}, .activation = Activation::clip(4, 12)};
  const Shape shape{{1, 2, 3, 3}};
  const operators::Signature signature{ElementType::f32, operators::infer(conv, shape)};
  EXPECT_EQ(to_string(signature.shape), "1x1x3x2");
  std::vector<float> out(6);
  const std::vector<float> skip{0, 0, 0, 1, 0, 0};
  const operators::TensorView views[] = {{ElementType::f32, &shape, x.bytes.data()},
                                         {ElementType::f32, &signature.shape, reinterpret_cast<const std::byte*>(skip.data())}};
  operators::evaluate(conv, views, signature, reinterpret_cast<std::byte*>(out.data()));
  EXPECT_THAT(out, ElementsAre(4.5f, 4, 10.5f, 11.5f, 12, 12));
  EXPECT_THROW(operators::infer(conv, Shape{{1, 3, 3, 3}}), InputError);
}

TEST(Convolution, WithoutSpatialAxesIsAFullyConnectedLayer) {
  Conv conv;
  conv.weights = std::vector<float>{1, 2, 3, 4};
  conv.output_channels = 2;
  conv.group_channels = 2;
  const Shape shape{{2, 2}};
  const operators::Signature signature{ElementType::f32, operators::infer(conv, shape)};
  const std::vector<float> in{1, 1, 10, 0};
  std::vector<float> out(4);
  const operators::TensorView view{ElementType::f32, &shape, reinterpret_cast<const std::byte*>(in.data())};
  operators::evaluate(conv, {&view, 1}, signature, reinterpret_cast<std::byte*>(out.data()));
  EXPECT_THAT(out, ElementsAre(3, 7, 10, 30));
}

TEST(Product, MatricesAndBatches) {
  const TypedTensor a = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(values_of(run_operator("MatMul", {a, floats({2}, {1, 10})})), ElementsAre(21, 43));
  const TypedTensor batched = run_operator("MatMul", {floats({2, 1, 1, 2}, {1, 2, 3, 4}), floats({1, 2, 2, 1}, {1, 0, 0, 1})});
  EXPECT_EQ(batched.shape, (Sizes{2, 2, 1, 1}));
  EXPECT_THAT(values_of(batched), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values_of(run_operator("Gemm", {a, a, floats({2}, {100, 200})}, {{"alpha", 2.0f}, {"beta", 0.5f}, {"transB", std::int64_t{1}}})),
              ElementsAre(60, 122, 72, 150));
  EXPECT_THAT(values_of(run_operator("Gemm", {a, a}, {{"transA", std::int64_t{1}}})), ElementsAre(10, 14, 14, 20));
  EXPECT_THROW(run_operator("MatMul", {a, floats({3, 2}, {1, 2, 3, 4, 5, 6})}), InputError);
}

TEST(Normalise, SoftmaxAlongAnyAxisDoesNotOverflow) {
  EXPECT_THAT(values_of(run_operator("Softmax", {floats({1, 2}, {1000, 1000})})), ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(values_of(run_operator("Softmax", {floats({2, 2}, {0, 0, 0, std::log(3.0f)})}, {{"axis", std::int64_t{0}}})),
              ElementsAre(0.5f, FloatEq(0.25f), 0.5f, FloatEq(0.75f)));
  EXPECT_THAT(values_of(run_operator("LogSoftmax", {floats({2}, {0, 0})})), ElementsAre(FloatEq(-std::log(2.0f)), FloatEq(-std::log(2.0f))));
}

TEST(Normalise, BatchAndInstance) {
  const TypedTensor x = floats({1, 2, 2}, {1, 3, 10, 30});
  const auto list = [](float a, float b) { return floats({2}, {a, b}); };
  EXPECT_THAT(values_of(run_operator("BatchNormalization", {x, list(2, 1), list(0, 5), list(1, 10), list(4, 100)}, {{"epsilon", 0.0f}})), ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(values_of(run_operator("InstanceNormalization", {x, list(1, 2), list(0, 1)}, {{"epsilon", 0.0f}})), ElementsAre(-1, 1, -1, 3));
}

}  // namespace
}  // namespace lacuna::tests
