// Where caches are, by the environment; and the hashes that name their files.
#include "base/cache_folder.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "support/environment.hpp"

namespace lacuna::tests {
namespace {

TEST(CacheFolder, TheEnvironmentSaysWhere) {
  const Variable home("HOME", "/home/ada");
  const Variable xdg("XDG_CACHE_HOME", "/var/caches");
  const Variable wish("LACUNA_CACHE", "/tmp/plans");
  EXPECT_EQ(base::cache_folder(), "/tmp/plans");
  const Variable no_wish("LACUNA_CACHE", "");
  EXPECT_EQ(base::cache_folder(), "/var/caches/lacuna");
  const Variable no_xdg("XDG_CACHE_HOME", "");
  EXPECT_EQ(base::cache_folder(), "/home/ada/.cache/lacuna");
  const Variable no_home("HOME", "");
  EXPECT_EQ(base::cache_folder(), "");
}

TEST(CacheFolder, OffMeansNone) {
  const Variable wish("LACUNA_CACHE", "off");
  EXPECT_EQ(base::cache_folder(), "");
}

TEST(Hash, PiecesGiveWhatTheWholeGives) {
  base::Hasher pieces;
  pieces.add("sparse ");
  pieces.add("rows");
  EXPECT_EQ(pieces.finish(), base::hash_text("sparse rows"));
  EXPECT_NE(pieces.finish(), base::hash_text("sparse row"));
  EXPECT_EQ(pieces.finish().size(), 32u);
}

}  // namespace
}  // namespace lacuna::tests
