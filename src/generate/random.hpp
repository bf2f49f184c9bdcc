// The random numbers of the generators: integers only, so that a seed gives the same bytes on every machine and
// compiler. xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. Not for secrets.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace lacuna::generate {

/// One step of splitmix64: also a good way to spread a small number over 64 bits.
inline std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Random {
 public:
  /// Streams of one seed are independent: a layer, a group or an input each takes its own and parallel work stays
  /// exact.
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t mixed = splitmix(seed) ^ stream;
    for (std::uint64_t& word : state_) word = splitmix(mixed);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), bound >= 1, without bias (Lemire, 2019).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t rejected = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < rejected) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Uniform in [low, high], both included.
  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(high - low) + 1));
  }

  /// Puts a uniform choice of values.size() >= count elements, in random order, into the first `count` places.
  template <typename T>
  void shuffle_first(std::span<T> values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      std::swap(values[i], values[i + below(static_cast<std::uint32_t>(values.size() - i))]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace lacuna::generate
