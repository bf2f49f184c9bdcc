// Lowering: planes are shared by values that never meet, and zero is followed to the output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rows/sparse_rows.hpp"
#include "support/random_network.hpp"

namespace lacuna::rows {
namespace {

using testing::ElementsAre;

TEST(Lower, AChainNeedsTheTwoWidestNeighbours) {
  const Network network = tests::random_network(10, {{20, 0.3, Activation::relu()}, {5, 0.3, Activation::relu()}, {20, 0.3, Activation::relu()}}, 1);
  const SparseRows rows = lower(network);
  EXPECT_EQ(rows.planes, 30u);
  EXPECT_THAT(rows.groups[0].live_after, ElementsAre(rows.groups[0].destination));
}

TEST(Lower, EqualLayersShareTwoPlaces) {
  const Network network = tests::random_network(8, std::vector<tests::RandomLayer>(10, {8, 0.3, Activation::relu()}), 1);
  EXPECT_EQ(lower(network).planes, 16u);
}

TEST(Lower, ASkippedValueStaysUntilItsLastReader) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 2 relu {
}
b = linear a 2 relu {
}
c = add b x relu
output c
)");
  const SparseRows rows = lower(network);
  EXPECT_EQ(rows.planes, 6u);
  EXPECT_THAT(rows.groups[1].live_after, ElementsAre(rows.input, rows.groups[1].destination));
  EXPECT_THAT(rows.groups[2].residuals, ElementsAre(rows.groups[1].destination, rows.input));
}

TEST(Lower, ZeroStaysZeroOnlyFromTheLastBiasThatBreaksIt) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 2 bias -1 relu {
}
b = linear a 2 bias [-1 0.5] relu {
}
c = linear b 2 bias -1 clip(0,32) {
}
d = linear c 2 tanh {
}
output d
)");
  const SparseRows rows = lower(network);
  std::vector<bool> zero;
  for (const RowGroup& group : rows.groups) zero.push_back(group.zero_from_here);
  EXPECT_THAT(zero, ElementsAre(false, false, true, true));
}

TEST(OrderByLength, PutsRowsOfOneLengthTogetherAndKeepsTheirOrder) {
  const SparseMatrix matrix = make_sparse_matrix(5, 3, {0, 2, 2, 3, 5, 6}, {0, 1, 2, 0, 2, 1}, {1});
  const RowOrder order = order_by_length(matrix);
  EXPECT_THAT(order.rows, ElementsAre(1, 2, 4, 0, 3));
  ASSERT_EQ(order.classes.size(), 3u);
  EXPECT_EQ(order.classes[1].length, 1u);
  EXPECT_EQ(order.classes[1].rows, 2u);
}

TEST(OrderByLength, LeavesRowsAloneWhenTheyAreInOrder) {
  EXPECT_TRUE(order_by_length(make_sparse_matrix(3, 3, {0, 1, 2, 4}, {0, 1, 0, 2}, {1})).rows.empty());
}

}  // namespace
}  // namespace lacuna::rows
