// An operation in all active lanes of a warp: plain loops over 32 lanes that the compiler turns into vector code. Included once for each instruction set.
#if defined(LACUNA_SIM_LANES_APPLY) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_APPLY
#undef LACUNA_SIM_LANES_APPLY
#else
#define LACUNA_SIM_LANES_APPLY
#endif

#include "devices/sim/warp.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

inline bool is_set(std::uint32_t mask, unsigned lane) { return (mask & (1u << lane)) != 0; }

/// target = values where the mask is set.
template <typename T>
inline void keep(T* target, const T* values, std::uint32_t mask) {
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) target[i] = is_set(mask, i) ? values[i] : target[i];
}

template <typename F, typename D, typename A>
void unary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = is_set(mask, i) ? F::of(a[i]) : d[i];
}

template <typename F, typename D, typename A, typename B>
void binary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
  const B* const b = warp.source<B>(in.b);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = is_set(mask, i) ? F::of(a[i], b[i]) : d[i];
}

template <typename F, typename D, typename A, typename B, typename C>
void ternary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
  const B* const b = warp.source<B>(in.b);
  const C* const c = warp.source<C>(in.c);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = is_set(mask, i) ? F::of(a[i], b[i], c[i]) : d[i];
}

// The same with a loop of its own for warps whose lanes are all active: for what kernels spend their time with. (Compiling both for everything takes minutes.)

template <typename F, typename D, typename A>
void often_unary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  if (mask != all_lanes) return unary<F, D, A>(warp, in, mask);
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = F::of(a[i]);
}

template <typename F, typename D, typename A, typename B>
void often_binary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  if (mask != all_lanes) return binary<F, D, A, B>(warp, in, mask);
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
  const B* const b = warp.source<B>(in.b);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = F::of(a[i], b[i]);
}

template <typename F, typename D, typename A, typename B, typename C>
void often_ternary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  if (mask != all_lanes) return ternary<F, D, A, B, C>(warp, in, mask);
  D* const d = warp.target<D>(in.d);
  const A* const a = warp.source<A>(in.a);
  const B* const b = warp.source<B>(in.b);
  const C* const c = warp.source<C>(in.c);
#pragma GCC ivdep
  for (unsigned i = 0; i < lanes; ++i) d[i] = F::of(a[i], b[i], c[i]);
}

/// The fourth source stands where the elements of vectors are.
template <typename F, typename T>
void quaternary(Warp& warp, const Instruction& in, std::uint32_t mask) {
  const T* const a = warp.source<T>(in.a);
  const T* const b = warp.source<T>(in.b);
  const std::uint32_t* const c = warp.source<std::uint32_t>(in.c);
  const std::uint32_t* const e = warp.source<std::uint32_t>(in.elements[0]);
  alignas(64) T values[lanes];
  for (unsigned i = 0; i < lanes; ++i) values[i] = F::of(a[i], b[i], c[i], e[i]);
  keep(warp.target<T>(in.d), values, mask);
}

/// d = a where predicate c is set, b elsewhere.
template <typename T>
void select(Warp& warp, const Instruction& in, std::uint32_t mask) {
  T* const d = warp.target<T>(in.d);
  const T* const a = warp.source<T>(in.a);
  const T* const b = warp.source<T>(in.b);
  const std::uint32_t which = warp.predicates[in.c];
  alignas(64) T values[lanes];
  for (unsigned i = 0; i < lanes; ++i) values[i] = is_set(which, i) ? a[i] : b[i];
  keep(d, values, mask);
}

/// Predicate d = F(a, b), combined with predicate c; e, where there is one, = not F(a, b), combined likewise.
template <typename F, typename T>
void compare(Warp& warp, const Instruction& in, std::uint32_t mask) {
  const T* const a = warp.source<T>(in.a);
  const T* const b = warp.source<T>(in.b);
  std::uint32_t result = 0;
  for (unsigned i = 0; i < lanes; ++i) result |= F::of(a[i], b[i]) ? 1u << i : 0u;
  std::uint32_t* const predicates = warp.predicates;
  const std::uint32_t c = predicates[in.c] ^ static_cast<std::uint32_t>(in.offset);  // the offset holds its negation
  const auto combined = [&](std::uint32_t value) {
    switch (in.combine) {
      case Combine::none: return value;
      case Combine::conjunction: return value & c;
      case Combine::disjunction: return value | c;
      case Combine::exclusive: return value ^ c;
    }
    return value;
  };
  const std::uint32_t inverse = ~result;
  predicates[in.d] = (predicates[in.d] & ~mask) | (combined(result) & mask);
  if (in.e != 0) predicates[in.e] = (predicates[in.e] & ~mask) | (combined(inverse) & mask);
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
