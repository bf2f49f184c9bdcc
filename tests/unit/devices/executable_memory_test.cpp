#include "devices/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace lacuna::cpu {
namespace {

/// "r-xp" of the mapping an address lies in; empty: none.
std::string permissions_at(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 && begin <= place && place < end) return permissions;
  }
  return "";
}

TEST(ExecutableMemory, CodeRunsAndCannotBeWrittenAnyMore) {
#if defined(__x86_64__)
  const std::vector<std::uint8_t> return_42{0xb8, 42, 0, 0, 0, 0xc3};
  ExecutableMemory memory(return_42);
  EXPECT_EQ(memory.entry<int()>()(), 42);
  EXPECT_EQ(permissions_at(reinterpret_cast<const void*>(memory.entry<int()>())), "r-xp");
  const ExecutableMemory moved = std::move(memory);
  EXPECT_EQ(moved.entry<int()>()(), 42);
#else
  GTEST_SKIP() << "the bytes are x86-64 code";
#endif
}

}  // namespace
}  // namespace lacuna::cpu
