// cvt between integers and floats, cvta between the spaces of addresses, and vectors packed into wider registers.
#if defined(LACUNA_SIM_LANES_CONVERT) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_CONVERT
#undef LACUNA_SIM_LANES_CONVERT
#else
#define LACUNA_SIM_LANES_CONVERT
#endif

#include <cmath>
#include <deque>
#include <limits>
#include <string>

#include "devices/sim/half.hpp"
#include "devices/sim/lanes_float-inl.hpp"
#include "devices/sim/lanes_integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

/// The lane that holds a T: of 64 bits for 64-bit types, else of 32.
template <typename T> using LaneOf = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <typename T> inline LaneOf<T> to_lane(T value) { return static_cast<LaneOf<T>>(static_cast<std::conditional_t<std::is_signed_v<T>, s64, u64>>(value)); }

template <typename To, typename From> struct IntegerToInteger {
  static LaneOf<To> of(LaneOf<From> a) { return to_lane(static_cast<To>(static_cast<From>(a))); }
};
template <typename To, typename From> struct IntegerToFloat {
  static To of(LaneOf<From> a) { return static_cast<To>(static_cast<From>(a)); }
};
template <typename From> struct IntegerToHalf {
  static u32 of(LaneOf<From> a) { return double_to_half(static_cast<double>(static_cast<From>(a))); }
};

enum class Rounding { nearest, zero, down, up };

template <Rounding rounding> struct ToWhole {
  static float of(float a) {
    if constexpr (rounding == Rounding::nearest) return __builtin_rintf(a);
    else if constexpr (rounding == Rounding::zero) return __builtin_truncf(a);
    else if constexpr (rounding == Rounding::down) return __builtin_floorf(a);
    else return __builtin_ceilf(a);
  }
  static double of(double a) {
    if constexpr (rounding == Rounding::nearest) return __builtin_rint(a);
    else if constexpr (rounding == Rounding::zero) return __builtin_trunc(a);
    else if constexpr (rounding == Rounding::down) return __builtin_floor(a);
    else return __builtin_ceil(a);
  }
};
/// Clipped to the range; NaN becomes 0.
template <typename To, typename From, Rounding rounding> struct FloatToInteger {
  static LaneOf<To> of(From a) {
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From above = std::is_signed_v<To> ? -static_cast<From>(std::numeric_limits<To>::min()) : static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    const From whole = ToWhole<rounding>::of(a);
    if (whole != whole) return 0;
    if (whole < low) return to_lane(std::numeric_limits<To>::min());
    if (whole >= above) return to_lane(std::numeric_limits<To>::max());
    return to_lane(static_cast<To>(whole));
  }
};
template <typename To, Rounding rounding> struct HalfToInteger {
  static LaneOf<To> of(u32 a) { return FloatToInteger<To, float, rounding>::of(half_to_float(a & 0xffffu)); }
};
struct Same { template <typename T> static T of(T a) { return a; } };
struct HalfToFloat { static float of(u32 a) { return half_to_float(a & 0xffffu); } };
struct HalfToDouble { static double of(u32 a) { return half_to_float(a & 0xffffu); } };
struct FloatToHalf { static u32 of(float a) { return float_to_half(a); } };
struct FloatToHalfRelu { static u32 of(float a) { return float_to_half(a > 0 || a != a ? a : 0.0f); } };
struct DoubleToHalf { static u32 of(double a) { return double_to_half(a); } };
struct BfloatToFloat { static float of(u32 a) { return bfloat_to_float(a & 0xffffu); } };
struct FloatToBfloat { static u32 of(float a) { return float_to_bfloat(a); } };
struct FloatsToHalves { static u32 of(float a, float b) { return float_to_half(a) << 16 | float_to_half(b); } };
struct FloatsToBfloats { static u32 of(float a, float b) { return float_to_bfloat(a) << 16 | float_to_bfloat(b); } };
struct DoubleToFloat { static float of(double a) { return static_cast<float>(a); } };
struct FloatToDouble { static double of(float a) { return a; } };

inline constexpr std::array<const char*, 8> integer_names = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
template <typename T> constexpr unsigned place_of() { return static_cast<unsigned>(std::countr_zero(sizeof(T))) * 2 + (std::is_signed_v<T> ? 1u : 0u); }
template <typename T> constexpr char letter_of() { return sizeof(T) == 8 ? 'l' : 'i'; }

/// Names of generated rows live as long as the program.
inline const char* keep_text(const std::string& text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(text).c_str();
}

inline void add_convert(std::vector<Operation>& table, const std::string& name, const std::string& operands, Handler handler) {
  table.push_back({keep_text(name), keep_text(operands), Kind::convert, handler});
}

template <typename To, typename From> void add_integer_pair(std::vector<Operation>& table) {
  const std::string types = std::string(".") + integer_names[place_of<To>()] + "." + integer_names[place_of<From>()], operands = {letter_of<To>(), ':', letter_of<From>()};
  using Source = std::conditional_t<sizeof(To) <= sizeof(From), std::make_unsigned_t<From>, From>;  // where bits are only cut off, the sign does not matter
  add_convert(table, "cvt" + types, operands, unary<IntegerToInteger<To, Source>, LaneOf<To>, LaneOf<From>>);
}
template <typename To, Rounding rounding> void add_rounded(std::vector<Operation>& table, const std::string& mode) {
  const std::string to = integer_names[place_of<To>()];
  add_convert(table, "cvt." + mode + "[.ftz][.sat]." + to + ".f32", {letter_of<To>(), ':', 'f'}, unary<FloatToInteger<To, float, rounding>, LaneOf<To>, float>);
  add_convert(table, "cvt." + mode + "[.sat]." + to + ".f64", {letter_of<To>(), ':', 'd'}, unary<FloatToInteger<To, double, rounding>, LaneOf<To>, double>);
  if constexpr (sizeof(To) <= 4) add_convert(table, "cvt." + mode + "[.sat]." + to + ".f16", {letter_of<To>(), ':', 'i'}, unary<HalfToInteger<To, rounding>, LaneOf<To>, u32>);
}
template <typename T> void add_integer_conversions(std::vector<Operation>& table) {
  add_integer_pair<u8, T>(table), add_integer_pair<std::int8_t, T>(table), add_integer_pair<u16, T>(table), add_integer_pair<s16, T>(table);
  add_integer_pair<u32, T>(table), add_integer_pair<s32, T>(table), add_integer_pair<u64, T>(table), add_integer_pair<s64, T>(table);
  add_rounded<T, Rounding::nearest>(table, "rni"), add_rounded<T, Rounding::zero>(table, "rzi");
  if constexpr (sizeof(T) >= 4) add_rounded<T, Rounding::down>(table, "rmi"), add_rounded<T, Rounding::up>(table, "rpi");
  const std::string from = integer_names[place_of<T>()];
  add_convert(table, "cvt.rn.f32." + from, {'f', ':', letter_of<T>()}, unary<IntegerToFloat<float, T>, float, LaneOf<T>>);
  add_convert(table, "cvt.rn.f64." + from, {'d', ':', letter_of<T>()}, unary<IntegerToFloat<double, T>, double, LaneOf<T>>);
  add_convert(table, "cvt.rn.f16." + from, {'i', ':', letter_of<T>()}, unary<IntegerToHalf<T>, u32, LaneOf<T>>);
}
template <Rounding rounding> void add_whole(std::vector<Operation>& table, const std::string& mode) {
  add_convert(table, "cvt." + mode + ".f32.f32", "f:f", unary<ToWhole<rounding>, float, float>);
  add_convert(table, "cvt." + mode + ".ftz.f32.f32", "f:f", unary<Flush<ToWhole<rounding>>, float, float>);
  add_convert(table, "cvt." + mode + ".f64.f64", "d:d", unary<ToWhole<rounding>, double, double>);
  add_convert(table, "cvt." + mode + ".f16.f16", "i:i", unary<Half<ToWhole<rounding>>, u32, u32>);
}

template <std::int64_t amount> struct MoveWindow {
  static u64 of(u64 a) { return a + static_cast<u64>(amount); }
  static u32 of(u32 a) { return a; }
};
struct Pack32 { static u32 of(u32 low, u32 high) { return (low & 0xffffu) | high << 16; } };
struct Pack64 { static u64 of(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; } };

template <typename Lane, unsigned bits> void unpack(Warp& warp, const Instruction& in, std::uint32_t mask) {
  alignas(64) u32 low[lanes], high[lanes];
  const Lane* const a = warp.source<Lane>(in.a);
  constexpr Lane half = (Lane{1} << bits) - 1;
  for (unsigned i = 0; i < lanes; ++i) low[i] = static_cast<u32>(a[i] & half), high[i] = static_cast<u32>(a[i] >> bits);
  keep(warp.target<u32>(in.d), low, mask);
  keep(warp.target<u32>(in.e), high, mask);
}

inline void add_conversion_operations(std::vector<Operation>& table) {
  add_integer_conversions<u8>(table), add_integer_conversions<std::int8_t>(table), add_integer_conversions<u16>(table), add_integer_conversions<s16>(table);
  add_integer_conversions<u32>(table), add_integer_conversions<s32>(table), add_integer_conversions<u64>(table), add_integer_conversions<s64>(table);
  add_whole<Rounding::nearest>(table, "rni"), add_whole<Rounding::zero>(table, "rzi"), add_whole<Rounding::down>(table, "rmi"), add_whole<Rounding::up>(table, "rpi");
  constexpr auto shared = static_cast<std::int64_t>(shared_window), local = static_cast<std::int64_t>(local_window);
  const std::vector<Operation> rest = {
      {"cvt.f32.f32", "f:f", Kind::convert, unary<Same, float, float>},
      {"cvt.ftz.f32.f32", "f:f", Kind::convert, unary<Flush<Same>, float, float>},
      {"cvt.sat.f32.f32", "f:f", Kind::convert, unary<Saturate<Same>, float, float>},
      {"cvt.ftz.sat.f32.f32", "f:f", Kind::convert, unary<Flush<Saturate<Same>>, float, float>},
      {"cvt[.ftz].f64.f32", "d:f", Kind::convert, unary<FloatToDouble, double, float>},
      {"cvt.rn.f32.f64", "f:d", Kind::convert, unary<DoubleToFloat, float, double>},
      {"cvt[.ftz].f32.f16", "f:i", Kind::convert, unary<HalfToFloat, float, u32>},
      {"cvt.f64.f16", "d:i", Kind::convert, unary<HalfToDouble, double, u32>},
      {"cvt.rn[.ftz].f16.f32", "i:f", Kind::convert, unary<FloatToHalf, u32, float>},
      {"cvt.rn.relu.f16.f32", "i:f", Kind::convert, unary<FloatToHalfRelu, u32, float>},
      {"cvt.rn.f16.f64", "i:d", Kind::convert, unary<DoubleToHalf, u32, double>},
      {"cvt.f32.bf16", "f:i", Kind::convert, unary<BfloatToFloat, float, u32>},
      {"cvt.rn.bf16.f32", "i:f", Kind::convert, unary<FloatToBfloat, u32, float>},
      {"cvt.rn.f16x2.f32", "i:ff", Kind::convert, binary<FloatsToHalves, u32, float, float>},
      {"cvt.rn.bf16x2.f32", "i:ff", Kind::convert, binary<FloatsToBfloats, u32, float, float>},
      {"cvta.{global|const|param}.u64", "l:l", Kind::integer, unary<Copy, u64, u64>},
      {"cvta.to.{global|const|param}.u64", "l:l", Kind::integer, unary<Copy, u64, u64>},
      {"cvta.shared.u64", "l:l", Kind::integer, unary<MoveWindow<shared>, u64, u64>},
      {"cvta.to.shared.u64", "l:l", Kind::integer, unary<MoveWindow<-shared>, u64, u64>},
      {"cvta.local.u64", "l:l", Kind::integer, unary<MoveWindow<local>, u64, u64>},
      {"cvta.to.local.u64", "l:l", Kind::integer, unary<MoveWindow<-local>, u64, u64>},
      {"mov.b32.pack", "i:ii", Kind::move, binary<Pack32, u32, u32, u32>},
      {"mov.b64.pack", "l:ii", Kind::move, binary<Pack64, u64, u32, u32>},
      {"mov.b32.unpack", "ii:i", Kind::move, unpack<u32, 16>},
      {"mov.b64.unpack", "ii:l", Kind::move, unpack<u64, 32>},
  };
  table.insert(table.end(), rest.begin(), rest.end());
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
