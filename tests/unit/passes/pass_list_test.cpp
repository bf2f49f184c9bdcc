#include "passes/pass_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

namespace lacuna {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SelectOptimisations, UnderstandsAllNoneAndAChoiceInListOrder) {
  std::vector<std::string> all = select_optimisations("all");
  EXPECT_THAT(all, testing::Not(testing::Contains("merge_equal_rows"))) << "merge_equal_neurons does it";
  EXPECT_EQ(all.size() + 1, optimisations().size());
  EXPECT_THAT(select_optimisations("none"), IsEmpty());
  EXPECT_THAT(select_optimisations("dead_inputs,remove_unread_operators"), ElementsAre("remove_unread_operators", "dead_inputs"));
}

TEST(SelectOptimisations, NamesTheListWhenANameIsUnknown) {
  try {
    select_optimisations("dead_inputs,faster");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("no optimisation is called \"faster\"; give all, bitwise, none, or some of "));
    for (const Optimisation& optimisation : optimisations()) EXPECT_THAT(error.what(), testing::HasSubstr(std::string(optimisation.name)));
  }
}

TEST(SelectOptimisations, BitwiseLeavesOutWhatRoundsDifferently) {
  const std::vector<std::string> bitwise = select_optimisations("bitwise");
  for (const Optimisation& optimisation : optimisations())
    EXPECT_EQ(std::count(bitwise.begin(), bitwise.end(), optimisation.name), optimisation.keeps_bits ? 1 : 0) << optimisation.name;
  EXPECT_THAT(bitwise, testing::IsSupersetOf({"merge_equal_rows", "remove_dead_neurons", "dead_inputs"}));
  EXPECT_THAT(bitwise, testing::Not(testing::Contains("merge_equal_neurons")));
  EXPECT_THAT(bitwise, testing::Not(testing::Contains("fold_constant_neurons")));
}

TEST(PassList, EveryOptimisationHasANameAndASentence) {
  for (const Optimisation& optimisation : optimisations()) {
    EXPECT_FALSE(optimisation.name.empty());
    EXPECT_GT(optimisation.what.size(), 10u);
  }
}

TEST(RunPasses, TellsWhatEachPassChanged) {
  const Network network = parse(R"(lacuna network 1
input x 1
a = linear x 2 relu {
  0: 0*1
  1: 0*1
}
y = linear a 1 relu {
  0: 0*1 1*1
}
output y
)");
  std::vector<std::string> changed, left_alone;
  passes::run_passes(network, passes::serving(select_optimisations("all"), network), {},
                     [&](std::string_view pass, const Network&, double, bool did) { (did ? changed : left_alone).emplace_back(pass); });
  EXPECT_THAT(changed, ElementsAre("merge_equal_neurons"));
  EXPECT_THAT(left_alone, ElementsAre("remove_unread_operators", "fold_constant_neurons", "remove_dead_neurons"));
}

}  // namespace
}  // namespace lacuna
