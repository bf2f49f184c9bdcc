// What a launch did, counted. Counters of several launches add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna::sim {

/// What an instruction keeps busy. One of these for every warp instruction that was issued.
enum class Kind : std::uint8_t {
  multiply_add,     ///< fma of f32, f64, f16
  floating,         ///< other arithmetic and comparisons of floats
  integer,          ///< arithmetic, logic, comparisons, selections
  special_function, ///< rcp, sqrt, ex2, sin, ...; integer and correctly rounded division count here, as one
  convert,
  move,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_constant,    ///< parameters and .const
  load_local,
  store_local,
  atomic,           ///< atom and red, of global and of shared memory
  exchange,         ///< shfl, vote
  control,          ///< bra, ret
  barrier,
  other,
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::other) + 1;

std::string_view name(Kind kind);  ///< "multiply_add", ...

/// How many blocks of a kernel a multiprocessor holds at once, and what limits it.
struct Occupancy {
  unsigned blocks = 0;             ///< 0: the kernel does not fit
  unsigned warps = 0;
  double of_most = 0;              ///< warps / warps that fit at most
  std::string_view limit = "";     ///< "threads", "registers", "shared memory", "blocks"
};

struct Counters {
  std::array<std::uint64_t, kind_count> warp_instructions_by_kind{};
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;   ///< lanes that carried them out: active, and their guard set

  std::uint64_t global_requests = 0;       ///< loads, stores and atomics of warps with any lane active
  std::uint64_t sectors_read = 0;          ///< of 32 bytes, as the requests touch them
  std::uint64_t sectors_written = 0;
  std::uint64_t l1_hit_bytes = 0;          ///< reads that another request of the same block had fetched
  std::uint64_t l2_hit_bytes = 0;          ///< reads and writes
  std::uint64_t l2_miss_bytes = 0;
  std::uint64_t dram_bytes_read = 0;
  std::uint64_t dram_bytes_written = 0;    ///< when a written sector leaves the L2

  std::uint64_t shared_requests = 0;
  std::uint64_t shared_cycles = 0;         ///< with conflicts
  std::uint64_t shared_conflict_cycles = 0;///< those that the same requests would not need without bank conflicts

  std::uint64_t divergent_branches = 0;
  std::uint64_t atomics = 0;               ///< lanes
  std::uint64_t barriers = 0;              ///< of warps

  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;
  Occupancy occupancy;                     ///< of the launch; of a sum: the last one's

  std::uint64_t of(Kind kind) const { return warp_instructions_by_kind[static_cast<std::size_t>(kind)]; }
  std::uint64_t& of(Kind kind) { return warp_instructions_by_kind[static_cast<std::size_t>(kind)]; }
  Counters& operator+=(const Counters& other);
};

}  // namespace lacuna::sim
