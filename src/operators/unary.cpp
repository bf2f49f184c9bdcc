// Operators that map every element by itself. The list has one line for each; here is what each computes.
#include <algorithm>
#include <limits>
#include <numbers>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

/// output[k] = f(input[k]); f gets 16-bit floats as float.
template <Types allowed, typename F>
void map(const Evaluation& job, F f) {
  with_type<allowed>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    const T* const in = job.in<T>(0);
    T* const out = job.out<T>();
    const std::size_t size = job.out_size();
    for (std::size_t k = 0; k < size; ++k) out[k] = static_cast<T>(f(static_cast<C>(in[k])));
  });
}

/// f is for floats only.
template <typename F>
void map_floats(const Evaluation& job, F f) {
  map<floats>(job, f);
}

/// output[k] = whether f(input[k])
template <typename F>
void ask_floats(const Evaluation& job, F f) {
  with_type<floats>(job.type(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const in = job.in<T>(0);
    for (std::size_t k = 0; k < job.out_size(); ++k) job.out<std::uint8_t>()[k] = f(static_cast<Computed<T>>(in[k])) ? 1 : 0;
  });
}

/// Without overflow for large magnitudes.
template <typename T>
T softplus_of(T x) {
  return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}

template <typename T>
T sigmoid_of(T x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

Signature infer_same(const Inference& question) { return question.same_as(0); }
Signature infer_question(const Inference& question) { return {ElementType::boolean, question.shape(0)}; }

void relu(const Evaluation& job) {
  map<numbers>(job, [](auto x) { return x < decltype(x){0} ? decltype(x){0} : x; });
}
void leaky_relu(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 0.01f);
  map_floats(job, [=](auto x) { return x < 0 ? alpha * x : x; });
}
void elu(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 1);
  map_floats(job, [=](auto x) { return x < 0 ? alpha * std::expm1(x) : x; });
}
void selu(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 1.67326319217681884765625f);
  const float gamma = number_attribute(job.call, "gamma", 1.05070102214813232421875f);
  map_floats(job, [=](auto x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); });
}
void celu(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 1);
  map_floats(job, [=](auto x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; });
}
void thresholded_relu(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 1);
  map_floats(job, [=](auto x) { return x > alpha ? x : decltype(x){0}; });
}
void shrink(const Evaluation& job) {
  const float bias = number_attribute(job.call, "bias", 0);
  const float lambda = number_attribute(job.call, "lambd", 0.5f);
  map<numbers>(job, [=](auto x) {
    using T = decltype(x);
    const double value = static_cast<double>(x);
    return value < -lambda ? static_cast<T>(value + bias) : value > lambda ? static_cast<T>(value - bias) : T{0};
  });
}
void sigmoid(const Evaluation& job) {
  map_floats(job, [](auto x) { return sigmoid_of(x); });
}
void hard_sigmoid(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 0.2f);
  const float beta = number_attribute(job.call, "beta", 0.5f);
  map_floats(job, [=](auto x) {
    using T = decltype(x);
    return std::clamp<T>(alpha * x + beta, T{0}, T{1});
  });
}
void hard_swish(const Evaluation& job) {
  map_floats(job, [](auto x) {
    using T = decltype(x);
    return x * std::clamp<T>(x / 6 + T{0.5}, T{0}, T{1});
  });
}
void swish(const Evaluation& job) {
  const float alpha = number_attribute(job.call, "alpha", 1);
  map_floats(job, [=](auto x) { return x * sigmoid_of(alpha * x); });
}
void mish(const Evaluation& job) {
  map_floats(job, [](auto x) { return x * std::tanh(softplus_of(x)); });
}
void gelu(const Evaluation& job) {
  if (text_attribute(job.call, "approximate", "none") == "tanh")
    return map_floats(job, [](auto x) {
      using T = decltype(x);
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<T>)*(x + T(0.044715) * x * x * x)));
    });
  map_floats(job, [](auto x) {
    using T = decltype(x);
    return x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
  });
}
void tanh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::tanh(x); });
}
void softplus(const Evaluation& job) {
  map_floats(job, [](auto x) { return softplus_of(x); });
}
void softsign(const Evaluation& job) {
  map_floats(job, [](auto x) { return x / (1 + std::abs(x)); });
}
void erf(const Evaluation& job) {
  map<numbers>(job, [](auto x) { return std::erf(x); });
}
void exp(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::exp(x); });
}
void log(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::log(x); });
}
void sqrt(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::sqrt(x); });
}
void reciprocal(const Evaluation& job) {
  map_floats(job, [](auto x) { return 1 / x; });
}
void abs(const Evaluation& job) {
  map<numbers>(job, [](auto x) {
    using T = decltype(x);
    if constexpr (is_float<T>)
      return std::abs(x);
    else
      return x < T{0} ? static_cast<T>(0 - static_cast<std::uint64_t>(x)) : x;  // the lowest integer stays what it is
  });
}
void negate(const Evaluation& job) {
  map<numbers>(job, [](auto x) {
    using T = decltype(x);
    if constexpr (is_float<T>)
      return -x;
    else
      return static_cast<T>(0 - static_cast<std::uint64_t>(x));
  });
}
void sign(const Evaluation& job) {
  map<numbers>(job, [](auto x) {
    using T = decltype(x);
    return static_cast<T>((x > T{0} ? 1 : 0) - (x < T{0} ? 1 : 0));
  });
}
void floor(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::floor(x); });
}
void ceil(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::ceil(x); });
}
void round(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::nearbyint(x); });  // ties to even
}
void sin(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::sin(x); });
}
void cos(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::cos(x); });
}
void tan(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::tan(x); });
}
void asin(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::asin(x); });
}
void acos(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::acos(x); });
}
void atan(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::atan(x); });
}
void sinh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::sinh(x); });
}
void cosh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::cosh(x); });
}
void asinh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::asinh(x); });
}
void acosh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::acosh(x); });
}
void atanh(const Evaluation& job) {
  map_floats(job, [](auto x) { return std::atanh(x); });
}
void logical_not(const Evaluation& job) {
  map<booleans>(job, [](std::uint8_t x) { return x == 0 ? 1 : 0; });
}
void bitwise_not(const Evaluation& job) {
  map<integers>(job, [](auto x) { return ~x; });
}
void is_nan(const Evaluation& job) {
  ask_floats(job, [](auto x) { return std::isnan(x); });
}
void is_inf(const Evaluation& job) {
  const bool positive = flag_attribute(job.call, "detect_positive", true);
  const bool negative = flag_attribute(job.call, "detect_negative", true);
  ask_floats(job, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

}  // namespace lacuna::operators
