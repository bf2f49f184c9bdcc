#include "plan/conv_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/random_conv.hpp"

namespace lacuna::tests {
namespace {

using plan::ConvKernelKind;

/// 1x1, 64 channels in; row k of 256 keeps about k / 4 of 64 weights.
rows::ConvRows rows_of_all_lengths(const rows::Planes& in, const rows::Planes& out) {
  const ConvCase wanted{.group_channels = 64, .output_channels = 256, .extents = {8, 8}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 1};
  std::mt19937 random(1);
  Conv conv = random_conv(wanted, random);
  std::vector<float> weights(conv.weights.begin(), conv.weights.end());
  for (std::size_t row = 0; row < 256; ++row)
    for (std::size_t c = 0; c < 64; ++c)
      if (random() % 256 > row) weights[row * 64 + c] = 0;
  conv.weights = std::move(weights);
  return rows::lower_conv(conv, in, out);
}

struct Made {
  rows::Planes in = rows::planes_for(Shape{{1, 64, 8, 8}}, 0, 1), out = rows::planes_for(Shape{{1, 256, 8, 8}}, 0, 1);
  rows::ConvRows rows = rows_of_all_lengths(in, out);

  std::size_t nonzeros(const plan::ConvBlocks& blocks, std::size_t begin, std::size_t end) const {
    return std::accumulate(blocks.order.begin() + blocks.block_begin[begin], blocks.order.begin() + blocks.block_begin[end], std::size_t{0},
                           [&](std::size_t sum, std::uint32_t row) { return sum + rows.row_begin[row + std::size_t{1}] - rows.row_begin[row]; });
  }
};

TEST(ConvBlocks, HalvesOfTheBlocksOfCodeHaveAsManyRowsAndNonzeros) {
  const Made made;
  const plan::ConvBlocks blocks = plan::make_blocks(made.rows, made.out, nullptr, {ConvKernelKind::baked, 1, 16, 32, 1}, 2);
  ASSERT_EQ(blocks.blocks(), 16u);
  std::vector<std::uint32_t> sorted = blocks.order, all(256);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(sorted, all);
  EXPECT_EQ(blocks.block_begin[8], 128u);
  const auto first = static_cast<double>(made.nonzeros(blocks, 0, 8)), second = static_cast<double>(made.nonzeros(blocks, 8, 16));
  EXPECT_NEAR(first / second, 1, 0.05);
}

TEST(ConvBlocks, TogetherBlocksAreAsLargeAndAsManyForEachThread) {
  const Made made;
  const auto sizes = [&](unsigned together, unsigned threads) {
    const plan::ConvBlocks blocks = plan::make_blocks(made.rows, made.out, nullptr, {ConvKernelKind::baked, 1, 28, 32, 1, together}, threads);  // nine blocks of 28 rows, one of 4
    EXPECT_EQ(blocks.rows_at_once, 28u);
    std::vector<std::uint32_t> rows;
    for (std::size_t block = 0; block < blocks.blocks(); ++block) rows.push_back(blocks.block_begin[block + 1] - blocks.block_begin[block]);
    return rows;
  };
  EXPECT_EQ(sizes(4, 1), (std::vector<std::uint32_t>{84, 84, 88}));
  EXPECT_EQ(sizes(4, 2), (std::vector<std::uint32_t>{56, 60, 84, 56}));  // two for each thread
  EXPECT_EQ(sizes(20, 1), (std::vector<std::uint32_t>{256}));
  EXPECT_EQ(sizes(20, 2), (std::vector<std::uint32_t>{140, 116}));
}

TEST(ConvBlocks, RangesOfSourcesHaveAboutAsManyNonzeros) {
  const Made made;
  const plan::ConvBlocks blocks = plan::make_blocks(made.rows, made.out, nullptr, {ConvKernelKind::baked, 1, 16, 32, 5}, 1);
  ASSERT_EQ(blocks.groups(), 5u);
  for (std::size_t group = 0; group < 5; ++group) {
    const auto count = std::count_if(made.rows.nonzeros.begin(), made.rows.nonzeros.end(),
                                     [&](const auto& nonzero) { return nonzero.offset >= blocks.cuts[group] && nonzero.offset < blocks.cuts[group + 1]; });
    EXPECT_NEAR(static_cast<double>(count) * 5 / static_cast<double>(made.rows.nonzeros.size()), 1, 0.1) << "range " << group;
  }
}

}  // namespace
}  // namespace lacuna::tests
