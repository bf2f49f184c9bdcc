#include "engine/collector.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace lacuna::engine {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids nobody_follows(std::size_t inputs) {
  Ids leader(inputs);
  std::iota(leader.begin(), leader.end(), 0u);
  return leader;
}

TEST(Collector, RowsComeInTheOrderOfTheShares) {
  Collector collector(6, 2, {});
  collector.expect(3);
  collector.bring(2, {{5}, {50, 51}});
  collector.bring(0, {{1, 0}, {10, 11, 0, 1}});
  collector.bring(1, {});
  Ids leader = nobody_follows(6);
  const Outputs outputs = collector.take(leader);
  EXPECT_EQ(outputs.inputs, 6u);
  EXPECT_EQ(outputs.width, 2u);
  EXPECT_EQ(outputs.survivors, (Ids{0, 1, 5}));
  EXPECT_EQ(outputs.rows, (Ids{1, 0, 2}));
  EXPECT_EQ(outputs.values, (std::vector<float>{10, 11, 0, 1, 50, 51}));
}

TEST(Collector, FollowersShareTheRowOfTheirLastLeader) {
  Collector collector(4, 1, {});
  collector.expect(1);
  collector.bring(0, {{0}, {7}});
  Ids leader{0, 0, 1, 3};  // 2 follows 1, which follows 0; 3 died
  const Outputs outputs = collector.take(leader);
  EXPECT_EQ(outputs.survivors, (Ids{0, 1, 2}));
  EXPECT_EQ(outputs.rows, (Ids{0, 0, 0}));
}

TEST(Collector, TheNextWaveGoesOn) {
  Collector collector(3, 1, {});
  collector.expect(2);
  collector.bring(1, {{2}, {2.5f}});
  collector.bring(0, {});
  collector.expect(1);
  collector.bring(0, {{0}, {0.5f}});
  Ids leader = nobody_follows(3);
  const Outputs outputs = collector.take(leader);
  EXPECT_EQ(outputs.survivors, (Ids{0, 2}));
  EXPECT_EQ(outputs.rows, (Ids{1, 0}));
}

TEST(Collector, UsesTheMemoryOfTheSpareAndNothingElseOfIt) {
  Outputs spare{9, 9, {1, 2, 3}, {4, 5, 6}, std::vector<float>(100, 1.0f)};
  const float* const memory = spare.values.data();
  Collector collector(1, 2, std::move(spare));
  collector.expect(1);
  collector.bring(0, {{0}, {3, 4}});
  Ids leader = nobody_follows(1);
  const Outputs outputs = collector.take(leader);
  EXPECT_EQ(outputs.values.data(), memory);
  EXPECT_EQ(outputs.values, (std::vector<float>{3, 4}));
  EXPECT_EQ(outputs.survivors, (Ids{0}));
  EXPECT_EQ(outputs.rows, (Ids{0}));
  EXPECT_EQ(outputs.inputs, 1u);
}

}  // namespace
}  // namespace lacuna::engine
