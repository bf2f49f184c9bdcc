// Arithmetic and logic of integers. A 16-bit value is the low half of its lane; whoever reads it ignores the high half.
#if defined(LACUNA_SIM_LANES_INTEGER) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_INTEGER
#undef LACUNA_SIM_LANES_INTEGER
#else
#define LACUNA_SIM_LANES_INTEGER
#endif

#include <bit>
#include <limits>
#include <type_traits>

#include "devices/sim/lanes_apply-inl.hpp"
#include "devices/sim/operations.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

template <typename T> using Twice = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, s32, std::conditional_t<sizeof(T) == 4, s64, __int128>>,
                                                       std::conditional_t<sizeof(T) == 2, u32, std::conditional_t<sizeof(T) == 4, u64, unsigned __int128>>>;
/// The type in which sums and products wrap: 16-bit ones would become int.
template <typename T> using Wrapping = std::conditional_t<sizeof(T) == 8, u64, u32>;

struct Add { template <typename T> static T of(T a, T b) { return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b)); } };
struct Subtract { template <typename T> static T of(T a, T b) { return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b)); } };
struct MultiplyLow { template <typename T> static T of(T a, T b) { return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b)); } };
struct MultiplyHigh { template <typename T> static T of(T a, T b) { return static_cast<T>((static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b)) >> (8 * sizeof(T))); } };
template <typename F> struct ThenAdd { template <typename T> static T of(T a, T b, T c) { return Add::of(F::of(a, b), c); } };
/// Division by zero gives all ones, as GPUs do, and the remainder the dividend.
struct Divide {
  template <typename T> static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Subtract::of(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <typename T> static T of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Minimum { template <typename T> static T of(T a, T b) { return a < b ? a : b; } };
struct Maximum { template <typename T> static T of(T a, T b) { return a > b ? a : b; } };
struct Negate { template <typename T> static T of(T a) { return Subtract::of(T{0}, a); } };
struct Absolute { template <typename T> static T of(T a) { return a < 0 ? Negate::of(a) : a; } };
struct And { template <typename T> static T of(T a, T b) { return a & b; } };
struct Or { template <typename T> static T of(T a, T b) { return a | b; } };
struct Xor { template <typename T> static T of(T a, T b) { return a ^ b; } };
struct Not { template <typename T> static T of(T a) { return static_cast<T>(~a); } };
struct Copy { template <typename T> static T of(T a) { return a; } };
/// Shifts beyond the width give zero, or the sign.
struct ShiftLeft { template <typename T> static T of(T a, u32 b) { return b >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<Wrapping<T>>(a) << b); } };
struct ShiftRight {
  template <typename T> static T of(T a, u32 b) {
    constexpr u32 most = 8 * sizeof(T) - 1;
    const T shifted = static_cast<T>(a >> (b > most ? most : b));
    return std::is_signed_v<T> || b <= most ? shifted : T{0};
  }
};
struct Population {
  static u32 of(u32 a) { return static_cast<u32>(std::popcount(a)); }
  static u32 of(u64 a) { return static_cast<u32>(std::popcount(a)); }
};
struct LeadingZeros {
  static u32 of(u32 a) { return static_cast<u32>(std::countl_zero(a)); }
  static u32 of(u64 a) { return static_cast<u32>(std::countl_zero(a)); }
};
struct ReverseBits {
  static u32 of(u32 a) {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(a);
  }
  static u64 of(u64 a) { return static_cast<u64>(of(static_cast<u32>(a))) << 32 | of(static_cast<u32>(a >> 32)); }
};
/// The place of the highest bit that differs from the sign; all ones: there is none.
struct FindLeading {
  static u32 of(u32 a) { return a == 0 ? ~0u : 31u - static_cast<u32>(std::countl_zero(a)); }
  static u32 of(s32 a) { return of(static_cast<u32>(a < 0 ? ~a : a)); }
};
struct ExtractBits {
  template <typename T> static T of(T a, u32 place, u32 count) {
    constexpr u32 most = 8 * sizeof(T) - 1;
    place &= 255u, count &= 255u;
    const u32 sign_place = place + count - 1 < most ? place + count - 1 : most;
    const bool is_negative = std::is_signed_v<T> && count != 0 && ((a >> sign_place) & 1) != 0;
    const u64 field = count >= 64 ? ~u64{0} : (u64{1} << count) - 1;
    const u64 raw = place > most ? 0 : static_cast<u64>(static_cast<std::make_unsigned_t<T>>(a)) >> place;
    const u32 available = place > most ? 0 : most + 1 - place;
    const u64 filled = is_negative && available < 64 ? raw | (~u64{0} << available) : raw;
    return static_cast<T>((filled & field) | (is_negative ? ~field : 0));
  }
};
struct InsertBits {  ///< a into b
  template <typename T> static T of(T a, T b, u32 place, u32 count) {
    place &= 255u, count &= 255u;
    const u64 field = (count >= 64 ? ~u64{0} : (u64{1} << count) - 1);
    const u64 where = place >= 64 ? 0 : field << place;
    return static_cast<T>((b & ~where) | ((place >= 64 ? 0 : static_cast<u64>(a) << place) & where));
  }
};
struct PermuteBytes {
  static u32 of(u32 a, u32 b, u32 selector) {
    const u64 both = static_cast<u64>(b) << 32 | a;
    u32 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const u32 choice = selector >> (4 * i);
      const u32 byte = static_cast<u32>(both >> (8 * (choice & 7u))) & 255u;
      result |= ((choice & 8u) != 0 ? ((byte & 128u) != 0 ? 255u : 0u) : byte) << (8 * i);
    }
    return result;
  }
};
struct Logic3 {
  static u32 of(u32 a, u32 b, u32 c, u32 table) {
    u32 result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (((table >> i) & 1u) != 0) result |= ((i & 4u) != 0 ? a : ~a) & ((i & 2u) != 0 ? b : ~b) & ((i & 1u) != 0 ? c : ~c);
    return result;
  }
};
template <bool left, bool wrap> struct FunnelShift {
  static u32 of(u32 low, u32 high, u32 count) {
    const u32 n = wrap ? count & 31u : (count > 32 ? 32 : count);
    const u64 both = static_cast<u64>(high) << 32 | low;
    return left ? static_cast<u32>((both << n) >> 32) : static_cast<u32>(both >> n);
  }
};
template <typename A, typename B> struct DotBytes {  ///< dp4a: A, B are the types of the bytes
  static u32 of(u32 a, u32 b, u32 c) {
    for (unsigned i = 0; i < 4; ++i) c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (8 * i))) * static_cast<s32>(static_cast<B>(b >> (8 * i))));
    return c;
  }
};
struct SelectBySign {
  static u32 of(u32 a, u32 b, s32 c) { return c >= 0 ? a : b; }
  static u32 of(u32 a, u32 b, float c) { return c >= 0 ? a : b; }
};
/// The product of two T in twice the bits.
template <typename T> struct MultiplyWide {
  template <typename L> static Twice<T> of(L a, L b) { return static_cast<Twice<T>>(static_cast<T>(a)) * static_cast<Twice<T>>(static_cast<T>(b)); }
  template <typename L, typename C> static C of(L a, L b, C c) { return Add::of(static_cast<C>(of(a, b)), c); }
};
/// F on 16-bit values in 32-bit lanes.
template <typename F, typename T> struct Narrow {
  static u32 of(u32 a) { return static_cast<u32>(F::of(static_cast<T>(a))); }
  static u32 of(u32 a, u32 b) { return static_cast<u32>(F::of(static_cast<T>(a), static_cast<T>(b))); }
  static u32 of(u32 a, u32 b, u32 c) { return static_cast<u32>(F::of(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c))); }
};
template <typename F, typename T> struct NarrowShift {
  static u32 of(u32 a, u32 b) { return static_cast<u32>(F::of(static_cast<T>(a), b)); }
};

/// The same operation for six types; `names` in the order u16 s16 u32 s32 u64 s64, a null pointer where PTX has none.
template <typename F> void add_binary_integer(std::vector<Operation>& table, const std::array<const char*, 6>& names, Kind kind = Kind::integer) {
  const std::array<Handler, 6> handlers = {binary<Narrow<F, u16>, u32, u32, u32>, binary<Narrow<F, s16>, u32, u32, u32>, binary<F, u32, u32, u32>,
                                           binary<F, s32, s32, s32>,              binary<F, u64, u64, u64>,              binary<F, s64, s64, s64>};
  for (unsigned i = 0; i < 6; ++i)
    if (names[i] != nullptr) table.push_back({names[i], i < 4 ? "i:ii" : "l:ll", kind, handlers[i]});
}
template <typename F> void add_bitwise(std::vector<Operation>& table, const char* b16, const char* b32, const char* b64) {
  table.push_back({b16, "i:ii", Kind::integer, binary<F, u32, u32, u32>});
  table.push_back({b32, "i:ii", Kind::integer, often_binary<F, u32, u32, u32>});
  table.push_back({b64, "l:ll", Kind::integer, binary<F, u64, u64, u64>});
}

inline void add_integer_arithmetic(std::vector<Operation>& table) {
  table.push_back({"add.{u32|s32}", "i:ii", Kind::integer, often_binary<Add, u32, u32, u32>});
  table.push_back({"add.{u64|s64}", "l:ll", Kind::integer, often_binary<Add, u64, u64, u64>});
  add_binary_integer<Add>(table, {"add.u16", "add.s16", nullptr, nullptr, nullptr, nullptr});
  add_binary_integer<Subtract>(table, {"sub.u16", "sub.s16", "sub.u32", "sub.s32", "sub.u64", "sub.s64"});
  add_binary_integer<MultiplyLow>(table, {"mul.lo.u16", "mul.lo.s16", "mul.lo.u32", "mul.lo.s32", "mul.lo.u64", "mul.lo.s64"});
  add_binary_integer<MultiplyHigh>(table, {"mul.hi.u16", "mul.hi.s16", "mul.hi.u32", "mul.hi.s32", "mul.hi.u64", "mul.hi.s64"});
  add_binary_integer<Divide>(table, {"div.u16", "div.s16", "div.u32", "div.s32", "div.u64", "div.s64"}, Kind::special_function);
  add_binary_integer<Remainder>(table, {"rem.u16", "rem.s16", "rem.u32", "rem.s32", "rem.u64", "rem.s64"}, Kind::special_function);
  add_binary_integer<Minimum>(table, {"min.u16", "min.s16", "min.u32", "min.s32", "min.u64", "min.s64"});
  add_binary_integer<Maximum>(table, {"max.u16", "max.s16", "max.u32", "max.s32", "max.u64", "max.s64"});
  const std::vector<Operation> rest = {
      {"mul.wide.u16", "i:ii", Kind::integer, binary<MultiplyWide<u16>, u32, u32, u32>},
      {"mul.wide.s16", "i:ii", Kind::integer, binary<MultiplyWide<s16>, s32, u32, u32>},
      {"mul.wide.u32", "l:ii", Kind::integer, often_binary<MultiplyWide<u32>, u64, u32, u32>},
      {"mul.wide.s32", "l:ii", Kind::integer, often_binary<MultiplyWide<s32>, s64, u32, u32>},
      {"mad.wide.u16", "i:iii", Kind::integer, ternary<MultiplyWide<u16>, u32, u32, u32, u32>},
      {"mad.wide.s16", "i:iii", Kind::integer, ternary<MultiplyWide<s16>, u32, u32, u32, u32>},
      {"mad.wide.u32", "l:iil", Kind::integer, often_ternary<MultiplyWide<u32>, u64, u32, u32, u64>},
      {"mad.wide.s32", "l:iil", Kind::integer, often_ternary<MultiplyWide<s32>, u64, u32, u32, u64>},
      {"mad.lo.{u16|s16}", "i:iii", Kind::integer, ternary<Narrow<ThenAdd<MultiplyLow>, u16>, u32, u32, u32, u32>},
      {"mad.lo.{u32|s32}", "i:iii", Kind::integer, often_ternary<ThenAdd<MultiplyLow>, u32, u32, u32, u32>},
      {"mad.lo.{u64|s64}", "l:lll", Kind::integer, ternary<ThenAdd<MultiplyLow>, u64, u64, u64, u64>},
      {"mad.hi.u32", "i:iii", Kind::integer, ternary<ThenAdd<MultiplyHigh>, u32, u32, u32, u32>},
      {"mad.hi.s32", "i:iii", Kind::integer, ternary<ThenAdd<MultiplyHigh>, s32, s32, s32, s32>},
      {"neg.s16", "i:i", Kind::integer, unary<Narrow<Negate, s16>, u32, u32>},
      {"neg.s32", "i:i", Kind::integer, unary<Negate, s32, s32>},
      {"neg.s64", "l:l", Kind::integer, unary<Negate, s64, s64>},
      {"abs.s16", "i:i", Kind::integer, unary<Narrow<Absolute, s16>, u32, u32>},
      {"abs.s32", "i:i", Kind::integer, unary<Absolute, s32, s32>},
      {"abs.s64", "l:l", Kind::integer, unary<Absolute, s64, s64>},
      {"dp4a.u32.u32", "i:iii", Kind::integer, ternary<DotBytes<std::uint8_t, std::uint8_t>, u32, u32, u32, u32>},
      {"dp4a.u32.s32", "i:iii", Kind::integer, ternary<DotBytes<std::uint8_t, std::int8_t>, u32, u32, u32, u32>},
      {"dp4a.s32.u32", "i:iii", Kind::integer, ternary<DotBytes<std::int8_t, std::uint8_t>, u32, u32, u32, u32>},
      {"dp4a.s32.s32", "i:iii", Kind::integer, ternary<DotBytes<std::int8_t, std::int8_t>, u32, u32, u32, u32>},
  };
  table.insert(table.end(), rest.begin(), rest.end());
}

inline void add_integer_logic(std::vector<Operation>& table) {
  add_bitwise<And>(table, "and.b16", "and.b32", "and.b64");
  add_bitwise<Or>(table, "or.b16", "or.b32", "or.b64");
  add_bitwise<Xor>(table, "xor.b16", "xor.b32", "xor.b64");
  const std::vector<Operation> rest = {
      {"not.{b16|b32}", "i:i", Kind::integer, unary<Not, u32, u32>},
      {"not.b64", "l:l", Kind::integer, unary<Not, u64, u64>},
      {"shl.b16", "i:ii", Kind::integer, binary<NarrowShift<ShiftLeft, u16>, u32, u32, u32>},
      {"shl.b32", "i:ii", Kind::integer, often_binary<ShiftLeft, u32, u32, u32>},
      {"shl.b64", "l:li", Kind::integer, binary<ShiftLeft, u64, u64, u32>},
      {"shr.{b16|u16}", "i:ii", Kind::integer, binary<NarrowShift<ShiftRight, u16>, u32, u32, u32>},
      {"shr.s16", "i:ii", Kind::integer, binary<NarrowShift<ShiftRight, s16>, u32, u32, u32>},
      {"shr.{b32|u32}", "i:ii", Kind::integer, often_binary<ShiftRight, u32, u32, u32>},
      {"shr.s32", "i:ii", Kind::integer, binary<ShiftRight, s32, s32, u32>},
      {"shr.{b64|u64}", "l:li", Kind::integer, binary<ShiftRight, u64, u64, u32>},
      {"shr.s64", "l:li", Kind::integer, binary<ShiftRight, s64, s64, u32>},
      {"popc.b32", "i:i", Kind::integer, unary<Population, u32, u32>},
      {"popc.b64", "i:l", Kind::integer, unary<Population, u32, u64>},
      {"clz.b32", "i:i", Kind::integer, unary<LeadingZeros, u32, u32>},
      {"clz.b64", "i:l", Kind::integer, unary<LeadingZeros, u32, u64>},
      {"brev.b32", "i:i", Kind::integer, unary<ReverseBits, u32, u32>},
      {"brev.b64", "l:l", Kind::integer, unary<ReverseBits, u64, u64>},
      {"bfind.u32", "i:i", Kind::integer, unary<FindLeading, u32, u32>},
      {"bfind.s32", "i:i", Kind::integer, unary<FindLeading, u32, s32>},
      {"bfe.u32", "i:iii", Kind::integer, ternary<ExtractBits, u32, u32, u32, u32>},
      {"bfe.s32", "i:iii", Kind::integer, ternary<ExtractBits, s32, s32, u32, u32>},
      {"bfe.u64", "l:lii", Kind::integer, ternary<ExtractBits, u64, u64, u32, u32>},
      {"bfe.s64", "l:lii", Kind::integer, ternary<ExtractBits, s64, s64, u32, u32>},
      {"bfi.b32", "i:iiii", Kind::integer, quaternary<InsertBits, u32>},
      {"bfi.b64", "l:llii", Kind::integer, quaternary<InsertBits, u64>},
      {"prmt.b32", "i:iii", Kind::integer, ternary<PermuteBytes, u32, u32, u32, u32>},
      {"lop3.b32", "i:iiii", Kind::integer, quaternary<Logic3, u32>},
      {"shf.l.wrap.b32", "i:iii", Kind::integer, ternary<FunnelShift<true, true>, u32, u32, u32, u32>},
      {"shf.l.clamp.b32", "i:iii", Kind::integer, ternary<FunnelShift<true, false>, u32, u32, u32, u32>},
      {"shf.r.wrap.b32", "i:iii", Kind::integer, ternary<FunnelShift<false, true>, u32, u32, u32, u32>},
      {"shf.r.clamp.b32", "i:iii", Kind::integer, ternary<FunnelShift<false, false>, u32, u32, u32, u32>},
      {"slct.{u32|s32|b32|f32}.s32", "i:iii", Kind::integer, ternary<SelectBySign, u32, u32, u32, s32>},
      {"slct.{u32|s32|b32|f32}.f32", "i:iif", Kind::integer, ternary<SelectBySign, u32, u32, u32, float>},
      {"selp.{b16|u16|s16|b32|u32|s32}", "i:iip", Kind::integer, select<u32>},
      {"selp.f32", "f:ffp", Kind::integer, select<u32>},
      {"selp.{b64|u64|s64}", "l:llp", Kind::integer, select<u64>},
      {"selp.f64", "d:ddp", Kind::integer, select<u64>},
      {"mov.{b16|u16|s16|b32|u32|s32}", "i:i", Kind::move, often_unary<Copy, u32, u32>},
      {"mov.f32", "f:f", Kind::move, often_unary<Copy, u32, u32>},
      {"mov.{b64|u64|s64}", "l:l", Kind::move, often_unary<Copy, u64, u64>},
      {"mov.f64", "d:d", Kind::move, unary<Copy, u64, u64>},
  };
  table.insert(table.end(), rest.begin(), rest.end());
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
