#include "base/ascending_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace lacuna::base {
namespace {

TEST(AscendingSet, GivesEachNumberOnceInOrderAndIsEmptyThen) {
  std::mt19937 random(3);
  for (const std::uint32_t limit : {1u, 2u, 63u, 64u, 65u, 4096u, 4097u, 300000u, 1u << 25}) {
    AscendingSet set;
    set.resize(limit);
    for (int round = 0; round < 3; ++round) {
      std::set<std::uint32_t> expected;
      for (int k = 0; k < 100; ++k) {
        const auto number = k % 3 == 0 ? limit - 1 : static_cast<std::uint32_t>(random() % limit);
        EXPECT_EQ(set.add(number), expected.insert(number).second) << number << " of " << limit;
      }
      std::vector<std::uint32_t> got;
      set.empty([&](std::uint32_t number) { got.push_back(number); });
      EXPECT_EQ(got, std::vector<std::uint32_t>(expected.begin(), expected.end()));
      set.empty([](std::uint32_t number) { ADD_FAILURE() << number << " is still there"; });
    }
  }
}

}  // namespace
}  // namespace lacuna::base
