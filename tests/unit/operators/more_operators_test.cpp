// Pads, searches, scatter, resize, transposed and quantised operators, with hand-checked values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using Sizes = std::vector<std::size_t>;
using List = std::vector<std::int64_t>;

TEST(Pad, EveryModeReachesOverItsBorder) {
  const TypedTensor x = floats({3}, {1, 2, 3});
  const auto padded = [&](const std::string& mode, const List& pads) { return values_of(run_operator("Pad", {x, integers(pads)}, {{"mode", mode}})); };
  EXPECT_THAT(values_of(run_operator("Pad", {x, integers({1, 2}), scalar(9)})), ElementsAre(9, 1, 2, 3, 9, 9));
  EXPECT_THAT(padded("edge", {2, 1}), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(padded("reflect", {2, 3}), ElementsAre(3, 2, 1, 2, 3, 2, 1, 2));
  EXPECT_THAT(padded("wrap", {1, 2}), ElementsAre(3, 1, 2, 3, 1, 2));
  EXPECT_THAT(padded("constant", {-1, 1}), ElementsAre(2, 3, 0));
  EXPECT_THAT(values_of(run_operator("Pad", {floats({1, 2}, {1, 2}), integers({1, 0}), missing, integers({0})})), ElementsAre(0, 0, 1, 2));
  EXPECT_THROW(padded("constant", {-2, -2}), InputError);
  EXPECT_THROW(padded("constant", {1}), InputError);
}

TEST(Search, FirstOrLastOfEqualsAndTheBestFew) {
  const TypedTensor x = floats({2, 3}, {3, 1, 3, 0, 5, 4});
  EXPECT_THAT(values_of<std::int64_t>(run_operator("ArgMax", {x}, {{"axis", std::int64_t{1}}})), ElementsAre(0, 1));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("ArgMax", {x}, {{"axis", std::int64_t{1}}, {"select_last_index", std::int64_t{1}}})), ElementsAre(2, 1));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("ArgMin", {x}, {{"keepdims", std::int64_t{0}}})), ElementsAre(1, 0, 0));
  EXPECT_THAT(values_of(run_operator("TopK", {x, integers({2})})), ElementsAre(3, 3, 5, 4));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("TopK", {x, integers({2})}, {}, 1)), ElementsAre(0, 2, 1, 2));
  EXPECT_THROW(run_operator("TopK", {x, integers({4})}), InputError);
  EXPECT_THAT(values_of<std::int64_t>(run_operator("NonZero", {floats({2, 2}, {0, 1, 2, 0})})), ElementsAre(0, 1, 1, 0));
  EXPECT_THROW(infer_operator({"NonZero", {}, 0}, {x}, false), Unsupported);
  EXPECT_THAT(values_of(run_operator("CumSum", {x, integers({1})}, {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}})), ElementsAre(4, 3, 0, 9, 4, 0));
}

TEST(Fill, RangesEyesAndOneHots) {
  EXPECT_THAT(values_of<std::int64_t>(run_operator("Range", {integers({5}), integers({-1}), integers({-2})})), ElementsAre(5, 3, 1));
  EXPECT_THROW(run_operator("Range", {integers({0}), integers({1}), integers({0})}), InputError);
  EXPECT_THAT(values_of(run_operator("EyeLike", {floats({2, 3}, {0, 0, 0, 0, 0, 0})}, {{"k", std::int64_t{1}}})), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(values_of(run_operator("OneHot", {integers({1, -1, 7}), integers({3}), floats({2}, {0, 5})})), ElementsAre(0, 5, 0, 0, 0, 5, 0, 0, 0));
}

TEST(Scatter, ReplacesOrCombinesAndChecksIndices) {
  const TypedTensor x = floats({4}, {1, 2, 3, 4});
  const TypedTensor places = tensor<std::int64_t>({2, 1}, {-1, 0});
  EXPECT_THAT(values_of(run_operator("ScatterND", {x, places, floats({2}, {10, 20})})), ElementsAre(20, 2, 3, 10));
  EXPECT_THAT(values_of(run_operator("ScatterND", {x, places, floats({2}, {10, 20})}, {{"reduction", std::string("add")}})), ElementsAre(21, 2, 3, 14));
  EXPECT_THROW(run_operator("ScatterND", {x, tensor<std::int64_t>({1, 1}, {4}), floats({1}, {0})}), InputError);
  EXPECT_THAT(values_of(run_operator("ScatterElements", {x, integers({2, 1}), floats({2}, {7, 8})})), ElementsAre(1, 8, 7, 4));
  EXPECT_THROW(run_operator("ScatterElements", {x, integers({-5}), floats({1}, {7})}), InputError);
}

TEST(Blocks, DepthToSpaceAndBack) {
  const TypedTensor x = floats({1, 4, 1, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  const Attributes two{{"blocksize", std::int64_t{2}}};
  const TypedTensor wide = run_operator("DepthToSpace", {x}, two);
  EXPECT_EQ(wide.shape, (Sizes{1, 1, 2, 4}));
  EXPECT_THAT(values_of(wide), ElementsAre(0, 10, 1, 11, 20, 30, 21, 31));
  EXPECT_EQ(values_of(run_operator("SpaceToDepth", {wide}, two)), values_of(x));
}

TEST(Resize, NearestAndLinear) {
  const TypedTensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const TypedTensor twice = floats({4}, {1, 1, 2, 2});
  const Attributes floor{{"coordinate_transformation_mode", std::string("asymmetric")}, {"nearest_mode", std::string("floor")}};
  EXPECT_THAT(values_of(run_operator("Resize", {x, missing, twice}, floor)), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
  EXPECT_THAT(values_of(run_operator("Resize", {floats({2}, {0, 4}), missing, floats({1}, {2})}, {{"mode", std::string("linear")}})), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(values_of(run_operator("Resize", {floats({2}, {0, 4}), missing, missing, integers({3})},
                                     {{"coordinate_transformation_mode", std::string("align_corners")}, {"mode", std::string("linear")}})),
              ElementsAre(0, 2, 4));
  EXPECT_THROW(run_operator("Resize", {x, missing, floats({4}, {1, 1, -2, 2})}), InputError);
  EXPECT_THROW(run_operator("Resize", {x, missing, floats({4}, {1, 1, 1e30f, 2})}), InputError);
  EXPECT_THROW(run_operator("Resize", {x}), InputError);
  EXPECT_THROW(run_operator("Resize", {x, missing, twice}, {{"coordinate_transformation_mode", std::string("sideways")}}), InputError);
}

TEST(Convolution, TransposedAddsWhereKernelsOverlap) {
  const TypedTensor y = run_operator("ConvTranspose", {floats({1, 1, 2}, {1, 10}), floats({1, 1, 3}, {1, 2, 3})}, {{"strides", List{2}}});
  EXPECT_THAT(values_of(y), ElementsAre(1, 2, 13, 20, 30));
  EXPECT_THAT(values_of(run_operator("ConvTranspose", {floats({1, 1, 2}, {1, 10}), floats({1, 1, 3}, {1, 2, 3})}, {{"pads", List{1, 1}}, {"strides", List{2}}})),
              ElementsAre(2, 13, 20));
}

TEST(Suppress, KeepsTheBestOfOverlappingBoxes) {
  const TypedTensor boxes = floats({1, 3, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 10, 1, 11});
  const TypedTensor scores = floats({1, 1, 3}, {0.9f, 0.75f, 0.6f});
  const TypedTensor y = run_operator("NonMaxSuppression", {boxes, scores, integers({3}), floats({1}, {0.5f}), floats({1}, {0})});
  EXPECT_THAT(values_of<std::int64_t>(y), ElementsAre(0, 0, 0, 0, 0, 2));
}

TEST(Quantised, RoundsToEvenAndKeepsWithinTheType) {
  const TypedTensor scale = floats({}, {2});
  const TypedTensor zero = tensor<std::uint8_t>({}, {128});
  const TypedTensor q = run_operator("QuantizeLinear", {floats({5}, {1, 3, -1000, 1000, 5}), scale, zero});
  EXPECT_THAT(values_of<std::uint8_t>(q), ElementsAre(128, 130, 0, 255, 130));
  EXPECT_THAT(values_of(run_operator("DequantizeLinear", {q, scale, zero})), ElementsAre(0, 4, -256, 254, 4));
  EXPECT_THAT(values_of(run_operator("DequantizeLinear", {q, floats({1}, {2}), zero})), ElementsAre(0, 4, -256, 254, 4)) << "a list of one scale, a single zero point";
  const TypedTensor signed_zero = tensor<std::int8_t>({}, {-100});
  const TypedTensor s = run_operator("QuantizeLinear", {floats({6}, {1, 3, -1e30f, 1e30f, -50, 454}), scale, signed_zero});
  EXPECT_THAT(values_of<std::int8_t>(s), ElementsAre(-100, -98, -128, 127, -125, 127));
  EXPECT_THAT(values_of(run_operator("DequantizeLinear", {s, scale, signed_zero})), ElementsAre(0, 4, -56, 454, -50, 454));
  const TypedTensor product = run_operator("MatMulInteger", {tensor<std::uint8_t>({1, 2}, {11, 12}), tensor<std::int8_t>({2, 1}, {-3, 4}), tensor<std::uint8_t>({}, {10})});
  EXPECT_THAT(values_of<std::int32_t>(product), ElementsAre(5));
}

TEST(List, IsAscendingAndKnowsWhatItLists) {
  const std::vector<std::string_view> names = operators::known_operators();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GT(names.size(), 130u);
  EXPECT_TRUE(operators::is_known("Conv"));
  EXPECT_FALSE(operators::is_known("conv"));
}

}  // namespace
}  // namespace lacuna::tests
