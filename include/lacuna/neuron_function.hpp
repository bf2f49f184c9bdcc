// What a neuron does with the sum of its edges: the shapes of functions, their parameters, and ways to aggregate.
#pragma once

#include <cstdint>
#include <limits>

namespace lacuna {

/// The shape of a neuron's function; u stands for its scaled and clamped argument, bend for its parameter.
enum class Curve : std::uint8_t {
  identity,
  relu,
  leaky_relu,         ///< u, below zero bend * u
  elu,                ///< u, up to zero e^u - 1
  selu,
  logistic,           ///< 1 / (1 + e^-u)
  tanh,
  cubic_tanh,         ///< tanh(bend * u^3)
  sine,
  gauss,              ///< e^(-bend * u^2)
  softplus,           ///< log(1 + e^u)
  inverse,            ///< 1 / u, and 0 for u = 0
  log,                ///< log(u), u at least 1e-7
  exp,
  absolute,
  hat,                ///< 1 - |u|, at least 0
  square,
  cube,
  arc_tangent,
  arc_sinh,
  at_least_minus_one,
  clip,               ///< to -1 .. 1
  zero,
  quadratic_sigmoid,  ///< SharpNEAT's, on -1 .. 1
  polynomial_logistic,///< SharpNEAT's rational approximation of the logistic function
  parabolic_sigmoid,  ///< two parabolas from 0 at -1 to 1 at 1
  soft_sign,          ///< u / (bend + |u|)
  s_relu,             ///< SharpNEAT's: u between 0.001 and 0.999, nearly flat outside
  sign,
  step,               ///< 1 from +0 on, else 0
  threshold,          ///< 1 above zero, else 0
};

inline constexpr int curve_count = static_cast<int>(Curve::threshold) + 1;

/// y = gain * curve(u) + offset with u = slope * z + shift, not beyond +-limit.
struct NeuronFunction {
  Curve curve = Curve::identity;
  double slope = 1;
  double shift = 0;
  double limit = std::numeric_limits<double>::infinity();
  double bend = 0;
  double gain = 1;
  double offset = 0;

  bool operator==(const NeuronFunction&) const = default;
};

/// function(z) in double: the definition everything else is measured by.
double apply(const NeuronFunction& function, double z);

/// What a neuron makes of its weighted sources.
enum class Aggregation : std::uint8_t { sum, product, max, min, maxabs, mean, median };

}  // namespace lacuna
