// Tests measure for themselves and leave nothing in the user's plan cache.
#include <gtest/gtest.h>

#include <cstdlib>

namespace lacuna::tests {
namespace {

class NoCache : public testing::Environment {
 public:
  void SetUp() override { ::setenv("LACUNA_CACHE", "off", 1); }
};

const auto* const no_cache = testing::AddGlobalTestEnvironment(new NoCache);

}  // namespace
}  // namespace lacuna::tests
