#include "kernel/templates/baked_sources.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace lacuna::kernel {
namespace {

using Kind = BakedStep::Kind;

/// Rows with random edges over the taps of `channels` 3x3 windows on lines of 16 floats.
struct RandomRows {
  RandomRows(std::size_t rows, std::int32_t channels, double density, unsigned seed) : edges(rows) {
    std::mt19937 random(seed);
    std::bernoulli_distribution is_kept(density);
    for (auto& of_row : edges)
      for (std::int32_t channel = 0; channel < channels; ++channel)
        for (std::int32_t tap = 0; tap < 9; ++tap)
          if (is_kept(random)) of_row.push_back({channel * 256 + tap / 3 * 16 + tap % 3 - 17, static_cast<float>(tap + 1)});
    for (std::uint32_t row = 0; row < rows; ++row) list.push_back({row, 0, edges[row]});
  }
  std::vector<std::vector<ConvEdge>> edges;
  std::vector<ConvRow> list;
};

/// Checks what must hold in either order: loaded once and before it is used, rows meet their edges in order, every product once, rows end after their last.
void expect_sound(const RandomRows& rows, const std::vector<std::int32_t>& deltas, std::uint32_t aligned, BakedOrder order) {
  const BakedSources plan = plan_sources(rows.list, deltas, aligned, 1, order);
  std::set<std::int32_t> loaded;
  std::vector<std::vector<std::size_t>> next(rows.list.size(), std::vector<std::size_t>(deltas.size(), 0));
  std::vector<bool> is_finished(rows.list.size(), false);
  std::size_t loads = 0;
  for (const BakedStep& step : plan.steps) {
    if (step.kind == Kind::load) {
      ++loads;
      ASSERT_EQ(((step.element % step.width) + step.width) % step.width, 0) << "a vector that is not aligned";
      ASSERT_LE(step.width, aligned);
      for (std::int32_t k = 0; k < step.width; ++k) loaded.insert(step.element + k);
    } else if (step.kind == Kind::multiply_add) {
      ASSERT_TRUE(loaded.contains(step.element));
      ASSERT_FALSE(is_finished[step.row]);
      const std::size_t edge = next[step.row][step.pixel]++;
      ASSERT_EQ(step.element, rows.edges[step.row][edge].offset + deltas[step.pixel]);
      ASSERT_EQ(step.weight, rows.edges[step.row][edge].weight);
    } else {
      is_finished[step.row] = true;
    }
  }
  for (std::size_t row = 0; row < next.size(); ++row) {
    EXPECT_TRUE(is_finished[row]);
    for (std::size_t done : next[row]) EXPECT_EQ(done, rows.edges[row].size());
  }
  EXPECT_EQ(plan.loads, loads);
}

TEST(BakedSources, EveryProductOnceInTheOrderOfItsRow) {
  for (const BakedOrder order : {BakedOrder::taps_first, BakedOrder::rows_first})
    for (const unsigned seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", order " << static_cast<int>(order));
      const RandomRows rows(9, 4, 0.2, seed);
      expect_sound(rows, {0}, 1, order);
      expect_sound(rows, {0, 1, 2, 3}, 4, order);
      expect_sound(rows, {0, 1, 16, 17}, 2, order);
      expect_sound(rows, {0, 2}, 1, order);
    }
}

TEST(BakedSources, NeighboursComeTogetherInAlignedVectors) {
  const RandomRows rows(4, 1, 1.0, 1);
  // A line of three taps over four pixels reads six floats: one, an aligned vector of four, one.
  EXPECT_EQ(plan_sources(rows.list, std::vector<std::int32_t>{0, 1, 2, 3}, 4, 4, BakedOrder::taps_first).loads, 9u);
  // Over one pixel it reads three, which nothing aligns.
  EXPECT_EQ(plan_sources(rows.list, std::vector<std::int32_t>{0}, 1, 1, BakedOrder::taps_first).loads, 9u);
}

TEST(BakedSources, ASourceIsLoadedOnceForAllRows) {
  const RandomRows one(1, 8, 1.0, 1), many(64, 8, 1.0, 1);
  EXPECT_EQ(plan_sources(one.list, std::vector<std::int32_t>{0}, 1, 1, BakedOrder::taps_first).loads, plan_sources(many.list, std::vector<std::int32_t>{0}, 1, 1, BakedOrder::taps_first).loads);
}

TEST(BakedSources, RegistersAreSumsInOneOrderAndSourcesInTheOther) {
  const RandomRows rows(64, 3, 0.1, 1);
  const std::vector<std::int32_t> deltas{0};
  EXPECT_LE(plan_sources(rows.list, deltas, 1, 1, BakedOrder::taps_first).most_alive, 64u + 9);
  EXPECT_LE(plan_sources(rows.list, deltas, 1, 1, BakedOrder::rows_first).most_alive, 27u + 2);
}

}  // namespace
}  // namespace lacuna::kernel
