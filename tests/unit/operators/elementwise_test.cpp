// Operators that work element by element, with hand-checked values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <lacuna/error.hpp>

#include "operators/element.hpp"
#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> map(const std::string& name, const std::vector<float>& values, Attributes attributes = {}) {
  return values_of(run_operator(name, {floats({values.size()}, values)}, std::move(attributes)));
}

TEST(Elementwise, ActivationsAtHandCheckedPoints) {
  EXPECT_THAT(map("Relu", {-2, 0, 3}), ElementsAre(0, 0, 3));
  EXPECT_THAT(map("LeakyRelu", {-2, 3}, {{"alpha", 0.5f}}), ElementsAre(-1, 3));
  EXPECT_THAT(map("HardSigmoid", {-9, 1, 9}, {{"alpha", 0.25f}, {"beta", 0.5f}}), ElementsAre(0, 0.75f, 1));
  EXPECT_THAT(map("HardSwish", {-4, 0, 3, 5}), ElementsAre(0, 0, 3, 5));
  EXPECT_THAT(map("Sigmoid", {0, 100, -100}), ElementsAre(0.5f, 1, FloatNear(0, 1e-30f)));
  EXPECT_THAT(map("Softplus", {0, 100, -200}), ElementsAre(FloatEq(std::log(2.0f)), 100, 0));
  EXPECT_THAT(map("Elu", {-infinity, 2}), ElementsAre(-1, 2));
  EXPECT_THAT(map("Gelu", {0, 1}), ElementsAre(0, FloatNear(0.8413447f, 1e-6f)));
  EXPECT_THAT(map("Gelu", {0, 1}, {{"approximate", std::string("tanh")}}), ElementsAre(0, FloatNear(0.841192f, 1e-6f)));
  EXPECT_THAT(map("Mish", {0, 1}), ElementsAre(0, FloatNear(0.8650984f, 1e-6f)));
  EXPECT_THAT(map("Round", {0.5f, 1.5f, -2.5f}), ElementsAre(0, 2, -2));
  EXPECT_THAT(map("Sign", {-3, 0, 7}), ElementsAre(-1, 0, 1));
}

TEST(Elementwise, IntegersKeepTheirType) {
  const TypedTensor result = run_operator("Abs", {tensor<std::int64_t>({3}, {-5, 0, std::numeric_limits<std::int64_t>::max()})});
  EXPECT_EQ(result.type, ElementType::i64);
  EXPECT_THAT(values_of<std::int64_t>(result), ElementsAre(5, 0, std::numeric_limits<std::int64_t>::max()));
  EXPECT_THAT(values_of<std::uint8_t>(run_operator("Add", {tensor<std::uint8_t>({1}, {250}), tensor<std::uint8_t>({1}, {10})})), ElementsAre(4));
}

TEST(Elementwise, ShapesBroadcastAsInNumPy) {
  const TypedTensor sum = run_operator("Add", {floats({2, 1, 3}, {0, 1, 2, 10, 11, 12}), floats({2, 1}, {100, 200})});
  EXPECT_EQ(sum.shape, (std::vector<std::size_t>{2, 2, 3}));
  EXPECT_THAT(values_of(sum), ElementsAre(100, 101, 102, 200, 201, 202, 110, 111, 112, 210, 211, 212));
  EXPECT_THAT(values_of(run_operator("Mul", {floats({1, 2, 1, 2}, {1, 2, 3, 4}), floats({1, 2, 1, 1}, {10, 100})})), ElementsAre(10, 20, 300, 400));
  EXPECT_THAT(values_of(run_operator("Sub", {scalar(1), floats({2}, {3, 5})})), ElementsAre(-2, -4));
  EXPECT_THAT(values_of(run_operator("Max", {floats({2}, {1, 5}), floats({2, 1}, {2, 6}), scalar(0)})), ElementsAre(2, 5, 6, 6));
  EXPECT_TRUE(values_of(run_operator("Add", {floats({0, 3}, {}), floats({3}, {1, 2, 3})})).empty());
}

TEST(Elementwise, DivisionAndModuloOfIntegers) {
  const auto divide = [](std::int32_t a, std::int32_t b) { return values_of<std::int32_t>(run_operator("Div", {tensor<std::int32_t>({1}, {a}), tensor<std::int32_t>({1}, {b})}))[0]; };
  EXPECT_EQ(divide(-7, 2), -3);
  EXPECT_EQ(divide(std::numeric_limits<std::int32_t>::min(), -1), std::numeric_limits<std::int32_t>::min());
  EXPECT_THROW(divide(1, 0), InputError);
  EXPECT_THAT(values_of<std::int32_t>(run_operator("Mod", {tensor<std::int32_t>({2}, {-7, 7}), tensor<std::int32_t>({2}, {3, -3})})), ElementsAre(2, -2));
}

TEST(Elementwise, ClipTakesBoundsThatMayBeMissing) {
  const TypedTensor x = floats({3}, {-infinity, 0.5f, infinity});
  EXPECT_THAT(values_of(run_operator("Clip", {x, scalar(0), scalar(6)})), ElementsAre(0, 0.5f, 6));
  EXPECT_THAT(values_of(run_operator("Clip", {x, missing, scalar(6)})), ElementsAre(-infinity, 0.5f, 6));
  EXPECT_THAT(values_of(run_operator("Clip", {x})), ElementsAre(-infinity, 0.5f, infinity));
}

TEST(Elementwise, ComparisonsAndWhere) {
  const TypedTensor less = run_operator("Less", {floats({3}, {1, 2, 3}), scalar(2)});
  EXPECT_EQ(less.type, ElementType::boolean);
  EXPECT_THAT(values_of<std::uint8_t>(less), ElementsAre(1, 0, 0));
  EXPECT_THAT(values_of(run_operator("Where", {less, scalar(-1), floats({2, 3}, {1, 2, 3, 4, 5, 6})})), ElementsAre(-1, 2, 3, -1, 5, 6));
  EXPECT_THAT(values_of<std::uint8_t>(run_operator("Not", {less})), ElementsAre(0, 1, 1));
}

TEST(Elementwise, HalfPrecisionRoundsToTheNearestEven) {
  const std::vector<float> values{1, 0.5f, 65504, 65520, 1e-8f, 6e-8f, -2, 1.00048828125f, 1.0009765625f, infinity};
  const TypedTensor half = run_operator("Cast", {floats({values.size()}, values)}, {{"to", std::int64_t{10}}});
  EXPECT_EQ(half.type, ElementType::f16);
  EXPECT_THAT(values_of<std::uint16_t>(half), ElementsAre(0x3c00, 0x3800, 0x7bff, 0x7c00, 0, 1, 0xc000, 0x3c00, 0x3c01, 0x7c00));
  EXPECT_THAT(values_of(run_operator("Cast", {half}, {{"to", std::int64_t{1}}})), ElementsAre(1, 0.5f, 65504, infinity, 0, 0x1p-24f, -2, 1, 1.0009765625f, infinity));
  for (unsigned bits = 0; bits < 0x10000; ++bits) {  // every half comes back
    operators::Float16 value;
    value.bits = static_cast<std::uint16_t>(bits);
    const float wide = value;
    if (!std::isnan(wide)) {
      ASSERT_EQ(operators::Float16(wide).bits, bits);
    }
  }
  const TypedTensor brain = run_operator("Cast", {floats({2}, {1, 3.1415927f})}, {{"to", std::int64_t{16}}});
  EXPECT_THAT(values_of<std::uint16_t>(brain), ElementsAre(0x3f80, 0x4049));
  EXPECT_THAT(values_of<std::uint16_t>(run_operator("Add", {half, half})), ElementsAre(0x4000, 0x3c00, 0x7c00, 0x7c00, 0, 2, 0xc400, 0x4000, 0x4001, 0x7c00));
}

TEST(Elementwise, CastSaturatesAndTruncates) {
  EXPECT_THAT(values_of<std::uint8_t>(run_operator("Cast", {floats({4}, {-1, 3.7f, 300, NAN})}, {{"to", std::int64_t{2}}})), ElementsAre(0, 3, 255, 0));
  EXPECT_THAT(values_of<std::uint8_t>(run_operator("Cast", {floats({3}, {0, 0.3f, -1})}, {{"to", std::int64_t{9}}})), ElementsAre(0, 1, 1));
}

std::string message_of(const std::string& name, const Inputs& inputs, Attributes attributes = {}) {
  try {
    run_operator(name, inputs, std::move(attributes));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Elementwise, MistakesNameTheOperatorAndBothValues) {
  EXPECT_EQ(message_of("Add", {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}), "Add: inputs of 2 and 3 do not fit: extents of an axis must be equal or 1");
  EXPECT_EQ(message_of("Add", {floats({1}, {1}), integers({1})}), "Add: input 1 has elements of i64, but input 0 of f32");
  EXPECT_EQ(message_of("Exp", {integers({1})}), "Exp: elements of i64 in its first input; known are f32, f64, f16, bf16");
  EXPECT_EQ(message_of("Relu", {floats({1}, {1}), floats({1}, {1})}), "Relu: 2 inputs; expected 1 to 1");
  EXPECT_EQ(message_of("Frobnicate", {floats({1}, {1})}), "the operator Frobnicate is not known");
  EXPECT_EQ(message_of("LeakyRelu", {floats({1}, {1})}, {{"alpha", std::int64_t{1}}}), "LeakyRelu: the attribute alpha is an integer; expected a number");
}

}  // namespace
}  // namespace lacuna::tests
