#include "kernel/templates/line_pair_block.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace lacuna::kernel {
namespace {

TEST(LinePairBlock, CombinesThePointsOfBothLinesInRegisters) {
  LinePairBlock block;
  block.name = "pairs";
  block.ending = {0, 1, -1, 1};
  block.outputs = {{0, 64, 0.5f}};
  block.weights = {{0, 0, 0, 2}, {256, 0, 1, 3}, {512, 0, 2, 4}, {512, 0, 3, 5}};
  block.low = 0;
  block.high = std::numeric_limits<float>::infinity();
  EXPECT_EQ(print(build(block)),
            "kernel pairs: 4 sums, 9 constants\n"
            "  s0 = 0.5\n"
            "  s1 = 0\n"
            "  s2 = 0\n"
            "  s3 = 0.5\n"
            "  x = [0]\n"
            "  s0 += 2 * x\n"
            "  x = [256]\n"
            "  s1 += 3 * x\n"
            "  x = [512]\n"
            "  s2 += 4 * x\n"
            "  s3 += 5 * x\n"
            "  x = s1\n"
            "  s0 += x\n"
            "  s3 += 1 * x\n"
            "  x = s2\n"
            "  s0 += x\n"
            "  s3 += -1 * x\n"
            "  x = 0\n"
            "  s0 = max(s0, x)\n"
            "  s3 = max(s3, x)\n"
            "  [out 0] = s0\n"
            "  [out 64] = s3\n");
}

}  // namespace
}  // namespace lacuna::kernel
