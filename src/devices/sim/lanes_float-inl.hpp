// Arithmetic of f32, f64 and f16. Approximations (rcp.approx, ex2.approx, ...) are computed with the C library: closer to the truth than a GPU's.
#if defined(LACUNA_SIM_LANES_FLOAT) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_FLOAT
#undef LACUNA_SIM_LANES_FLOAT
#else
#define LACUNA_SIM_LANES_FLOAT
#endif

#include <bit>
#include <cmath>
#include <limits>

#include "devices/sim/half.hpp"
#include "devices/sim/lanes_apply-inl.hpp"
#include "devices/sim/operations.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

template <typename T>
inline auto bits_of(T value) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  else return std::bit_cast<std::uint64_t>(value);
}

struct FloatAdd { template <typename T> static T of(T a, T b) { return a + b; } };
struct FloatSubtract { template <typename T> static T of(T a, T b) { return a - b; } };
struct FloatMultiply { template <typename T> static T of(T a, T b) { return a * b; } };
struct FloatDivide { template <typename T> static T of(T a, T b) { return a / b; } };
struct FloatMultiplyAdd {
  static float of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double of(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct FloatNegate { template <typename T> static T of(T a) { return -a; } };
struct FloatAbsolute {
  static float of(float a) { return __builtin_fabsf(a); }
  static double of(double a) { return __builtin_fabs(a); }
};
/// The other one where one is NaN; -0 is less than +0.
struct FloatMinimum {
  template <typename T> static T of(T a, T b) {
    const T equal = std::bit_cast<T>(bits_of(a) | bits_of(b));
    const T less = a < b ? a : b;
    const T ordered = a == b ? equal : less;
    const T no_b = b != b ? a : ordered;
    return a != a ? b : no_b;
  }
};
struct FloatMaximum {
  template <typename T> static T of(T a, T b) {
    const T equal = std::bit_cast<T>(bits_of(a) & bits_of(b));
    const T greater = a > b ? a : b;
    const T ordered = a == b ? equal : greater;
    const T no_b = b != b ? a : ordered;
    return a != a ? b : no_b;
  }
};
/// NaN where one is NaN.
template <typename F> struct OrNan {
  template <typename T> static T of(T a, T b) { return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : F::of(a, b); }
};
struct FloatSquareRoot {
  static float of(float a) { return __builtin_sqrtf(a); }
  static double of(double a) { return __builtin_sqrt(a); }
};
struct FloatReciprocal { template <typename T> static T of(T a) { return T(1) / a; } };
struct FloatReciprocalRoot {
  static float of(float a) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))); }
  static double of(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct FloatExp2 { static float of(float a) { return std::exp2(a); } };
struct FloatLog2 { static float of(float a) { return std::log2(a); } };
struct FloatSine { static float of(float a) { return std::sin(a); } };
struct FloatCosine { static float of(float a) { return std::cos(a); } };
struct FloatTanh { static float of(float a) { return std::tanh(a); } };
struct FloatCopySign {  ///< PTX: the sign of a, the magnitude of b
  static float of(float a, float b) { return std::bit_cast<float>((bits_of(a) & 0x80000000u) | (bits_of(b) & 0x7fffffffu)); }
  static double of(double a, double b) { return std::bit_cast<double>((bits_of(a) & (std::uint64_t{1} << 63)) | (bits_of(b) & ~(std::uint64_t{1} << 63))); }
};

inline float flushed(float a) { return __builtin_fabsf(a) < std::numeric_limits<float>::min() ? std::bit_cast<float>(bits_of(a) & 0x80000000u) : a; }
/// .ftz: subnormals in and out become zero.
template <typename F> struct Flush {
  static float of(float a) { return flushed(F::of(flushed(a))); }
  static float of(float a, float b) { return flushed(F::of(flushed(a), flushed(b))); }
  static float of(float a, float b, float c) { return flushed(F::of(flushed(a), flushed(b), flushed(c))); }
};
/// .sat: clipped to [0, 1], NaN becomes 0.
template <typename F> struct Saturate {
  static float clip(float a) { const float low = a > 0.0f ? a : 0.0f; return low < 1.0f ? low : 1.0f; }
  static float of(float a) { return clip(F::of(a)); }
  static float of(float a, float b) { return clip(F::of(a, b)); }
  static float of(float a, float b, float c) { return clip(F::of(a, b, c)); }
};

enum class Direction { zero, down, up };
/// product + addend of f32 values, rounded into a direction. The product is exact in f64; of the sum, what rounding takes away is found (Knuth's two-sum).
template <Direction direction> inline float directed(double product, double addend) {
  const double sum = product + addend, part = sum - product, lost = (product - (sum - part)) + (addend - part);
  const float near = static_cast<float>(sum);
  if (!(std::fabs(sum) <= std::numeric_limits<double>::max())) return near;
  const double back = near;
  const bool is_above = back > sum || (back == sum && lost < 0), is_below = back < sum || (back == sum && lost > 0);
  const bool is_negative = sum < 0;
  if (is_above && (direction == Direction::down || (direction == Direction::zero && !is_negative))) return std::nextafterf(near, -std::numeric_limits<float>::infinity());
  if (is_below && (direction == Direction::up || (direction == Direction::zero && is_negative))) return std::nextafterf(near, std::numeric_limits<float>::infinity());
  return near;
}
template <Direction direction> struct DirectedAdd { static float of(float a, float b) { return directed<direction>(a, b); } };
template <Direction direction> struct DirectedSubtract { static float of(float a, float b) { return directed<direction>(a, -static_cast<double>(b)); } };
template <Direction direction> struct DirectedMultiply { static float of(float a, float b) { return directed<direction>(static_cast<double>(a) * b, 0.0); } };
template <Direction direction> struct DirectedMultiplyAdd { static float of(float a, float b, float c) { return directed<direction>(static_cast<double>(a) * b, c); } };

/// f16 in the low half of a lane. Sums and products of halves are exact in f32 or rounded innocuously; a fused sum needs f64.
template <typename F> struct Half {
  static std::uint32_t of(std::uint32_t a) { return float_to_half(F::of(half_to_float(a & 0xffffu))); }
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) { return float_to_half(F::of(half_to_float(a & 0xffffu), half_to_float(b & 0xffffu))); }
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c);
};
/// From f64 to f16 with one rounding: f32 in between is rounded to odd.
inline std::uint32_t double_to_half(double exact) {
  float near = static_cast<float>(exact);
  const double back = near;
  if (back != exact && exact == exact && (bits_of(near) & 1u) == 0) {
    const bool is_too_large = std::fabs(back) > std::fabs(exact);
    near = std::bit_cast<float>(bits_of(near) + (is_too_large ? -1u : 1u));
  }
  return float_to_half(near);
}
template <typename F> std::uint32_t Half<F>::of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double product = static_cast<double>(half_to_float(a & 0xffffu)) * half_to_float(b & 0xffffu);
  return double_to_half(product + half_to_float(c & 0xffffu));  // exact: half's exponents span 41 bits, see docs/simulator.md
}
template <typename F> struct HalfPair {
  static std::uint32_t of(std::uint32_t a) { return Half<F>::of(a) | Half<F>::of(a >> 16) << 16; }
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) { return Half<F>::of(a, b) | Half<F>::of(a >> 16, b >> 16) << 16; }
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return Half<F>::of(a, b, c) | Half<F>::of(a >> 16, b >> 16, c >> 16) << 16; }
};

using Word = std::uint32_t;

template <typename F> void add_binary_float(std::vector<Operation>& table, const char* f32, const char* f32_ftz, const char* f64) {
  table.push_back({f32, "f:ff", Kind::floating, often_binary<F, float, float, float>});
  table.push_back({f32_ftz, "f:ff", Kind::floating, binary<Flush<F>, float, float, float>});
  if (f64 != nullptr) table.push_back({f64, "d:dd", Kind::floating, binary<F, double, double, double>});
}
template <typename F> void add_binary_half(std::vector<Operation>& table, const char* f16, const char* f16x2) {
  table.push_back({f16, "i:ii", Kind::floating, binary<Half<F>, Word, Word, Word>});
  table.push_back({f16x2, "i:ii", Kind::floating, binary<HalfPair<F>, Word, Word, Word>});
}
template <typename F> void add_special_function(std::vector<Operation>& table, const char* f32, const char* f32_ftz) {
  table.push_back({f32, "f:f", Kind::special_function, unary<F, float, float>});
  table.push_back({f32_ftz, "f:f", Kind::special_function, unary<Flush<F>, float, float>});
}

template <Direction direction> void add_directed(std::vector<Operation>& table, const std::array<const char*, 4>& names) {
  table.push_back({names[0], "f:ff", Kind::floating, binary<DirectedAdd<direction>, float, float, float>});
  table.push_back({names[1], "f:ff", Kind::floating, binary<DirectedSubtract<direction>, float, float, float>});
  table.push_back({names[2], "f:ff", Kind::floating, binary<DirectedMultiply<direction>, float, float, float>});
  table.push_back({names[3], "f:fff", Kind::multiply_add, ternary<DirectedMultiplyAdd<direction>, float, float, float, float>});
}

inline void add_float_operations(std::vector<Operation>& table) {
  add_binary_float<FloatAdd>(table, "add[.rn].f32", "add[.rn].ftz.f32", "add[.rn].f64");
  add_binary_float<FloatSubtract>(table, "sub[.rn].f32", "sub[.rn].ftz.f32", "sub[.rn].f64");
  add_binary_float<FloatMultiply>(table, "mul[.rn].f32", "mul[.rn].ftz.f32", "mul[.rn].f64");
  add_binary_float<FloatMinimum>(table, "min.f32", "min.ftz.f32", "min.f64");
  add_binary_float<FloatMaximum>(table, "max.f32", "max.ftz.f32", "max.f64");
  add_binary_float<OrNan<FloatMinimum>>(table, "min.NaN.f32", "min.ftz.NaN.f32", nullptr);
  add_binary_float<OrNan<FloatMaximum>>(table, "max.NaN.f32", "max.ftz.NaN.f32", nullptr);
  add_directed<Direction::zero>(table, {"add.rz.f32", "sub.rz.f32", "mul.rz.f32", "fma.rz.f32"});
  add_directed<Direction::down>(table, {"add.rm.f32", "sub.rm.f32", "mul.rm.f32", "fma.rm.f32"});
  add_directed<Direction::up>(table, {"add.rp.f32", "sub.rp.f32", "mul.rp.f32", "fma.rp.f32"});
  add_binary_half<FloatAdd>(table, "add[.rn].f16", "add[.rn].f16x2");
  add_binary_half<FloatSubtract>(table, "sub[.rn].f16", "sub[.rn].f16x2");
  add_binary_half<FloatMultiply>(table, "mul[.rn].f16", "mul[.rn].f16x2");
  add_binary_half<FloatMinimum>(table, "min.f16", "min.f16x2");
  add_binary_half<FloatMaximum>(table, "max.f16", "max.f16x2");
  const std::vector<Operation> rest = {
      {"add[.rn].sat.f32", "f:ff", Kind::floating, binary<Saturate<FloatAdd>, float, float, float>},
      {"sub[.rn].sat.f32", "f:ff", Kind::floating, binary<Saturate<FloatSubtract>, float, float, float>},
      {"mul[.rn].sat.f32", "f:ff", Kind::floating, binary<Saturate<FloatMultiply>, float, float, float>},
      {"{fma|mad}.rn.f32", "f:fff", Kind::multiply_add, often_ternary<FloatMultiplyAdd, float, float, float, float>},
      {"{fma|mad}.rn.ftz.f32", "f:fff", Kind::multiply_add, ternary<Flush<FloatMultiplyAdd>, float, float, float, float>},
      {"{fma|mad}.rn.sat.f32", "f:fff", Kind::multiply_add, ternary<Saturate<FloatMultiplyAdd>, float, float, float, float>},
      {"{fma|mad}.rn.f64", "d:ddd", Kind::multiply_add, ternary<FloatMultiplyAdd, double, double, double, double>},
      {"fma.rn.f16", "i:iii", Kind::multiply_add, ternary<Half<FloatMultiplyAdd>, Word, Word, Word, Word>},
      {"fma.rn.f16x2", "i:iii", Kind::multiply_add, ternary<HalfPair<FloatMultiplyAdd>, Word, Word, Word, Word>},
      {"neg.f32", "f:f", Kind::floating, unary<FloatNegate, float, float>},
      {"neg.ftz.f32", "f:f", Kind::floating, unary<Flush<FloatNegate>, float, float>},
      {"neg.f64", "d:d", Kind::floating, unary<FloatNegate, double, double>},
      {"neg.f16", "i:i", Kind::floating, unary<Half<FloatNegate>, Word, Word>},
      {"neg.f16x2", "i:i", Kind::floating, unary<HalfPair<FloatNegate>, Word, Word>},
      {"abs.f32", "f:f", Kind::floating, unary<FloatAbsolute, float, float>},
      {"abs.ftz.f32", "f:f", Kind::floating, unary<Flush<FloatAbsolute>, float, float>},
      {"abs.f64", "d:d", Kind::floating, unary<FloatAbsolute, double, double>},
      {"abs.f16", "i:i", Kind::floating, unary<Half<FloatAbsolute>, Word, Word>},
      {"abs.f16x2", "i:i", Kind::floating, unary<HalfPair<FloatAbsolute>, Word, Word>},
      {"copysign.f32", "f:ff", Kind::floating, binary<FloatCopySign, float, float, float>},
      {"copysign.f64", "d:dd", Kind::floating, binary<FloatCopySign, double, double, double>},
      {"div.{rn|approx|full}.f32", "f:ff", Kind::special_function, binary<FloatDivide, float, float, float>},
      {"div.{rn|approx|full}.ftz.f32", "f:ff", Kind::special_function, binary<Flush<FloatDivide>, float, float, float>},
      {"div.rn.f64", "d:dd", Kind::special_function, binary<FloatDivide, double, double, double>},
      {"rcp.rn.f64", "d:d", Kind::special_function, unary<FloatReciprocal, double, double>},
      {"sqrt.rn.f64", "d:d", Kind::special_function, unary<FloatSquareRoot, double, double>},
      {"rsqrt.approx.f64", "d:d", Kind::special_function, unary<FloatReciprocalRoot, double, double>},
      {"tanh.approx.f32", "f:f", Kind::special_function, unary<FloatTanh, float, float>},
  };
  table.insert(table.end(), rest.begin(), rest.end());
  add_special_function<FloatReciprocal>(table, "rcp.{rn|approx}.f32", "rcp.{rn|approx}.ftz.f32");
  add_special_function<FloatSquareRoot>(table, "sqrt.{rn|approx}.f32", "sqrt.{rn|approx}.ftz.f32");
  add_special_function<FloatReciprocalRoot>(table, "rsqrt.approx.f32", "rsqrt.approx.ftz.f32");
  add_special_function<FloatExp2>(table, "ex2.approx.f32", "ex2.approx.ftz.f32");
  add_special_function<FloatLog2>(table, "lg2.approx.f32", "lg2.approx.ftz.f32");
  add_special_function<FloatSine>(table, "sin.approx.f32", "sin.approx.ftz.f32");
  add_special_function<FloatCosine>(table, "cos.approx.f32", "cos.approx.ftz.f32");
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
