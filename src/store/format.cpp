#include "store/format.hpp"

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file_descriptor.hpp"

namespace lacuna::store {

bool is_store(const std::filesystem::path& file) {
  const base::FileDescriptor descriptor = base::open_for_reading(file);
  std::array<char, 8> start{};
  return ::pread(descriptor.number(), start.data(), start.size(), 0) == std::ssize(start) && start == magic;
}

std::uint64_t checksum(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

}  // namespace lacuna::store
