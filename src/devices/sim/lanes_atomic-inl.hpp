// atom and red: lane after lane, each of them at once for all blocks.
#if defined(LACUNA_SIM_LANES_ATOMIC) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_ATOMIC
#undef LACUNA_SIM_LANES_ATOMIC
#else
#define LACUNA_SIM_LANES_ATOMIC
#endif

#include <atomic>
#include <bit>

#include "devices/sim/lanes_memory-inl.hpp"
#include "devices/sim/lanes_float-inl.hpp"
#include "devices/sim/lanes_integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

struct AtomicExchange { template <typename T> static T of(T, T b) { return b; } };
struct AtomicIncrement { static u32 of(u32 old, u32 b) { return old >= b ? 0 : old + 1; } };
struct AtomicDecrement { static u32 of(u32 old, u32 b) { return old == 0 || old > b ? b : old - 1; } };

template <typename T> using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;

/// What stands there becomes F(what stands there, b), or c if it equals b. Gives what stood there.
template <typename F, typename T> inline Bits<T> update(std::byte* where, Bits<T> b, Bits<T> c) {
  std::atomic_ref<Bits<T>> cell(*reinterpret_cast<Bits<T>*>(where));
  Bits<T> old = cell.load(std::memory_order_relaxed);
  for (;;) {
    Bits<T> next;
    if constexpr (std::is_void_v<F>) next = old == b ? c : old;
    else next = std::bit_cast<Bits<T>>(static_cast<T>(F::of(std::bit_cast<T>(old), std::bit_cast<T>(b))));
    if (cell.compare_exchange_weak(old, next, std::memory_order_relaxed)) return old;
  }
}

/// F: void for compare and swap. Destination d (a scratch place for red), address a, operands b and c.
template <typename F, typename T> void atomic(Warp& warp, const Instruction& in, std::uint32_t mask) {
  Place place;
  const Space space = find_space(warp, in, mask);
  const std::uint64_t generic = in.space == Space::generic ? 1 : 0;
  if (space == Space::shared) {
    locate_shared(warp, in, mask, generic * shared_window, SharedAccess::atomic, place);
  } else {
    alignas(64) std::uint64_t addresses[lanes];
    global_addresses(warp, in, addresses);
    locate_global(warp, in, addresses, mask, true, false, place);
  }
  warp.block->counters.atomics += static_cast<unsigned>(std::popcount(mask));
  Bits<T>* const d = warp.target<Bits<T>>(in.d);
  const Bits<T>* const b = warp.source<Bits<T>>(in.b);
  const Bits<T>* const c = warp.source<Bits<T>>(in.c);
  for (unsigned i = 0; i < lanes; ++i)
    if (is_set(mask, i)) d[i] = update<F, T>(place.of(i), b[i], c[i]);
}

inline void add_atomics(std::vector<Operation>& table) {
  const std::vector<Operation> rest = {
      {"atom.add.{u32|s32}", "i:ii", Kind::atomic, atomic<Add, u32>},
      {"atom.add.u64", "l:ll", Kind::atomic, atomic<Add, u64>},
      {"atom.add.f32", "f:ff", Kind::atomic, atomic<FloatAdd, float>},
      {"atom.add.f64", "d:dd", Kind::atomic, atomic<FloatAdd, double>},
      {"atom.and.b32", "i:ii", Kind::atomic, atomic<And, u32>},
      {"atom.or.b32", "i:ii", Kind::atomic, atomic<Or, u32>},
      {"atom.xor.b32", "i:ii", Kind::atomic, atomic<Xor, u32>},
      {"atom.and.b64", "l:ll", Kind::atomic, atomic<And, u64>},
      {"atom.or.b64", "l:ll", Kind::atomic, atomic<Or, u64>},
      {"atom.xor.b64", "l:ll", Kind::atomic, atomic<Xor, u64>},
      {"atom.min.u32", "i:ii", Kind::atomic, atomic<Minimum, u32>},
      {"atom.min.s32", "i:ii", Kind::atomic, atomic<Minimum, s32>},
      {"atom.max.u32", "i:ii", Kind::atomic, atomic<Maximum, u32>},
      {"atom.max.s32", "i:ii", Kind::atomic, atomic<Maximum, s32>},
      {"atom.min.u64", "l:ll", Kind::atomic, atomic<Minimum, u64>},
      {"atom.max.u64", "l:ll", Kind::atomic, atomic<Maximum, u64>},
      {"atom.inc.u32", "i:ii", Kind::atomic, atomic<AtomicIncrement, u32>},
      {"atom.dec.u32", "i:ii", Kind::atomic, atomic<AtomicDecrement, u32>},
      {"atom.exch.b32", "i:ii", Kind::atomic, atomic<AtomicExchange, u32>},
      {"atom.exch.b64", "l:ll", Kind::atomic, atomic<AtomicExchange, u64>},
      {"atom.cas.b32", "i:iii", Kind::atomic, atomic<void, u32>},
      {"atom.cas.b64", "l:lll", Kind::atomic, atomic<void, u64>},
  };
  table.insert(table.end(), rest.begin(), rest.end());
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
