#include "base/memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace lacuna::base {

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace lacuna::base
