#include "rows/pair_filter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lacuna::rows {
namespace {

TEST(PairFilter, GivesBothOutputsWithOneMultiplicationForEachPoint) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (std::size_t taps = 1; taps <= most_pair_taps; ++taps) {
    const PairFilter filter = pair_filter(taps);
    ASSERT_EQ(filter.points(), taps + 1);
    std::vector<double> g(taps), d(taps + 1);
    for (double& value : g) value = number(random);
    for (double& value : d) value = number(random);
    double outputs[2] = {0, 0}, expected[2] = {0, 0};
    for (std::size_t p = 0; p < filter.points(); ++p) {
      double weight = 0, input = 0;
      for (std::size_t k = 0; k < taps; ++k) weight += filter.weights[p][k] * g[k];
      for (std::size_t k = 0; k <= taps; ++k) input += filter.inputs[p][k] * d[k];
      outputs[0] += p + 1 < filter.points() ? weight * input : 0;
      outputs[1] += second_ending(p, filter.points()) * weight * input;
    }
    for (std::size_t k = 0; k < taps; ++k) {
      expected[0] += g[k] * d[k];
      expected[1] += g[k] * d[k + 1];
    }
    EXPECT_NEAR(outputs[0], expected[0], 1e-12) << taps << " taps";
    EXPECT_NEAR(outputs[1], expected[1], 1e-12) << taps << " taps";
  }
}

TEST(PairFilter, ShorterFiltersHaveTheFirstPointsOfLongerOnesAndInfinity) {
  EXPECT_EQ(point_among(0, 2, 5), 0u);
  EXPECT_EQ(point_among(1, 2, 5), 4u);
  EXPECT_EQ(point_among(2, 4, 5), 2u);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(second_ending(p, 4), second_ending(point_among(p, 4, 5), 5)) << p;
}

}  // namespace
}  // namespace lacuna::rows
