// Operators that move elements or change shapes, with hand-checked values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include <lacuna/error.hpp>

#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

using testing::ElementsAre;
using Sizes = std::vector<std::size_t>;

TypedTensor counting(Sizes shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return floats(std::move(shape), values);
}

TEST(Movement, ReshapeKeepsFindsAndAllowsZeros) {
  EXPECT_EQ(run_operator("Reshape", {counting({2, 3, 4}), integers({0, -1})}).shape, (Sizes{2, 12}));
  EXPECT_EQ(run_operator("Reshape", {counting({2, 3, 4}), integers({4, 0, 2})}).shape, (Sizes{4, 3, 2}));
  EXPECT_EQ(run_operator("Reshape", {counting({0, 3}), integers({3, 0})}, {{"allowzero", std::int64_t{1}}}).shape, (Sizes{3, 0}));
  EXPECT_THROW(run_operator("Reshape", {counting({2, 3}), integers({-1, -1})}), InputError);
  EXPECT_THROW(run_operator("Reshape", {counting({2, 3}), integers({4, -1})}), InputError);
  EXPECT_THROW(run_operator("Reshape", {counting({2, 3}), integers({std::numeric_limits<std::int64_t>::max(), 2})}), InputError);
  EXPECT_THROW(infer_operator({"Reshape", {}, 0}, {counting({2, 3}), integers({6})}, false), Unsupported);
}

TEST(Movement, FlattenSqueezeUnsqueezeShapeSize) {
  EXPECT_EQ(run_operator("Flatten", {counting({2, 3, 4})}).shape, (Sizes{2, 12}));
  EXPECT_EQ(run_operator("Flatten", {counting({2, 3, 4})}, {{"axis", std::int64_t{0}}}).shape, (Sizes{1, 24}));
  EXPECT_EQ(run_operator("Flatten", {counting({2, 3, 4})}, {{"axis", std::int64_t{3}}}).shape, (Sizes{24, 1}));
  EXPECT_EQ(run_operator("Squeeze", {counting({1, 3, 1})}).shape, (Sizes{3}));
  EXPECT_EQ(run_operator("Squeeze", {counting({1, 3, 1}), integers({-1})}).shape, (Sizes{1, 3}));
  EXPECT_THROW(run_operator("Squeeze", {counting({1, 3}), integers({1})}), InputError);
  EXPECT_EQ(run_operator("Unsqueeze", {counting({3}), integers({-1, 0})}).shape, (Sizes{1, 3, 1}));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("Shape", {counting({2, 3, 4})}, {{"start", std::int64_t{-2}}})), ElementsAre(3, 4));
  EXPECT_THAT(values_of<std::int64_t>(run_operator("Size", {counting({2, 3, 4})})), ElementsAre(24));
}

TEST(Movement, TransposeOfEveryKindMovesTheRightElements) {
  EXPECT_THAT(values_of(run_operator("Transpose", {counting({2, 3})})), ElementsAre(0, 3, 1, 4, 2, 5));
  const Sizes shape{3, 5, 17, 19};  // beyond a tile
  const TypedTensor in = counting(shape);
  std::vector<std::int64_t> order{0, 1, 2, 3};
  do {
    const TypedTensor out = run_operator("Transpose", {in}, {{"perm", order}});
    const std::vector<float> values = values_of(out);
    std::size_t at = 0;
    Sizes p(4);
    for (p[0] = 0; p[0] < out.shape[0]; ++p[0])
      for (p[1] = 0; p[1] < out.shape[1]; ++p[1])
        for (p[2] = 0; p[2] < out.shape[2]; ++p[2])
          for (p[3] = 0; p[3] < out.shape[3]; ++p[3]) {
            Sizes from(4);
            for (std::size_t k = 0; k < 4; ++k) from[static_cast<std::size_t>(order[k])] = p[k];
            ASSERT_EQ(values[at++], static_cast<float>(((from[0] * 5 + from[1]) * 17 + from[2]) * 19 + from[3]));
          }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_THROW(run_operator("Transpose", {in}, {{"perm", std::vector<std::int64_t>{0, 1, 2, 2}}}), InputError);
}

TEST(Movement, SliceStepsBackwardsAndClampsItsBounds) {
  const TypedTensor x = counting({3, 4});
  EXPECT_THAT(values_of(run_operator("Slice", {x, integers({1, 0}), integers({3, 4}), integers({0, 1}), integers({1, 2})})), ElementsAre(4, 6, 8, 10));
  EXPECT_THAT(values_of(run_operator("Slice", {x, integers({-1}), integers({std::numeric_limits<std::int64_t>::min()}), integers({1}), integers({-2})})),
              ElementsAre(3, 1, 7, 5, 11, 9));
  EXPECT_EQ(run_operator("Slice", {x, integers({2}), integers({1}), integers({0})}).shape, (Sizes{0, 4}));
  EXPECT_EQ(run_operator("Slice", {x, integers({-100}), integers({100}), integers({0}), integers({std::numeric_limits<std::int64_t>::max()})}).shape, (Sizes{1, 4}));
  EXPECT_EQ(run_operator("Slice", {counting({0}), integers({5}), integers({-7}), integers({0}), integers({-1})}).shape, (Sizes{0}));
  EXPECT_THROW(run_operator("Slice", {x, integers({0}), integers({1}), integers({2})}), InputError);
  EXPECT_THROW(run_operator("Slice", {x, integers({0}), integers({1}), integers({0}), integers({0})}), InputError);
}

TEST(Movement, ConcatAndSplitAreEachOthersReverse) {
  const TypedTensor x = counting({2, 5});
  Inputs parts;
  for (std::uint32_t k = 0; k < 2; ++k) parts.push_back(run_operator("Split", {x, integers({2, 3})}, {{"axis", std::int64_t{1}}}, k));
  EXPECT_THAT(values_of(*parts[0]), ElementsAre(0, 1, 5, 6));
  EXPECT_EQ(values_of(run_operator("Concat", parts, {{"axis", std::int64_t{-1}}})), values_of(x));
  EXPECT_EQ(run_operator("Split", {counting({7})}, {{"num_outputs", std::int64_t{3}}}, 2).shape, (Sizes{1}));
  EXPECT_THROW(run_operator("Split", {x, integers({2, 2})}, {{"axis", std::int64_t{1}}}), InputError);
  EXPECT_THROW(run_operator("Concat", {counting({2, 5}), counting({3, 4})}, {{"axis", std::int64_t{0}}}), InputError);
}

TEST(Movement, GatherChecksItsIndices) {
  const TypedTensor x = counting({3, 2});
  EXPECT_THAT(values_of(run_operator("Gather", {x, integers({2, -3})})), ElementsAre(4, 5, 0, 1));
  EXPECT_THAT(values_of(run_operator("Gather", {x, tensor<std::int64_t>({}, {1})}, {{"axis", std::int64_t{1}}})), ElementsAre(1, 3, 5));
  EXPECT_THROW(run_operator("Gather", {x, integers({3})}), InputError);
  EXPECT_THAT(values_of(run_operator("GatherElements", {x, tensor<std::int64_t>({1, 2}, {2, -1})})), ElementsAre(4, 5));
  EXPECT_THROW(run_operator("GatherElements", {x, tensor<std::int64_t>({1, 2}, {3, 0})}), InputError);
  EXPECT_THAT(values_of(run_operator("GatherND", {x, tensor<std::int64_t>({2, 2}, {2, 0, 0, -1})})), ElementsAre(4, 1));
  EXPECT_THROW(run_operator("GatherND", {x, tensor<std::int64_t>({1, 2}, {0, 2})}), InputError);
}

TEST(Movement, ExpandAndTileRepeat) {
  EXPECT_THAT(values_of(run_operator("Expand", {floats({2, 1}, {1, 2}), integers({2, 2, 3})})), ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(values_of(run_operator("Tile", {floats({2, 1}, {1, 2}), integers({2, 2})})), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
  EXPECT_THROW(run_operator("Tile", {floats({2}, {1, 2}), integers({std::numeric_limits<std::int64_t>::max()})}), InputError);
  EXPECT_THAT(values_of<std::int64_t>(run_operator("ConstantOfShape", {integers({2}), integers({7})})), ElementsAre(7, 7));
}

}  // namespace
}  // namespace lacuna::tests
