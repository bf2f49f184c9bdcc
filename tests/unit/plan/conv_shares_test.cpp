#include "plan/conv_shares.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/random_conv.hpp"

namespace lacuna::tests {
namespace {

using rows::Planes;

struct Cut {
  Planes planes;
  std::vector<plan::ConvShare> shares;
};

/// A 1x1 convolution of one channel among threads, in tiles of one vector of 16 lanes.
Cut cut(std::uint32_t height, std::uint32_t width, std::uint32_t halo, unsigned threads) {
  const ConvCase wanted{.group_channels = 1, .output_channels = 1, .extents = {height, width}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 1};
  std::mt19937 random(1);
  const Planes planes = rows::planes_for(input_shape(wanted), halo, halo);
  const rows::ConvRows rows = rows::lower_conv(random_conv(wanted, random), planes, planes);
  return {planes, plan::make_shares({rows, planes, nullptr}, {16, 1, false}, {{1}, 2.0}, threads)};
}

TEST(ConvShares, EveryThreadBeginsWhereALineBegins) {
  for (unsigned threads : {2u, 3u, 4u}) {
    const Cut made = cut(56, 56, 1, threads);
    ASSERT_EQ(made.shares.size(), threads);
    for (const plan::ConvShare& share : made.shares) {
      ASSERT_FALSE(share.tiles.empty());
      for (const cpu::ConvTile& tile : share.tiles) {
        const bool ends_the_plane = &tile == &made.shares.back().tiles.back();
        EXPECT_TRUE(ends_the_plane || (tile.destination - static_cast<std::int64_t>(made.planes.origin)) % 16 == 0) << threads << " threads, tile at " << tile.destination;
      }
    }
  }
}

TEST(ConvShares, EveryPixelAndEveryGapHasOneOwner) {
  for (std::uint32_t halo : {1u, 2u, 3u})
    for (std::uint32_t width : {14u, 15u, 28u, 31u, 56u}) {
      SCOPED_TRACE(testing::Message() << "rows of " << width << ", halo " << halo);
      const Cut made = cut(28, width, halo, 2);
      ASSERT_EQ(made.shares.size(), 2u);
      std::set<std::int64_t> pixels, gaps;
      for (const plan::ConvShare& share : made.shares) {
        std::set<std::int64_t> own;
        for (const cpu::ConvTile& tile : share.tiles)
          for (std::int64_t lane = 0; lane < 16; ++lane) own.insert(tile.destination + lane);
        for (std::int64_t lane : own) EXPECT_TRUE(pixels.insert(lane).second) << "float " << lane << " is written by both threads";
        for (const plan::Gap& gap : plan::gaps_of(made.planes, share.tiles, 16)) EXPECT_TRUE(gaps.insert(gap.begin).second) << "the gap at " << gap.begin << " has two owners";
      }
      for (std::size_t y = 0; y < made.planes.height; ++y)
        for (std::size_t x = 0; x < width; ++x) EXPECT_TRUE(pixels.contains(static_cast<std::int64_t>(made.planes.at(0, 0, y, x)))) << "row " << y << ", column " << x;
      EXPECT_EQ(gaps.size(), made.planes.height);
    }
}

TEST(ConvShares, LanesInGapsAreNotWantedAndTheRestOfGapsIsLeft) {
  for (std::uint32_t width : {7u, 14u, 31u}) {
    Cut made = cut(9, width, 1, 1);
    std::vector<cpu::ConvTile>& tiles = made.shares[0].tiles;
    const std::vector<plan::Gap> gaps = plan::gaps_of(made.planes, tiles, 16), left = plan::blank_gaps(gaps, tiles, 16);
    std::set<std::int64_t> in_gaps, zeroed, wanted, blanked;
    for (const plan::Gap& gap : gaps)
      for (std::int64_t k = 0; k < gap.length; ++k) in_gaps.insert(gap.begin + k);
    for (const plan::Gap& gap : left)
      for (std::int64_t k = 0; k < gap.length; ++k) EXPECT_TRUE(zeroed.insert(gap.begin + k).second);
    for (const cpu::ConvTile& tile : tiles)
      for (std::int64_t lane = 0; lane < 16; ++lane) {
        const bool is_wanted = (tile.wanted[0] >> lane & 1) != 0;
        EXPECT_NE(is_wanted, in_gaps.contains(tile.destination + lane));
        EXPECT_FALSE(zeroed.contains(tile.destination + lane)) << "zeroed twice";
        (is_wanted ? wanted : blanked).insert(tile.destination + lane);
      }
    EXPECT_EQ(wanted.size(), std::size_t{9} * width);
    blanked.merge(zeroed);
    EXPECT_EQ(in_gaps, blanked) << "every gap is blanked or left over";
  }
}

}  // namespace
}  // namespace lacuna::tests
