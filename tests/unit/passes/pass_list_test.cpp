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
  EXPECT_EQ(select_optimisations("all").size(), optimisations().size());
  EXPECT_THAT(select_optimisations("none"), IsEmpty());
  EXPECT_THAT(select_optimisations("dead_inputs,remove_unread_operators"), ElementsAre("remove_unread_operators", "dead_inputs"));
}

TEST(SelectOptimisations, NamesTheListWhenANameIsUnknown) {
  try {
    select_optimisations("dead_inputs,faster");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("no optimisation is called \"faster\"; give all, none, or some of "));
    for (const Optimisation& optimisation : optimisations()) EXPECT_THAT(error.what(), testing::HasSubstr(std::string(optimisation.name)));
  }
}

TEST(PassList, EveryOptimisationHasANameAndASentence) {
  for (const Optimisation& optimisation : optimisations()) {
    EXPECT_FALSE(optimisation.name.empty());
    EXPECT_GT(optimisation.what.size(), 10u);
  }
}

}  // namespace
}  // namespace lacuna
