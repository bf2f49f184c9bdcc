#include "engine/tensors/strip_rows.hpp"

#include <gtest/gtest.h>

namespace lacuna::engine::tensors {
namespace {

TEST(StripRows, EveryRowThatIsReadIsThereAndNoneIsComputedTwice) {
  const std::vector<StageShape> stages{{3, 1, 1, 24}, {3, 1, 1, 24}, {2, 2, 0, 12}};
  for (std::int32_t step : {1, 2, 4, 5})
    for (const auto& [begin, end] : {std::pair{0, 12}, std::pair{0, 6}, std::pair{5, 12}}) {
      std::vector<StripRows> before;
      std::int32_t done = begin;
      for (const std::vector<StripRows>& strip : strip_rows(stages, begin, end, step)) {
        EXPECT_EQ(strip.back().begin, done);
        done = strip.back().end;
        for (std::size_t k = 0; k + 1 < stages.size(); ++k) {
          SCOPED_TRACE(testing::Message() << "stage " << k << ", rows from " << begin << ", step " << step);
          EXPECT_LE(strip[k].held_from, stages[k + 1].reads_from(strip[k + 1].begin));
          EXPECT_GE(strip[k].end, std::min(stages[k + 1].reads_before(strip[k + 1].end), stages[k].height));
          EXPECT_LE(strip[k].end, stages[k].height);
          EXPECT_EQ(strip[k].begin % 2 + strip[k].end % 2, 0);
          if (!before.empty()) {
            EXPECT_EQ(strip[k].begin, before[k].end);
            EXPECT_GE(strip[k].held_from, before[k].held_from);
          }
        }
        before = strip;
      }
      EXPECT_EQ(done, end);
    }
}

TEST(StripRows, PaddingStandsOutsideTheImage) {
  const std::vector<StageShape> stages{{3, 1, 1, 8}, {3, 1, 1, 8}};
  const auto strips = strip_rows(stages, 0, 8, 4);
  ASSERT_EQ(strips.size(), 2u);
  EXPECT_EQ(strips[0][0], (StripRows{0, 6, -1, 6}));
  EXPECT_EQ(strips[1][0], (StripRows{6, 8, 3, 9}));
}

}  // namespace
}  // namespace lacuna::engine::tensors
