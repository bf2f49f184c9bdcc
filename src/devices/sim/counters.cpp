#include "devices/sim/counters.hpp"

namespace lacuna::sim {

std::string_view name(Kind kind) {
  static constexpr std::array<std::string_view, kind_count> names = {
      "multiply_add", "floating",      "integer",    "special_function", "convert", "move",     "load_global", "store_global", "load_shared",
      "store_shared", "load_constant", "load_local", "store_local",      "atomic",  "exchange", "control",     "barrier",      "other"};
  return names[static_cast<std::size_t>(kind)];
}

Counters& Counters::operator+=(const Counters& other) {
  for (std::size_t i = 0; i < kind_count; ++i) warp_instructions_by_kind[i] += other.warp_instructions_by_kind[i];
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  global_requests += other.global_requests;
  sectors_read += other.sectors_read;
  sectors_written += other.sectors_written;
  l1_hit_bytes += other.l1_hit_bytes;
  l2_hit_bytes += other.l2_hit_bytes;
  l2_miss_bytes += other.l2_miss_bytes;
  dram_bytes_read += other.dram_bytes_read;
  dram_bytes_written += other.dram_bytes_written;
  shared_requests += other.shared_requests;
  shared_cycles += other.shared_cycles;
  shared_conflict_cycles += other.shared_conflict_cycles;
  divergent_branches += other.divergent_branches;
  atomics += other.atomics;
  barriers += other.barriers;
  launches += other.launches;
  blocks += other.blocks;
  threads += other.threads;
  if (other.launches > 0) occupancy = other.occupancy;
  return *this;
}

}  // namespace lacuna::sim
