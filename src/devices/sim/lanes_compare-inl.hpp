// setp and set, logic on predicates, and what lanes of a warp tell each other: votes and shuffles.
#if defined(LACUNA_SIM_LANES_COMPARE) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_COMPARE
#undef LACUNA_SIM_LANES_COMPARE
#else
#define LACUNA_SIM_LANES_COMPARE
#endif

#include <bit>

#include "devices/sim/lanes_convert-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

struct Equal { template <typename T> static bool of(T a, T b) { return a == b; } };
struct NotEqual { template <typename T> static bool of(T a, T b) { return a < b || a > b; } };  // false where one is NaN
struct Less { template <typename T> static bool of(T a, T b) { return a < b; } };
struct LessEqual { template <typename T> static bool of(T a, T b) { return a <= b; } };
struct Greater { template <typename T> static bool of(T a, T b) { return a > b; } };
struct GreaterEqual { template <typename T> static bool of(T a, T b) { return a >= b; } };
template <typename F> struct Otherwise { template <typename T> static bool of(T a, T b) { return !F::of(a, b); } };
struct Ordered { template <typename T> static bool of(T a, T b) { return a == a && b == b; } };
template <typename F, typename T> struct NarrowCompare { static bool of(u32 a, u32 b) { return F::of(static_cast<T>(a), static_cast<T>(b)); } };
template <typename F> struct HalfCompare { static bool of(u32 a, u32 b) { return F::of(half_to_float(a & 0xffffu), half_to_float(b & 0xffffu)); } };

template <typename F, typename T>
void add_comparison(std::vector<Operation>& table, const std::string& comparison, const std::string& type, char letter, Kind kind) {
  table.push_back({keep_text("setp." + comparison + type), keep_text({'p', ':', letter, letter}), kind, compare<F, T>});
}

template <typename T> struct AllOnes { template <typename L> static u32 of(L a, L b) { return T::of(a, b) ? ~0u : 0u; } };
template <typename T> struct OneFloat { template <typename L> static float of(L a, L b) { return T::of(a, b) ? 1.0f : 0.0f; } };

template <typename F> void add_integer_comparison(std::vector<Operation>& table, const std::string& name, const std::string& unsigned_name) {
  add_comparison<F, s32>(table, name, ".s32", 'i', Kind::integer);
  add_comparison<F, s64>(table, name, ".s64", 'l', Kind::integer);
  add_comparison<NarrowCompare<F, s16>, u32>(table, name, ".s16", 'i', Kind::integer);
  for (const std::string& spelling : name == unsigned_name ? std::vector{name} : std::vector{name, unsigned_name}) {
    add_comparison<F, u32>(table, spelling, ".u32", 'i', Kind::integer);
    add_comparison<F, u64>(table, spelling, ".u64", 'l', Kind::integer);
    add_comparison<NarrowCompare<F, u16>, u32>(table, spelling, ".u16", 'i', Kind::integer);
  }
  table.push_back({keep_text("set." + name + ".{u32|s32}.s32"), "i:ii", Kind::integer, binary<AllOnes<F>, u32, s32, s32>});
  table.push_back({keep_text("set." + name + ".{u32|s32}.u32"), "i:ii", Kind::integer, binary<AllOnes<F>, u32, u32, u32>});
}
template <typename F> void add_float_comparison(std::vector<Operation>& table, const std::string& name) {
  add_comparison<F, float>(table, name, "[.ftz].f32", 'f', Kind::floating);
  add_comparison<F, double>(table, name, ".f64", 'd', Kind::floating);
  add_comparison<HalfCompare<F>, u32>(table, name, ".f16", 'i', Kind::floating);
  table.push_back({keep_text("set." + name + ".{u32|s32}.f32"), "i:ff", Kind::floating, binary<AllOnes<F>, u32, float, float>});
  table.push_back({keep_text("set." + name + ".f32.f32"), "f:ff", Kind::floating, binary<OneFloat<F>, float, float, float>});
}

inline void add_comparisons(std::vector<Operation>& table) {
  add_integer_comparison<Equal>(table, "eq", "eq"), add_integer_comparison<Otherwise<Equal>>(table, "ne", "ne");
  add_integer_comparison<Less>(table, "lt", "lo"), add_integer_comparison<LessEqual>(table, "le", "ls");
  add_integer_comparison<Greater>(table, "gt", "hi"), add_integer_comparison<GreaterEqual>(table, "ge", "hs");
  for (const char* name : {"eq", "ne"}) {
    const bool is_equal = std::string_view(name) == "eq";
    is_equal ? add_comparison<Equal, u32>(table, name, ".b32", 'i', Kind::integer) : add_comparison<Otherwise<Equal>, u32>(table, name, ".b32", 'i', Kind::integer);
    is_equal ? add_comparison<Equal, u64>(table, name, ".b64", 'l', Kind::integer) : add_comparison<Otherwise<Equal>, u64>(table, name, ".b64", 'l', Kind::integer);
    is_equal ? add_comparison<NarrowCompare<Equal, u16>, u32>(table, name, ".b16", 'i', Kind::integer)
             : add_comparison<NarrowCompare<Otherwise<Equal>, u16>, u32>(table, name, ".b16", 'i', Kind::integer);
  }
  add_float_comparison<Equal>(table, "eq"), add_float_comparison<NotEqual>(table, "ne");
  add_float_comparison<Less>(table, "lt"), add_float_comparison<LessEqual>(table, "le");
  add_float_comparison<Greater>(table, "gt"), add_float_comparison<GreaterEqual>(table, "ge");
  add_float_comparison<Otherwise<NotEqual>>(table, "equ"), add_float_comparison<Otherwise<Equal>>(table, "neu");
  add_float_comparison<Otherwise<GreaterEqual>>(table, "ltu"), add_float_comparison<Otherwise<Greater>>(table, "leu");
  add_float_comparison<Otherwise<LessEqual>>(table, "gtu"), add_float_comparison<Otherwise<Less>>(table, "geu");
  add_float_comparison<Ordered>(table, "num"), add_float_comparison<Otherwise<Ordered>>(table, "nan");
}

inline void set_predicate(Warp& warp, std::uint32_t number, std::uint32_t value, std::uint32_t mask) {
  if (number > 1) warp.predicates[number] = (warp.predicates[number] & ~mask) | (value & mask);
}
/// Predicate a, negated where the text says so.
inline std::uint32_t predicate_source(const Warp& warp, const Instruction& in) { return warp.predicates[in.a] ^ static_cast<std::uint32_t>(in.offset); }

inline void predicate_copy(Warp& warp, const Instruction& in, std::uint32_t mask) { set_predicate(warp, in.d, predicate_source(warp, in), mask); }
inline void predicate_not(Warp& warp, const Instruction& in, std::uint32_t mask) { set_predicate(warp, in.d, ~predicate_source(warp, in), mask); }
inline void predicate_and(Warp& warp, const Instruction& in, std::uint32_t mask) { set_predicate(warp, in.d, warp.predicates[in.a] & warp.predicates[in.b], mask); }
inline void predicate_or(Warp& warp, const Instruction& in, std::uint32_t mask) { set_predicate(warp, in.d, warp.predicates[in.a] | warp.predicates[in.b], mask); }
inline void predicate_xor(Warp& warp, const Instruction& in, std::uint32_t mask) { set_predicate(warp, in.d, warp.predicates[in.a] ^ warp.predicates[in.b], mask); }

/// Lanes that the mask in register b names (the first active lane's) must be those that are here.
inline void check_members(const Warp& warp, const Instruction& in, std::uint32_t members_operand, std::uint32_t mask) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t members = warp.source<u32>(members_operand)[first];
  if (((members & warp.alive) & ~mask) != 0)
    fail(warp, in, first, FaultKind::barrier, "the lanes named " + std::to_string(members) + " must come here together, but only lanes " + std::to_string(mask) + " did");
}

enum class Vote { all, any, uniform, ballot };
template <Vote vote_kind> void vote(Warp& warp, const Instruction& in, std::uint32_t mask) {
  check_members(warp, in, in.b, mask);
  const std::uint32_t set = predicate_source(warp, in) & mask;
  if constexpr (vote_kind == Vote::ballot) {
    alignas(64) u32 values[lanes];
    for (unsigned i = 0; i < lanes; ++i) values[i] = set;
    keep(warp.target<u32>(in.d), values, mask);
  } else {
    const bool result = vote_kind == Vote::all ? set == mask : vote_kind == Vote::any ? set != 0 : set == mask || set == 0;
    set_predicate(warp, in.d, result ? all_lanes : 0, mask);
  }
}

inline void active_mask(Warp& warp, const Instruction& in, std::uint32_t mask) {
  alignas(64) u32 values[lanes];
  for (unsigned i = 0; i < lanes; ++i) values[i] = mask;
  keep(warp.target<u32>(in.d), values, mask);
}

enum class Shuffle { up, down, butterfly, index };
/// PTX's pseudo code of shfl: c holds the limits of the segments, b the distance or lane.
template <Shuffle kind> void shuffle(Warp& warp, const Instruction& in, std::uint32_t mask) {
  check_members(warp, in, in.elements[0], mask);
  const u32* const a = warp.source<u32>(in.a);
  const u32* const b = warp.source<u32>(in.b);
  const u32* const c = warp.source<u32>(in.c);
  alignas(64) u32 values[lanes];
  std::uint32_t valid = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const s32 lane = static_cast<s32>(i), by = static_cast<s32>(b[i] & 31u), clamp = static_cast<s32>(c[i] & 31u), segment = static_cast<s32>((c[i] >> 8) & 31u);
    const s32 most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    s32 from = 0;
    bool is_inside = false;
    if constexpr (kind == Shuffle::up) from = lane - by, is_inside = from >= most;
    if constexpr (kind == Shuffle::down) from = lane + by, is_inside = from <= most;
    if constexpr (kind == Shuffle::butterfly) from = lane ^ by, is_inside = from <= most;
    if constexpr (kind == Shuffle::index) from = least | (by & ~segment), is_inside = from <= most;
    if (!is_inside) from = lane;
    if (is_inside) valid |= 1u << i;
    values[i] = a[from & 31];
  }
  keep(warp.target<u32>(in.d), values, mask);
  set_predicate(warp, in.e, valid, mask);
}

inline void clock32(Warp& warp, const Instruction& in, std::uint32_t mask) {
  alignas(64) u32 values[lanes];
  for (unsigned i = 0; i < lanes; ++i) values[i] = static_cast<u32>(warp.block->issued);
  keep(warp.target<u32>(in.d), values, mask);
}
inline void clock64(Warp& warp, const Instruction& in, std::uint32_t mask) {
  alignas(64) u64 values[lanes];
  for (unsigned i = 0; i < lanes; ++i) values[i] = warp.block->issued;
  keep(warp.target<u64>(in.d), values, mask);
}
inline void nothing(Warp&, const Instruction&, std::uint32_t) {}
inline void synchronise_warp(Warp& warp, const Instruction& in, std::uint32_t mask) {
  check_members(warp, in, in.a, mask);
  ++warp.synchronised;
}

inline void add_exchanges(std::vector<Operation>& table) {
  const std::vector<Operation> rest = {
      {"mov.pred", "p:p", Kind::integer, predicate_copy},
      {"not.pred", "p:p", Kind::integer, predicate_not},
      {"and.pred", "p:pp", Kind::integer, predicate_and},
      {"or.pred", "p:pp", Kind::integer, predicate_or},
      {"xor.pred", "p:pp", Kind::integer, predicate_xor},
      {"vote.sync.all.pred", "p:pi", Kind::exchange, vote<Vote::all>},
      {"vote.sync.any.pred", "p:pi", Kind::exchange, vote<Vote::any>},
      {"vote.sync.uni.pred", "p:pi", Kind::exchange, vote<Vote::uniform>},
      {"vote.sync.ballot.b32", "i:pi", Kind::exchange, vote<Vote::ballot>},
      {"activemask.b32", "i:", Kind::exchange, active_mask},
      {"shfl.sync.up.b32", "ip:iiii", Kind::exchange, shuffle<Shuffle::up>},
      {"shfl.sync.down.b32", "ip:iiii", Kind::exchange, shuffle<Shuffle::down>},
      {"shfl.sync.bfly.b32", "ip:iiii", Kind::exchange, shuffle<Shuffle::butterfly>},
      {"shfl.sync.idx.b32", "ip:iiii", Kind::exchange, shuffle<Shuffle::index>},
      {"mov.u32.clock", "i:", Kind::other, clock32},
      {"mov.u64.clock", "l:", Kind::other, clock64},
      {"bar.warp.sync", ":i", Kind::barrier, synchronise_warp},
      {"membar.{cta|gl|sys}", ":", Kind::other, nothing},
      {"fence[.{sc|acq_rel}].{cta|gpu|sys}", ":", Kind::other, nothing},
  };
  table.insert(table.end(), rest.begin(), rest.end());
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
