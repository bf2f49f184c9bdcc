#include "store/fingerprint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <lacuna/error.hpp>

#include "base/file_descriptor.hpp"

namespace lacuna::store {

void FingerprintBuilder::add_text(std::string_view text) {
  collected_ += text;
  collected_ += '\0';
}

void FingerprintBuilder::add_file(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw InputError(file.string(), "cannot be examined: " + base::system_message(errno));
  add_text(file.filename().string());
  add_text(fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
}

Fingerprint FingerprintBuilder::finish() const {
  const XXH128_hash_t hash = XXH3_128bits(collected_.data(), collected_.size());
  return {hash.low64, hash.high64};
}

}  // namespace lacuna::store
