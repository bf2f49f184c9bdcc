#include "devices/gpu/usable_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <lacuna/error.hpp>

#include "base/text.hpp"

namespace lacuna::gpu {

std::size_t usable_bytes(const Limits& limits) {
  const std::size_t there = limits.free_bytes == 0 ? std::numeric_limits<std::size_t>::max() : limits.free_bytes - limits.free_bytes / 16;
  const char* const wish = std::getenv("LACUNA_GPU_MEMORY");
  if (wish == nullptr || *wish == '\0') return there;
  const auto bytes = base::parse_bytes(wish);
  if (!bytes) throw InputError(fmt::format("LACUNA_GPU_MEMORY is {}, and should be a number of bytes, like 512MiB or 8GiB", base::quote(wish)));
  return std::min<std::size_t>(there, *bytes);
}

}  // namespace lacuna::gpu
