// Where the lanes of a memory instruction point to: addresses checked, host memory found, sectors and bank conflicts counted. Lanes that stand side by
// side, or all at one place, are recognised: most accesses of good kernels are of these two kinds.
#if defined(LACUNA_SIM_LANES_PLACE) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_PLACE
#undef LACUNA_SIM_LANES_PLACE
#else
#define LACUNA_SIM_LANES_PLACE
#endif

#include <algorithm>
#include <bit>

#include "devices/sim/lanes_apply-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

enum class Pattern : std::uint8_t {
  dense,      ///< lane i at i times the bytes of a lane, all lanes active
  uniform,    ///< all active lanes at one place
  scattered,  ///< anywhere within a range of 2 GiB of one allocation
  apart,      ///< anywhere: a pointer for each lane
};

struct Place {
  Pattern pattern = Pattern::scattered;
  std::byte* host = nullptr;                     ///< of the lowest address
  alignas(64) std::uint32_t offsets[lanes];      ///< of the lanes, from there
  std::byte* pointers[lanes];                    ///< where they are apart

  std::byte* of(unsigned lane) const { return pattern == Pattern::apart ? pointers[lane] : host + offsets[lane]; }
};

inline void global_addresses(const Warp& warp, const Instruction& in, std::uint64_t* addresses) {
  const std::uint64_t offset = static_cast<std::uint64_t>(in.offset);
  if (in.is_base_wide) {
    const std::uint64_t* const base = warp.source<std::uint64_t>(in.a);
    for (unsigned i = 0; i < lanes; ++i) addresses[i] = base[i] + offset;
  } else {
    const std::uint32_t* const base = warp.source<std::uint32_t>(in.a);
    for (unsigned i = 0; i < lanes; ++i) addresses[i] = base[i] + offset;
  }
}

/// Lanes that are not active get the address of the first active one: so they matter to nothing.
inline void fill_inactive(std::uint64_t* addresses, std::uint32_t mask) {
  if (mask == all_lanes) return;
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = is_set(mask, i) ? addresses[i] : first;
}

inline void check_alignment(const Warp& warp, const Instruction& in, const std::uint64_t* addresses, std::uint32_t bytes) {
  std::uint64_t low_bits = 0;
  for (unsigned i = 0; i < lanes; ++i) low_bits |= addresses[i];
  if ((low_bits & (bytes - 1)) == 0) return;
  for (unsigned i = 0; i < lanes; ++i)
    if ((addresses[i] & (bytes - 1)) != 0) fail_misaligned(warp, in, i, addresses[i], bytes);
}

inline bool is_dense(const std::uint32_t* offsets, std::uint32_t bytes) {
  std::uint32_t difference = 0;
  for (unsigned i = 0; i < lanes; ++i) difference |= offsets[i] ^ (i * bytes);
  return difference == 0;
}

/// The lines of 128 bytes that scattered lanes touch, each with its sectors. At most 64: an aligned access lies within one line.
struct Lines {
  std::uint64_t number[lanes];
  unsigned sectors[lanes];
  unsigned count = 0;

  void add(std::uint64_t address) {
    const std::uint64_t line = address >> 7;
    const unsigned sector = 1u << ((address >> 5) & 3u);
    for (unsigned i = count; i-- > 0;)
      if (number[i] == line) {
        sectors[i] |= sector;
        return;
      }
    number[count] = line;
    sectors[count++] = sector;
  }
};

inline void count_global(Block& block, const Place& place, const std::uint64_t* addresses, std::uint64_t low, std::uint32_t bytes, bool is_write, bool is_cached) {
  ++block.counters.global_requests;
  if (place.pattern == Pattern::dense) {
    const std::uint64_t first = low >> 5, last = (low + lanes * bytes - 1) >> 5;
    for (std::uint64_t line = first >> 2; line <= last >> 2; ++line) {
      unsigned sectors = 15;
      if (line == first >> 2) sectors &= 15u << (first & 3u);
      if (line == last >> 2) sectors &= 15u >> (3 - (last & 3u));
      block.touch(line, sectors, is_write, is_cached);
    }
  } else if (place.pattern == Pattern::uniform) {
    block.touch(low >> 7, 1u << ((low >> 5) & 3u), is_write, is_cached);
  } else {
    Lines lines;
    for (unsigned i = 0; i < lanes; ++i) lines.add(addresses[i]);
    for (unsigned i = 0; i < lines.count; ++i) block.touch(lines.number[i], lines.sectors[i], is_write, is_cached);
  }
}

/// `bytes`: of a lane. Addresses of inactive lanes are filled already.
inline void locate_apart(const Warp& warp, const Instruction& in, const std::uint64_t* addresses, std::uint32_t bytes, Place& place) {
  place.pattern = Pattern::apart;
  Allocation& last = warp.block->last[in.index];
  for (unsigned i = 0; i < lanes; ++i) {
    if (!last.holds(addresses[i], bytes)) last = warp.block->memory->find(addresses[i]);
    if (!last.holds(addresses[i], bytes)) fail_outside(warp, in, i, addresses[i], bytes);
    place.pointers[i] = last.host + (addresses[i] - last.begin);
  }
}

inline void locate_global(const Warp& warp, const Instruction& in, std::uint64_t* addresses, std::uint32_t mask, bool is_write, bool is_cached, Place& place) {
  const std::uint32_t bytes = std::uint32_t{in.element_bytes} * in.element_count;
  fill_inactive(addresses, mask);
  check_alignment(warp, in, addresses, bytes);
  const std::uint64_t first = addresses[0];
  std::uint64_t far = 0;
  alignas(64) std::int32_t deltas[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    const std::int64_t delta = static_cast<std::int64_t>(addresses[i] - first);
    deltas[i] = static_cast<std::int32_t>(delta);
    far |= static_cast<std::uint64_t>(delta + 0x40000000) & ~std::uint64_t{0x7fffffff};
  }
  std::int32_t least = 0, most = 0;
  for (unsigned i = 0; i < lanes; ++i) least = std::min(least, deltas[i]), most = std::max(most, deltas[i]);
  const std::uint64_t low = first + static_cast<std::uint64_t>(static_cast<std::int64_t>(least));
  const std::size_t reach = static_cast<std::uint32_t>(most - least) + std::size_t{bytes};
  Allocation& last = warp.block->last[in.index];
  if (far == 0 && !last.holds(low, reach)) last = warp.block->memory->find(low);
  if (far != 0 || !last.holds(low, reach)) {
    locate_apart(warp, in, addresses, bytes, place);
  } else {
    for (unsigned i = 0; i < lanes; ++i) place.offsets[i] = static_cast<std::uint32_t>(deltas[i] - least);
    place.host = last.host + (low - last.begin);
    place.pattern = least == most ? Pattern::uniform : mask == all_lanes && is_dense(place.offsets, bytes) ? Pattern::dense : Pattern::scattered;
  }
  if (in.space != Space::constant) count_global(*warp.block, place, addresses, low, bytes, is_write, is_cached);
}

/// Clocks that the banks need for lanes [begin, end): the most different words of one bank.
inline unsigned bank_cycles(const std::uint32_t* offsets, std::uint32_t mask, unsigned begin, unsigned end, unsigned words) {
  std::uint32_t seen[32][lanes];  // the different words of each bank
  std::uint8_t counts[32] = {};
  unsigned most = 0;
  for (unsigned i = begin; i < end; ++i) {
    if (!is_set(mask, i)) continue;
    for (unsigned w = 0; w < words; ++w) {
      const std::uint32_t word = offsets[i] / 4 + w, bank = word % 32;
      const std::uint8_t count = counts[bank];
      if (std::find(seen[bank], seen[bank] + count, word) != seen[bank] + count) continue;
      seen[bank][count] = word;
      counts[bank] = static_cast<std::uint8_t>(count + 1);
      most = std::max<unsigned>(most, count + 1u);
    }
  }
  return most;
}

/// Accesses of 8 bytes are made by half warps, of 16 bytes by quarters; all lanes at one place: at once.
inline void count_shared(Block& block, const Place& place, std::uint32_t mask, std::uint32_t bytes) {
  const unsigned phases = bytes <= 4 ? 1 : bytes / 4, width = lanes / phases;
  ++block.counters.shared_requests;
  if (place.pattern == Pattern::uniform) {
    ++block.counters.shared_cycles;
  } else if (place.pattern == Pattern::dense) {
    block.counters.shared_cycles += phases;
  } else {
    for (unsigned phase = 0; phase < phases; ++phase) {
      const unsigned cycles = bank_cycles(place.offsets, mask, phase * width, (phase + 1) * width, (bytes + 3) / 4);
      block.counters.shared_cycles += cycles;
      block.counters.shared_conflict_cycles += cycles > 0 ? cycles - 1 : 0;
    }
  }
}

/// place.offsets hold the addresses within shared memory afterwards, place.host its beginning.
inline void locate_shared(const Warp& warp, const Instruction& in, std::uint32_t mask, std::uint64_t window, SharedAccess access, Place& place) {
  const std::uint32_t bytes = std::uint32_t{in.element_bytes} * in.element_count;
  Block& block = *warp.block;
  const std::uint64_t size = block.shared.size();
  alignas(64) std::uint64_t addresses[lanes];
  std::uint32_t low_bits = 0, most = 0;
  if (!in.is_base_wide) {
    const std::uint32_t* const base = warp.source<std::uint32_t>(in.a);
    const std::uint32_t offset = static_cast<std::uint32_t>(in.offset);
    const std::uint32_t first = base[std::countr_zero(mask)];
    for (unsigned i = 0; i < lanes; ++i) place.offsets[i] = (is_set(mask, i) ? base[i] : first) + offset;
  } else {
    global_addresses(warp, in, addresses);
    fill_inactive(addresses, mask);
    std::uint64_t high = 0;
    for (unsigned i = 0; i < lanes; ++i) high |= (addresses[i] - window) >> 32, place.offsets[i] = static_cast<std::uint32_t>(addresses[i] - window);
    if (high != 0) most = all_lanes;
  }
  for (unsigned i = 0; i < lanes; ++i) low_bits |= place.offsets[i], most = std::max(most, place.offsets[i]);
  if (std::uint64_t{most} + bytes > size) {
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t address = in.is_base_wide ? addresses[i] - window : place.offsets[i];
      if (address > size || address + bytes > size) fail_outside_shared(warp, in, i, address, bytes);
    }
  }
  if ((low_bits & (bytes - 1)) != 0)
    for (unsigned i = 0; i < lanes; ++i)
      if ((place.offsets[i] & (bytes - 1)) != 0) fail_misaligned(warp, in, i, place.offsets[i], bytes);
  std::uint32_t uniform = 0, dense = 0;
  for (unsigned i = 0; i < lanes; ++i) uniform |= place.offsets[i] ^ place.offsets[0], dense |= (place.offsets[i] - place.offsets[0]) ^ (i * bytes);
  place.pattern = uniform == 0 ? Pattern::uniform : dense == 0 && mask == all_lanes ? Pattern::dense : Pattern::scattered;
  place.host = block.shared.data();
  if (access != SharedAccess::atomic) count_shared(block, place, mask, bytes);
  if (block.checks.races) check_race(warp, in, mask, place.offsets, bytes, access);
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
