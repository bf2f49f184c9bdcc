// Functions of neurons on vectors of floats: each within a few units in the last place of its definition in double (tests state the bounds).
// Included once for each instruction set (node_kernels.cpp).
#if defined(LACUNA_NODE_FUNCTIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_NODE_FUNCTIONS_INL
#undef LACUNA_NODE_FUNCTIONS_INL
#else
#define LACUNA_NODE_FUNCTIONS_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "devices/cpu/node_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// e^u for u in -87 .. 88: 2^n * e^r with n whole and |r| <= ln(2) / 2, the second by a polynomial (largest relative error 1.05e-7, found by Lawson's
/// iteration), the first added to the exponent. A third of the steps of Highway's, whose range is wider.
template <class D, class Vec>
HWY_INLINE Vec exp_in_range(D d, Vec u) {
  const hn::RebindToSigned<D> whole;
  const Vec round = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: what is added to it is rounded to a whole number, which then stands in the lowest bits
  const Vec rounded = hn::MulAdd(u, hn::Set(d, 1.44269504f), round);
  const Vec n = hn::Sub(rounded, round);
  // ln 2 in two parts: the first times a whole number is exact.
  const Vec r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), u));
  Vec p = hn::MulAdd(hn::Set(d, 8.312521449e-3f), r, hn::Set(d, 4.189014670e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.666711460e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.999923156e-1f));
  p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, hn::Set(d, 1.0f)));
  return hn::BitCast(d, hn::Add(hn::BitCast(whole, p), hn::ShiftLeft<23>(hn::BitCast(whole, rounded))));
}

template <class D, class Vec>
HWY_INLINE Vec bounded_exp(D d, Vec u) {
  return exp_in_range(d, hn::Min(hn::Set(d, 88.0f), hn::Max(hn::Set(d, -87.0f), u)));
}

/// 1 / x to 2^-22: an estimate of 12 bits and a step of Newton's. A division occupies the unit for as long as the rest of the logistic function takes.
template <class D, class Vec>
HWY_INLINE Vec reciprocal(D d, Vec x) {
  const Vec estimate = hn::ApproximateReciprocal(x);
  return hn::Mul(estimate, hn::NegMulAdd(x, estimate, hn::Set(d, 2.0f)));
}

/// |u| is at most 87, see plan::GraphTable.
template <class D, class Vec>
HWY_INLINE Vec logistic(D d, Vec u) {
  return reciprocal(d, hn::Add(hn::Set(d, 1.0f), exp_in_range(d, hn::Neg(u))));
}

/// 1 - 2 / (e^2u + 1) away from zero; near it, where that would lose digits, an odd polynomial (Cephes' tanhf). |u| is at most 43, see plan::GraphTable.
template <class D, class Vec>
HWY_INLINE Vec tanh(D d, Vec u) {
  const Vec one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  const Vec far = hn::NegMulAdd(two, reciprocal(d, hn::Add(exp_in_range(d, hn::Mul(two, u)), one)), one);
  const Vec square = hn::Mul(u, u);
  Vec p = hn::MulAdd(hn::Set(d, -5.70498872745e-3f), square, hn::Set(d, 2.06390887954e-2f));
  p = hn::MulAdd(p, square, hn::Set(d, -5.37397155531e-2f));
  p = hn::MulAdd(p, square, hn::Set(d, 1.33314422036e-1f));
  p = hn::MulAdd(p, square, hn::Set(d, -3.33332819422e-1f));
  const Vec near = hn::MulAdd(hn::Mul(p, square), u, u);
  return hn::IfThenElse(hn::Lt(hn::Abs(u), hn::Set(d, 0.625f)), near, far);
}

/// max(u, 0) + log(1 + e^-|u|): nothing overflows.
template <class D, class Vec>
HWY_INLINE Vec softplus(D d, Vec u) {
  return hn::Add(hn::Max(u, hn::Zero(d)), hn::Log1p(d, bounded_exp(d, hn::Neg(hn::Abs(u)))));
}

template <class D, class Vec>
HWY_INLINE Vec quadratic_sigmoid(D d, Vec u) {
  const Vec edge = hn::Set(d, 0.999f), half = hn::Set(d, 0.5f);
  const Vec beyond = hn::Sub(hn::Abs(u), edge);
  const Vec bent = hn::IfThenElse(hn::Lt(beyond, hn::Zero(d)), hn::NegMulAdd(beyond, beyond, edge), hn::MulAdd(beyond, hn::Set(d, 0.00001f), edge));
  return hn::MulAdd(hn::IfThenElse(hn::Lt(u, hn::Zero(d)), hn::Neg(bent), bent), half, half);
}

template <class D, class Vec>
HWY_INLINE Vec polynomial_logistic(D d, Vec u) {
  const Vec one = hn::Set(d, 1.0f);
  const Vec square = hn::Mul(u, u);
  const Vec e = hn::MulAdd(hn::Mul(square, square), hn::Set(d, 0.143f), hn::MulAdd(square, hn::Set(d, 0.555f), hn::Add(one, hn::Abs(u))));
  return hn::Div(one, hn::Add(one, hn::IfThenElse(hn::Gt(u, hn::Zero(d)), hn::Div(one, e), e)));
}

template <class D, class Vec>
HWY_INLINE Vec parabolic_sigmoid(D d, Vec u) {
  const Vec one = hn::Set(d, 1.0f);
  const Vec inside = hn::Max(hn::Neg(one), hn::Min(u, one));
  const Vec to_edge = hn::Sub(one, hn::Abs(inside));
  const Vec part = hn::Mul(hn::Mul(to_edge, to_edge), hn::Set(d, 0.5f));
  return hn::IfThenElse(hn::Lt(inside, hn::Zero(d)), part, hn::Sub(one, part));
}

template <class D, class Vec>
HWY_INLINE Vec s_relu(D d, Vec u) {
  const Vec left = hn::Set(d, 0.001f), right = hn::Set(d, 0.999f), slope = hn::Set(d, 0.00001f);
  const Vec inside = hn::Min(hn::Max(u, left), right);
  return hn::MulAdd(hn::Sub(u, inside), slope, inside);
}

template <class D, class Vec>
HWY_INLINE Vec bent(D d, Curve curve, Vec u, Vec bend) {
  const Vec zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  constexpr float selu_scale = 1.0507009873554805f;
  constexpr float selu_low = selu_scale * 1.6732632423543772f;
  switch (curve) {
    case Curve::identity: return u;
    case Curve::relu: return hn::Max(u, zero);
    case Curve::leaky_relu: return hn::IfThenElse(hn::Gt(u, zero), u, hn::Mul(u, bend));
    case Curve::elu: return hn::IfThenElse(hn::Gt(u, zero), u, hn::Expm1(d, hn::Max(hn::Set(d, -87.0f), hn::Min(u, zero))));
    case Curve::selu:
      return hn::IfThenElse(hn::Gt(u, zero), hn::Mul(u, hn::Set(d, selu_scale)),
                            hn::Mul(hn::Expm1(d, hn::Max(hn::Set(d, -87.0f), hn::Min(u, zero))), hn::Set(d, selu_low)));
    case Curve::logistic: return logistic(d, u);
    case Curve::tanh: return tanh(d, u);
    case Curve::cubic_tanh: return hn::Tanh(d, hn::Mul(hn::Mul(hn::Mul(u, u), u), bend));
    case Curve::sine: return hn::Sin(d, u);
    case Curve::gauss: return hn::Exp(d, hn::Max(hn::Set(d, -104.0f), hn::Neg(hn::Mul(bend, hn::Mul(u, u)))));
    case Curve::softplus: return softplus(d, u);
    case Curve::inverse: return hn::IfThenZeroElse(hn::Eq(u, zero), hn::Div(one, u));
    case Curve::log: return hn::Log(d, hn::Max(u, hn::Set(d, 1e-7f)));
    case Curve::exp: return bounded_exp(d, u);
    case Curve::absolute: return hn::Abs(u);
    case Curve::hat: return hn::Max(hn::Sub(one, hn::Abs(u)), zero);
    case Curve::square: return hn::Mul(u, u);
    case Curve::cube: return hn::Mul(hn::Mul(u, u), u);
    case Curve::arc_tangent: return hn::Atan(d, u);
    case Curve::arc_sinh: return hn::CopySign(hn::Asinh(d, hn::Abs(u)), u);
    case Curve::at_least_minus_one: return hn::Max(hn::Neg(one), u);
    case Curve::clip: return hn::Max(hn::Neg(one), hn::Min(u, one));
    case Curve::zero: return zero;
    case Curve::quadratic_sigmoid: return quadratic_sigmoid(d, u);
    case Curve::polynomial_logistic: return polynomial_logistic(d, u);
    case Curve::parabolic_sigmoid: return parabolic_sigmoid(d, u);
    case Curve::soft_sign: return hn::Div(u, hn::Add(bend, hn::Abs(u)));
    case Curve::s_relu: return s_relu(d, u);
    case Curve::sign: return hn::IfThenElse(hn::Gt(u, zero), one, hn::IfThenElse(hn::Lt(u, zero), hn::Neg(one), zero));
    case Curve::step: return hn::IfNegativeThenElse(u, zero, one);
    case Curve::threshold: return hn::IfThenElse(hn::Gt(u, zero), one, zero);
  }
  return u;
}

/// As many whole vectors as there are; returns how many values those hold.
template <class D>
HWY_INLINE std::size_t apply_to_vectors(D d, Curve curve, const FloatFunction& function, float* values, std::size_t count) {
  const auto bend = hn::Set(d, function.bend), gain = hn::Set(d, function.gain), offset = hn::Set(d, function.offset);
  const auto limit = hn::Set(d, function.limit);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= count; k += hn::Lanes(d)) {
    const auto u = hn::Max(hn::Neg(limit), hn::Min(limit, hn::LoadU(d, values + k)));
    hn::StoreU(hn::MulAdd(bent(d, curve, u, bend), gain, offset), d, values + k);
  }
  return k;
}

HWY_INLINE void apply_to_all(Curve curve, const FloatFunction& function, float* values, std::size_t count) {
  const std::size_t done = apply_to_vectors(hn::ScalableTag<float>(), curve, function, values, count);
  apply_to_vectors(hn::CappedTag<float, 1>(), curve, function, values + done, count - done);
}

/// In place. The curve is a constant in each loop, so that it is chosen once, not for every vector.
HWY_NOINLINE void apply_function(const FloatFunction& function, float* values, std::size_t count) {
#define LACUNA_CURVE(name) \
  case Curve::name: return apply_to_all(Curve::name, function, values, count)
  switch (function.curve) {
    LACUNA_CURVE(identity);
    LACUNA_CURVE(relu);
    LACUNA_CURVE(leaky_relu);
    LACUNA_CURVE(elu);
    LACUNA_CURVE(selu);
    LACUNA_CURVE(logistic);
    LACUNA_CURVE(tanh);
    LACUNA_CURVE(cubic_tanh);
    LACUNA_CURVE(sine);
    LACUNA_CURVE(gauss);
    LACUNA_CURVE(softplus);
    LACUNA_CURVE(inverse);
    LACUNA_CURVE(log);
    LACUNA_CURVE(exp);
    LACUNA_CURVE(absolute);
    LACUNA_CURVE(hat);
    LACUNA_CURVE(square);
    LACUNA_CURVE(cube);
    LACUNA_CURVE(arc_tangent);
    LACUNA_CURVE(arc_sinh);
    LACUNA_CURVE(at_least_minus_one);
    LACUNA_CURVE(clip);
    LACUNA_CURVE(zero);
    LACUNA_CURVE(quadratic_sigmoid);
    LACUNA_CURVE(polynomial_logistic);
    LACUNA_CURVE(parabolic_sigmoid);
    LACUNA_CURVE(soft_sign);
    LACUNA_CURVE(s_relu);
    LACUNA_CURVE(sign);
    LACUNA_CURVE(step);
    LACUNA_CURVE(threshold);
  }
#undef LACUNA_CURVE
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
