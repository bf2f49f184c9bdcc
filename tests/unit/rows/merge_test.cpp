// merge_equal_rows: rows become fewer, terms keep their order, ranges shrink together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/generate.hpp>

#include "rows/sparse_rows.hpp"

namespace lacuna::rows {
namespace {

using testing::ElementsAre;

TEST(MergeEqualRows, ReadersNameTheKeptRowTermByTerm) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 4 bias -1 relu {
  0: 0*1
  1: 1*1
  2: 0*1
  3: 1*1
}
b = linear a 3 relu {
  0: 0*1 1*2 2*3
  1: 0*1 2*2 3*3
  2: 1*1 2*2 3*3
}
y = linear b 1 identity {
  0: 0*1 1*1 2*1
}
output y
)");
  EXPECT_EQ(print(merge_equal_rows(lower(network), 2), true), R"(rows: 9 planes, input [0,2), output [0,1)
group a: [2,4) = relu(W*[0,2)), 2 rows, 2 nonzeros, zero stays zero
  2 = -1 + 1*[0]
  3 = -1 + 1*[1]
group b: [6,9) = relu(W*[2,4)), 3 rows, 9 nonzeros, zero stays zero
  6 = 0 + 1*[2] + 2*[3] + 3*[2]
  7 = 0 + 1*[2] + 2*[2] + 3*[3]
  8 = 0 + 1*[3] + 2*[2] + 3*[3]
group y: [0,1) = identity(W*[6,9)), 1 rows, 3 nonzeros, zero stays zero
  0 = 0 + 1*[6] + 1*[7] + 1*[8]
)");
}

TEST(MergeEqualRows, WhatIsAddedRowByRowKeepsItsRows) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 2 relu {
  0: 0*1
  1: 0*1
}
b = linear a add x 2 relu {
  0: 0*1
  1: 0*1
}
c = add b a relu
output c
)");
  const SparseRows before = lower(network);
  EXPECT_EQ(print(merge_equal_rows(before, 1), true), print(before, true));
}

TEST(MergeEqualRows, LiveRangesShrinkWithTheirGroups) {
  const SparseRows rows = merge_equal_rows(lower(generate_radix({1024, 8, 1})), 2);
  for (std::size_t k = 0; k + 1 < rows.groups.size(); ++k) {
    EXPECT_LE(rows.groups[k].destination.count, 64u);
    EXPECT_THAT(rows.groups[k].live_after, ElementsAre(rows.groups[k].destination));
    EXPECT_EQ(rows.groups[k + 1].source, rows.groups[k].destination);
    EXPECT_EQ(rows.groups[k + 1].weights.columns, rows.groups[k].destination.count);
    EXPECT_EQ(rows.groups[k].weights.nnz(), rows.groups[k].weights.rows * 32) << "no terms are added up";
    EXPECT_TRUE(rows.groups[k].weights.has_one_value());
  }
  EXPECT_EQ(rows.output.count, 1024u);
  EXPECT_EQ(rows.groups.back().weights.rows, 1024u);
}

TEST(MergeEqualRows, NothingIsCopiedWhereNothingMerges) {
  const SparseRows before = lower(generate_general({.neurons = 128, .layers = 3}));
  const SparseRows after = merge_equal_rows(before, 2);
  EXPECT_EQ(print(after, true), print(before, true));
  for (std::size_t k = 0; k < before.groups.size(); ++k) EXPECT_EQ(after.groups[k].weights.values.data(), before.groups[k].weights.values.data());
}

}  // namespace
}  // namespace lacuna::rows
