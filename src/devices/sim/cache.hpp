// A set-associative cache of lines of 128 bytes in four sectors: which sectors are there, which were written. Holds no data. Least recently used lines leave first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna::sim {

struct CacheOutcome {
  unsigned hit_sectors = 0;
  unsigned missed_sectors = 0;
  unsigned evicted_dirty_sectors = 0;
};

class Cache {
 public:
  Cache(std::size_t bytes, unsigned ways);

  /// `line`: address / 128. `sectors`: one bit each, not 0. Written sectors become dirty and are not read from below: whoever misses reads only.
  CacheOutcome access(std::uint64_t line, unsigned sectors, bool is_write);

  /// As access for reading, for caches that nothing is ever written into: the sectors that were missing.
  unsigned fetch(std::uint64_t line, unsigned sectors);

  void clear();

 private:
  std::uint64_t* set_of(std::uint64_t line);

  unsigned ways_;
  std::size_t sets_;
  std::vector<std::uint64_t> entries_;  ///< most recently used first in each set: line << 8 | dirty << 4 | valid; 0: nothing
};

}  // namespace lacuna::sim
