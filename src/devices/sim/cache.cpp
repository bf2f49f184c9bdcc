#include "devices/sim/cache.hpp"

#include <algorithm>
#include <bit>

namespace lacuna::sim {

Cache::Cache(std::size_t bytes, unsigned ways) : ways_(ways), sets_(std::max<std::size_t>(1, bytes / 128 / ways)), entries_(sets_ * ways) {}

void Cache::clear() { std::fill(entries_.begin(), entries_.end(), 0); }

// Real GPUs hash addresses over their slices and sets, so that no stride is bad; so does this.
std::uint64_t* Cache::set_of(std::uint64_t line) {
  const std::uint64_t mixed = (line * 0x9e3779b97f4a7c15u) >> 32;
  return entries_.data() + ((mixed * sets_) >> 32) * ways_;
}

CacheOutcome Cache::access(std::uint64_t line, unsigned sectors, bool is_write) {
  std::uint64_t* const set = set_of(line);
  unsigned way = 0;
  while (way + 1 < ways_ && set[way] >> 8 != line && set[way] != 0) ++way;
  const std::uint64_t old = set[way];
  CacheOutcome outcome;
  std::uint64_t entry = line << 8;
  if (old >> 8 == line && old != 0) {
    entry = old;
  } else {
    outcome.evicted_dirty_sectors = static_cast<unsigned>(std::popcount((old >> 4) & 15));
  }
  outcome.hit_sectors = static_cast<unsigned>(std::popcount(entry & sectors));
  outcome.missed_sectors = static_cast<unsigned>(std::popcount(sectors & ~static_cast<unsigned>(entry & 15)));
  entry |= sectors | (is_write ? sectors << 4 : 0);
  for (; way > 0; --way) set[way] = set[way - 1];
  set[0] = entry;
  return outcome;
}

unsigned Cache::fetch(std::uint64_t line, unsigned sectors) {
  std::uint64_t* const set = set_of(line);
  if (set[0] >> 8 == line && (set[0] & sectors) == sectors) return 0;
  unsigned way = 0;
  while (way + 1 < ways_ && set[way] >> 8 != line && set[way] != 0) ++way;
  const std::uint64_t entry = set[way] >> 8 == line ? set[way] : line << 8;
  const unsigned missing = sectors & ~static_cast<unsigned>(entry & 15);
  for (; way > 0; --way) set[way] = set[way - 1];
  set[0] = entry | sectors;
  return missing;
}

}  // namespace lacuna::sim
