#include "kernel/templates/neuron_curve.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace lacuna::kernel {
namespace {

constexpr float log2_e = 1.44269504f;
constexpr float ln_2 = 0.693147181f;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// One value on its way through a curve.
class CurveWriter {
 public:
  CurveWriter(ThreadBuilder& builder, Register u, Source bend) : b(builder), u_(u), bend_(bend) {}

  Source bent(Curve curve) {
    constexpr float selu_scale = 1.0507009873554805f, selu_low = selu_scale * 1.6732632423543772f;
    switch (curve) {
      case Curve::identity: return u_;
      case Curve::relu: return b.maximum(u_, 0.0f);
      case Curve::leaky_relu: return b.select(is_positive(), u_, b.multiply(u_, bend_));
      case Curve::elu: return b.select(is_positive(), u_, exp_minus_one());
      case Curve::selu: return b.select(is_positive(), b.multiply(u_, selu_scale), b.multiply(exp_minus_one(), selu_low));
      case Curve::logistic: return divide(1.0f, b.add(exp2(u_), 1.0f));  // where the power is infinite the quotient is 0, as it should be
      case Curve::tanh: return tanh(u_);
      case Curve::cubic_tanh: return tanh(b.multiply(b.multiply(b.multiply(b.multiply(u_, u_), u_), bend_), 2 * log2_e));
      case Curve::sine: return sine();
      case Curve::gauss: return exp2(b.multiply(b.multiply(b.multiply(u_, u_), bend_), -log2_e));
      case Curve::softplus: return softplus();
      case Curve::inverse: return b.select(b.compare(Comparison::equal, u_, 0.0f), 0.0f, divide(1.0f, u_));
      case Curve::log: return b.multiply(log2(b.maximum(u_, 1e-7f)), ln_2);
      case Curve::exp: return exp();
      case Curve::absolute: return size();
      case Curve::hat: return b.maximum(b.subtract(1.0f, size()), 0.0f);
      case Curve::square: return b.multiply(u_, u_);
      case Curve::cube: return b.multiply(b.multiply(u_, u_), u_);
      case Curve::arc_tangent: return arc_tangent();
      case Curve::arc_sinh: return arc_sinh();
      case Curve::at_least_minus_one: return b.maximum(u_, -1.0f);
      case Curve::clip: return b.maximum(b.minimum(u_, 1.0f), -1.0f);
      case Curve::zero: return 0.0f;
      case Curve::quadratic_sigmoid: return quadratic_sigmoid();
      case Curve::polynomial_logistic: return polynomial_logistic();
      case Curve::parabolic_sigmoid: return parabolic_sigmoid();
      case Curve::soft_sign: return divide(u_, b.add(size(), bend_));
      case Curve::s_relu: return s_relu();
      case Curve::sign: return b.select(is_positive(), 1.0f, b.select(is_negative(u_), -1.0f, 0.0f));
      case Curve::step: return b.select(b.compare(Comparison::equal, b.shift_right(b.compute(Arithmetic::as_integer, {u_}), 31u), 0u), 1.0f, 0.0f);
      case Curve::threshold: return b.select(is_positive(), 1.0f, 0.0f);
    }
    return u_;
  }

 private:
  Register exp2(Source x) { return b.compute(Arithmetic::exp2, {x}); }
  Register log2(Source x) { return b.compute(Arithmetic::log2, {x}); }
  Register divide(Source x, Source y) { return b.compute(Arithmetic::divide, {x, y}); }
  Register negate(Source x) { return b.compute(Arithmetic::negate, {x}); }
  Register size() { return b.compute(Arithmetic::absolute, {u_}); }
  Register is_positive() { return b.compare(Comparison::greater, u_, 0.0f); }
  Register is_negative(Source x) { return b.compare(Comparison::less, x, 0.0f); }
  Register with_sign_of_u(Register y) { return b.select(is_negative(u_), negate(y), y); }

  /// start + s * (first + s * (second + ...)), the last one first.
  Register horner(Source s, std::initializer_list<float> last_to_first) {
    auto at = last_to_first.begin();
    Source p = *at;
    while (++at != last_to_first.end()) p = b.multiply_add(p, s, *at);
    return p.reg;
  }

  /// 2^(u log2 e): the product in two parts, for a power of a large number is as wrong as its exponent. 2^rest is 1 + rest ln 2 for so small a rest.
  Register exp() {
    constexpr float log2_e_rest = 1.92596303e-8f;  // what log2_e lacks
    const Register exponent = b.multiply(u_, log2_e);
    const Register rest = b.multiply_add(u_, log2_e_rest, b.multiply_add(u_, log2_e, negate(exponent)));
    return b.multiply(exp2(exponent), b.multiply_add(rest, ln_2, 1.0f));
  }

  /// Only its value for u <= 0 is used.
  Register exp_minus_one() { return b.subtract(exp2(b.multiply(u_, log2_e)), 1.0f); }

  /// (1 - t) / (1 + t) with t = 2^-|x|, and the sign of x, which is 2 log2(e) times the argument.
  Register tanh(Register x) {
    const Register t = exp2(negate(b.compute(Arithmetic::absolute, {x})));
    const Register y = divide(b.subtract(1.0f, t), b.add(t, 1.0f));
    return b.select(is_negative(x), negate(y), y);
  }

  /// u = n pi + r with |r| <= pi / 2: the sine of r, an odd polynomial (largest error 5e-9), with the sign of (-1)^n. pi in two parts: n times each is exact in a
  /// multiply-add, so r is as good as u.
  Register sine() {
    const Register n = b.compute(Arithmetic::floor, {b.multiply_add(u_, 0.318309886f, 0.5f)});
    Register r = b.multiply_add(n, -3.14159274f, u_);
    r = b.multiply_add(n, 8.74227766e-8f, r);
    const Register square = b.multiply(r, r);
    const Register p = horner(square, {2.60005477e-6f, -1.98066152e-4f, 8.33301729e-3f, -1.66666571e-1f});
    const Register y = b.multiply_add(b.multiply(p, square), r, r);
    const Register half = b.multiply(n, 0.5f);
    const Register is_odd = b.compare(Comparison::not_equal, half, b.compute(Arithmetic::floor, {half}));
    return b.select(is_odd, negate(y), y);
  }

  /// max(u, 0) + log(1 + e^-|u|): nothing overflows.
  Register softplus() {
    const Register log = log2(b.add(exp2(b.multiply(size(), -log2_e)), 1.0f));
    return b.multiply_add(log, ln_2, b.maximum(u_, 0.0f));
  }

  /// Of |u|: 0 + atan(u), pi/4 + atan((u - 1) / (u + 1)) from tan(pi/8) on, pi/2 + atan(-1 / u) from tan(3 pi/8) on; then an odd polynomial (largest error 5e-9).
  Register arc_tangent() {
    const Register x = size();
    const Register is_middle = b.compare(Comparison::greater, x, 0.414213562f), is_large = b.compare(Comparison::greater, x, 2.41421356f);
    const Register above = b.select(is_large, -1.0f, b.select(is_middle, b.subtract(x, 1.0f), x));
    const Register below = b.select(is_large, x, b.select(is_middle, b.add(x, 1.0f), 1.0f));
    const Register from = b.select(is_large, 1.57079633f, b.select(is_middle, 0.785398163f, 0.0f));
    const Register r = divide(above, below);
    const Register square = b.multiply(r, r);
    const Register p = horner(square, {7.90209225e-2f, -1.38242963e-1f, 1.99718643e-1f, -3.33327562e-1f});
    return with_sign_of_u(b.add(from, b.multiply_add(b.multiply(p, square), r, r)));
  }

  /// log(|u| + sqrt(u^2 + 1)), and log(2 |u|) where the square would be infinite.
  Register arc_sinh() {
    const Register x = size();
    const Register root = b.compute(Arithmetic::square_root, {b.multiply_add(x, x, 1.0f)});
    const Register far = b.compare(Comparison::greater, x, 1e9f);
    return with_sign_of_u(b.multiply(log2(b.add(x, b.select(far, x, root))), ln_2));
  }

  Register quadratic_sigmoid() {
    constexpr float edge = 0.999f;
    const Register beyond = b.subtract(size(), edge);
    const Register inside = b.multiply_add(negate(beyond), beyond, edge), outside = b.multiply_add(beyond, 0.00001f, edge);
    return b.multiply_add(with_sign_of_u(b.select(is_negative(beyond), inside, outside)), 0.5f, 0.5f);
  }

  Register polynomial_logistic() {
    const Register square = b.multiply(u_, u_);
    const Register low = b.multiply_add(square, 0.555f, b.add(size(), 1.0f));
    const Register e = b.multiply_add(b.multiply(square, square), 0.143f, low);
    return divide(1.0f, b.add(b.select(is_positive(), divide(1.0f, e), e), 1.0f));
  }

  Register parabolic_sigmoid() {
    const Register inside = b.maximum(b.minimum(u_, 1.0f), -1.0f);
    const Register to_edge = b.subtract(1.0f, b.compute(Arithmetic::absolute, {inside}));
    const Register part = b.multiply(b.multiply(to_edge, to_edge), 0.5f);
    return b.select(is_negative(inside), part, b.subtract(1.0f, part));
  }

  Register s_relu() {
    const Register inside = b.minimum(b.maximum(u_, 0.001f), 0.999f);
    return b.multiply_add(b.subtract(u_, inside), 0.00001f, inside);
  }

  ThreadBuilder& b;
  Register u_;
  Source bend_;
};

/// The ending's parameters: constants, or registers that hold what stands in the record.
std::array<Source, 4> parameters(ThreadBuilder& b, const Ending& ending, const std::optional<Register>& record) {
  std::vector<Register> read;
  if (ending.reads_record()) {
    for (int k = 0; k < 4; ++k) read.push_back(b.variable(Type::f32));
    b.load(GpuSpace::global, Element::f32, read, record.value(), 0, true);
  }
  const auto parameter = [&](const std::optional<float>& constant, std::size_t k) { return constant ? Source(*constant) : Source(read[k]); };
  return {parameter(ending.limit, 0), parameter(ending.bend, 1), parameter(ending.gain, 2), parameter(ending.offset, 3)};
}

}  // namespace

float argument_factor(Curve curve) {
  switch (curve) {
    case Curve::logistic: return -log2_e;
    case Curve::tanh: return 2 * log2_e;
    default: return 1;
  }
}

float limit_in_kernel(Curve curve, double limit) {
  constexpr double saturated = 30;  // e^-30 is far below what a value near 1 can tell
  if ((curve == Curve::logistic || curve == Curve::tanh) && limit >= saturated) return infinity;
  return static_cast<float>(limit * std::abs(argument_factor(curve)));
}

std::vector<Source> apply_ending(ThreadBuilder& b, const Ending& ending, const std::vector<Register>& values, const std::optional<Register>& record) {
  const auto [limit, bend, gain, offset] = parameters(b, ending, record);
  const bool is_limited = ending.limit != infinity, is_scaled = ending.gain != 1.0f || ending.offset != 0.0f;
  std::optional<Source> low;
  if (is_limited) low = ending.limit ? Source(-*ending.limit) : Source(b.compute(Arithmetic::negate, {limit}));
  std::vector<Source> results;
  for (const Register value : values) {
    if (is_limited) b.compute_into(value, Arithmetic::maximum, {b.minimum(value, limit), *low});
    const Source y = CurveWriter(b, value, bend).bent(ending.curve);
    results.push_back(is_scaled ? Source(b.multiply_add(y, gain, offset)) : y);
  }
  return results;
}

}  // namespace lacuna::kernel
