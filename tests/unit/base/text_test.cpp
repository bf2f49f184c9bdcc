#include "base/text.hpp"

#include <gtest/gtest.h>

namespace lacuna::base {
namespace {

TEST(Text, BytesAreReadAsTheyAreWritten) {
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("64KiB"), 65536u);
  EXPECT_EQ(parse_bytes("1.5 MiB"), 3u << 19);
  EXPECT_EQ(parse_bytes("80GiB"), std::uint64_t{80} << 30);
  for (std::uint64_t bytes : {std::uint64_t{1024}, std::uint64_t{3} << 20, std::uint64_t{7} << 40}) EXPECT_EQ(parse_bytes(human_bytes(bytes)), bytes);
}

TEST(Text, WhatIsNoNumberOfBytesIsNone) {
  for (const char* text : {"", "much", "GiB", "0", "-5", "12 parsecs", "12GB", "4 GiB of it", "1e30", "inf", "nan"}) EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

}  // namespace
}  // namespace lacuna::base
