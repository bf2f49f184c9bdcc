#include "base/hash.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lacuna::base {

struct Hasher::State {
  XXH3_state_t xxh;
};

void Hasher::Free::operator()(State* state) const { delete state; }

Hasher::Hasher() : state_(new State) { XXH3_128bits_reset(&state_->xxh); }

void Hasher::add(const void* data, std::size_t bytes) { XXH3_128bits_update(&state_->xxh, data, bytes); }

std::string Hasher::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hash_text(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.finish();
}

std::uint64_t hash_bytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace lacuna::base
