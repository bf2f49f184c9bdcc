// ld and st, of every space.
#if defined(LACUNA_SIM_LANES_MEMORY) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_MEMORY
#undef LACUNA_SIM_LANES_MEMORY
#else
#define LACUNA_SIM_LANES_MEMORY
#endif

#include <cstring>
#include <type_traits>

#include "devices/sim/lanes_place-inl.hpp"
#include "devices/sim/operations.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

template <typename T> inline T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Elements T of memory into registers L, widened as T is signed or not.
template <typename T, typename L> void load_placed(Warp& warp, const Instruction& in, std::uint32_t mask, const Place& place) {
  const unsigned count = in.element_count;
  for (unsigned k = 0; k < count; ++k) {
    L* const d = warp.target<L>(in.elements[k]);
    const std::byte* const from = place.host + k * sizeof(T);
    if (place.pattern == Pattern::dense) {
      const std::byte* const dense = from + place.offsets[0];
      if (count == 1) {
        for (unsigned i = 0; i < lanes; ++i) d[i] = static_cast<L>(read<T>(dense + i * sizeof(T)));
      } else {
        for (unsigned i = 0; i < lanes; ++i) d[i] = static_cast<L>(read<T>(dense + i * count * sizeof(T)));
      }
    } else if (place.pattern == Pattern::uniform) {
      const L value = static_cast<L>(read<T>(from + place.offsets[0]));
      for (unsigned i = 0; i < lanes; ++i) d[i] = is_set(mask, i) ? value : d[i];
    } else if (place.pattern == Pattern::scattered && mask == all_lanes) {
      for (unsigned i = 0; i < lanes; ++i) d[i] = static_cast<L>(read<T>(from + place.offsets[i]));
    } else {
      for (unsigned i = 0; i < lanes; ++i)
        if (is_set(mask, i)) d[i] = static_cast<L>(read<T>(place.of(i) + k * sizeof(T)));
    }
  }
}

/// The low bytes of registers L to elements T. Where lanes meet, the last one stays.
template <typename T, typename L> void store_placed(Warp& warp, const Instruction& in, std::uint32_t mask, const Place& place) {
  const unsigned count = in.element_count;
  for (unsigned k = 0; k < count; ++k) {
    const L* const a = warp.source<L>(in.elements[k]);
    if (place.pattern == Pattern::dense) {
      std::byte* const dense = place.host + place.offsets[0] + k * sizeof(T);
      for (unsigned i = 0; i < lanes; ++i) {
        const T value = static_cast<T>(a[i]);
        std::memcpy(dense + i * count * sizeof(T), &value, sizeof(T));
      }
    } else {
      for (unsigned i = 0; i < lanes; ++i) {
        if (!is_set(mask, i)) continue;
        const T value = static_cast<T>(a[i]);
        std::memcpy(place.of(i) + k * sizeof(T), &value, sizeof(T));
      }
    }
  }
}

/// Local memory: [thread][byte], every thread at its own.
inline void locate_local(const Warp& warp, const Instruction& in, std::uint32_t mask, std::uint64_t window, Place& place) {
  alignas(64) std::uint64_t addresses[lanes];
  global_addresses(warp, in, addresses);
  const std::uint32_t bytes = std::uint32_t{in.element_bytes} * in.element_count;
  const std::size_t size = warp.block->kernel->local_bytes;
  place.pattern = Pattern::apart;
  for (unsigned i = 0; i < lanes; ++i) {
    if (!is_set(mask, i)) continue;
    const std::uint64_t address = addresses[i] - window;
    if (address > size || address + bytes > size)
      fail(warp, in, i, FaultKind::out_of_bounds, std::to_string(bytes) + " bytes at " + std::to_string(address) + " of the thread's " + std::to_string(size) + " bytes of local memory");
    if (address % bytes != 0) fail_misaligned(warp, in, i, address, bytes);
    place.pointers[i] = warp.block->local.data() + (warp.first_thread + i) * size + address;
  }
}

/// The space that a generic address lies in, by the first active lane; the others must agree with it.
inline Space find_space(const Warp& warp, const Instruction& in, std::uint32_t mask) {
  if (in.space != Space::generic) return in.space;
  alignas(64) std::uint64_t addresses[lanes];
  global_addresses(warp, in, addresses);
  const std::uint64_t first = addresses[std::countr_zero(mask)] >> 60;
  for (unsigned i = 0; i < lanes; ++i)
    if (is_set(mask, i) && addresses[i] >> 60 != first)
      fail(warp, in, i, FaultKind::out_of_bounds, "lanes of one warp point into different spaces, which is not simulated; use ld.global and ld.shared");
  return first == 0 ? Space::global : first == shared_window >> 60 ? Space::shared : first == local_window >> 60 ? Space::local : Space::global;
}

template <bool is_write> inline void locate(Warp& warp, const Instruction& in, std::uint32_t mask, Place& place) {
  const std::uint64_t generic = in.space == Space::generic ? 1 : 0;
  switch (find_space(warp, in, mask)) {
    case Space::shared: return locate_shared(warp, in, mask, generic * shared_window, is_write ? SharedAccess::write : SharedAccess::read, place);
    case Space::local: return locate_local(warp, in, mask, generic * local_window, place);
    case Space::parameter:
      place.pattern = Pattern::uniform;
      place.host = const_cast<std::byte*>(warp.block->parameters) + in.offset;
      place.offsets[0] = 0;
      return;
    default:
      alignas(64) std::uint64_t addresses[lanes];
      global_addresses(warp, in, addresses);
      return locate_global(warp, in, addresses, mask, is_write, !is_write, place);
  }
}

template <typename T, typename L> void load(Warp& warp, const Instruction& in, std::uint32_t mask) {
  Place place;
  locate<false>(warp, in, mask, place);
  load_placed<T, L>(warp, in, mask, place);
}

template <typename T, typename L> void store(Warp& warp, const Instruction& in, std::uint32_t mask) {
  Place place;
  locate<true>(warp, in, mask, place);
  store_placed<T, L>(warp, in, mask, place);
}

template <typename Unsigned> void add_memory_handlers(LaneTable& table, unsigned log2_bytes) {
  using Signed = std::make_signed_t<Unsigned>;
  table.load[log2_bytes][0][0] = load<Unsigned, std::uint32_t>;
  table.load[log2_bytes][0][1] = load<Unsigned, std::uint64_t>;
  table.load[log2_bytes][1][0] = load<Signed, std::int32_t>;
  table.load[log2_bytes][1][1] = load<Signed, std::int64_t>;
  table.store[log2_bytes][0] = store<Unsigned, std::uint32_t>;
  table.store[log2_bytes][1] = store<Unsigned, std::uint64_t>;
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
