#include "kernel/templates/sparse_row_block.hpp"

#include <gtest/gtest.h>

namespace lacuna::kernel {
namespace {

TEST(SparseRowBlock, ASourceIsLoadedOnceForAllRowsThatReadIt) {
  SparseRowBlock block;
  block.name = "b";
  block.rows = {{1000, 0.5f, {}}, {1032, 0, {2000}}};
  block.nonzeros = {{64, 1, 4}, {32, 0, 2}, {64, 0, 3}};  // in any order
  block.low = 0;
  block.high = 32;
  EXPECT_EQ(print(build(block)), R"(kernel b: 2 sums, 6 constants
  s0 = 0.5
  s1 = 0
  x = [32]
  s0 += 2 * x
  x = [64]
  s0 += 3 * x
  s1 += 4 * x
  x = [2000]
  s1 += x
  x = 0
  s0 = max(s0, x)
  s1 = max(s1, x)
  x = 32
  s0 = min(s0, x)
  s1 = min(s1, x)
  [1000] = s0
  [1032] = s1
)");
}

TEST(SparseRowBlock, ARowKeepsTheOrderOfItsTerms) {
  SparseRowBlock block;
  block.name = "b";
  block.rows = {{96, 1, {}}, {128, 1, {}}};
  block.nonzeros = {{64, 0, 2}, {0, 0, 3}, {0, 0, 4}, {0, 1, 5}, {64, 1, 6}};  // row 0 is neither sorted nor free of repeats
  const std::string text = print(build(block));
  const auto from = text.find("x = [");
  EXPECT_EQ(text.substr(from, text.find("[96]") - from), R"(x = [0]
  s1 += 5 * x
  x = [64]
  s0 += 2 * x
  s1 += 6 * x
  x = [0]
  s0 += 3 * x
  s0 += 4 * x
  )");
}

TEST(SparseRowBlock, OneWeightIsMultipliedAtTheEnd) {
  SparseRowBlock block;
  block.name = "b";
  block.rows = {{96, -0.25f, {}}};
  block.nonzeros = {{0, 0, 0.5f}, {32, 0, 0.5f}};
  block.may_multiply_at_end = true;
  EXPECT_EQ(print(build(block)), R"(kernel b: 1 sums, 2 constants
  s0 = 0
  x = [0]
  s0 += x
  x = [32]
  s0 += x
  x = 0.5
  s0 = s0 * x + -0.25
  [96] = s0
)");
}

TEST(SparseRowBlock, ARowWithoutNonzerosIsItsBias) {
  SparseRowBlock block;
  block.name = "b";
  block.rows = {{0, 1.5f, {}}};
  EXPECT_EQ(print(build(block)), "kernel b: 1 sums, 1 constants\n  s0 = 1.5\n  [0] = s0\n");
}

TEST(SparseRowBlock, PartsSuspendAndResumeInSpacesApart) {
  SparseRowBlock block;
  block.name = "b";
  block.rows = {{1000, 0.5f, {24}, 64}};
  block.nonzeros = {{32, 0, 2}};
  block.low = 0;
  block.spaces_apart = true;
  block.suspends = true;
  EXPECT_EQ(print(build(block)), "kernel b: 1 sums, 2 constants\n  s0 = 0.5\n  x = [32]\n  s0 += 2 * x\n  [partial 64] = s0\n");
  block.suspends = false;
  block.resumes = true;
  EXPECT_EQ(print(build(block)), R"(kernel b: 1 sums, 2 constants
  s0 = [partial 64]
  x = [32]
  s0 += 2 * x
  x = [skip 24]
  s0 += x
  x = 0
  s0 = max(s0, x)
  [out 1000] = s0
)");
}

TEST(SparseRowBlock, AnotherBlockAppendedHasConstantsOfItsOwn) {
  SparseRowBlock block;
  block.name = "first";
  block.rows = {{96, 0.5f, {}}, {128, 0, {}}};
  block.nonzeros = {{0, 0, 2}, {0, 1, 3}};
  block.low = 0;
  Kernel kernel = build(block);
  block.name = "next";
  block.rows = {{160, 0.25f, {}}};
  block.nonzeros = {{32, 0, 4}};
  append(kernel, build(block));
  EXPECT_EQ(print(kernel), R"(kernel first; next: 2 sums, 7 constants
  s0 = 0.5
  s1 = 0
  x = [0]
  s0 += 2 * x
  s1 += 3 * x
  x = 0
  s0 = max(s0, x)
  s1 = max(s1, x)
  [96] = s0
  [128] = s1
  s0 = 0.25
  x = [32]
  s0 += 4 * x
  x = 0
  s0 = max(s0, x)
  [160] = s0
)");
}

}  // namespace
}  // namespace lacuna::kernel
