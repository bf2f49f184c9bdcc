// The functions of neurons in double, as the tools that evolve them write them, in their order of operations: exact mode answers bit for bit.
#include <lacuna/neuron_function.hpp>

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

/// Not folded into a product, which would round differently: Python's z ** 2 calls the library's pow.
double power(double base, double exponent) {
  volatile double run_time_exponent = exponent;
  return std::pow(base, run_time_exponent);
}

double quadratic_sigmoid(double u) {
  constexpr double edge = 0.999, slope = 0.00001;
  const double size = std::abs(u);
  const double bent = size < edge ? edge - (size - edge) * (size - edge) : edge + (size - edge) * slope;
  return (u < 0 ? -bent : bent) * 0.5 + 0.5;
}

double polynomial_logistic(double u) {
  const double square = u * u;
  const double e = 1 + std::abs(u) + square * 0.555 + square * square * 0.143;
  return 1 / (1 + (u > 0 ? 1 / e : e));
}

double parabolic_sigmoid(double u) {
  if (u < -1) return 0;
  if (u < 0) return (u + 1) * (u + 1) * 0.5;
  return u < 1 ? 1 - (u - 1) * (u - 1) * 0.5 : 1;
}

double s_relu(double u) {
  constexpr double left = 0.001, right = 0.999, slope = 0.00001;
  if (u <= left) return left + (u - left) * slope;
  return u < right ? u : right + (u - right) * slope;
}

double bent(Curve curve, double u, double bend) {
  constexpr double selu_scale = 1.0507009873554804934193349852946;
  constexpr double selu_alpha = 1.6732632423543772848170429916717;
  switch (curve) {
    case Curve::identity: return u;
    case Curve::relu: return u > 0 ? u : 0;
    case Curve::leaky_relu: return u > 0 ? u : bend * u;
    case Curve::elu: return u > 0 ? u : std::exp(u) - 1;
    case Curve::selu: return u > 0 ? selu_scale * u : selu_scale * selu_alpha * (std::exp(u) - 1);
    case Curve::logistic: return 1 / (1 + std::exp(-u));
    case Curve::tanh: return std::tanh(u);
    case Curve::cubic_tanh: return std::tanh(u * u * u * bend);
    case Curve::sine: return std::sin(u);
    case Curve::gauss: return std::exp(-bend * power(u, 2));
    case Curve::softplus: return std::log(1 + std::exp(u));
    case Curve::inverse: return u == 0 ? 0 : 1 / u;
    case Curve::log: return std::log(u > 1e-7 ? u : 1e-7);
    case Curve::exp: return std::exp(u);
    case Curve::absolute: return std::abs(u);
    case Curve::hat: return std::max(0.0, 1 - std::abs(u));
    case Curve::square: return power(u, 2);
    case Curve::cube: return power(u, 3);
    case Curve::arc_tangent: return std::atan(u);
    case Curve::arc_sinh: return std::asinh(u);
    case Curve::at_least_minus_one: return u < -1 ? -1 : u;
    case Curve::clip: return std::max(-1.0, std::min(1.0, u));
    case Curve::zero: return 0;
    case Curve::quadratic_sigmoid: return quadratic_sigmoid(u);
    case Curve::polynomial_logistic: return polynomial_logistic(u);
    case Curve::parabolic_sigmoid: return parabolic_sigmoid(u);
    case Curve::soft_sign: return u / (bend + std::abs(u));
    case Curve::s_relu: return s_relu(u);
    case Curve::sign: return u > 0 ? 1 : (u < 0 ? -1 : 0);
    case Curve::step: return std::signbit(u) ? 0 : 1;
    case Curve::threshold: return u > 0 ? 1 : 0;
  }
  return u;
}

}  // namespace

double apply(const NeuronFunction& function, double z) {
  double u = z;
  if (function.slope != 1) u *= function.slope;
  if (function.shift != 0) u += function.shift;  // not always: -0 would become 0
  if (std::isfinite(function.limit)) u = std::max(-function.limit, std::min(function.limit, u));  // NaN becomes the upper limit, as in Python
  double y = bent(function.curve, u, function.bend);
  if (function.gain != 1) y *= function.gain;
  if (function.offset != 0) y += function.offset;
  return y;
}

}  // namespace lacuna
