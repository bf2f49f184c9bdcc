// Normalisations: by statistics that are given or of the value itself, and softmax.
#include <algorithm>
#include <limits>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

void check_list(const Inference& question, std::size_t k, std::string_view what, std::uint32_t length) {
  if (question.rank(k) != 1 || question.shape(k).extents[0] != length) fail(question.call, "{} of {} for {} channels", what, describe(question.shape(k)), length);
}

std::uint32_t channels_of(const Inference& question) {
  if (question.rank(0) < 1) fail(question.call, "a scalar; expected a batch and channels");
  return question.rank(0) == 1 ? 1 : question.shape(0).extents[1];
}

/// e^(x - largest) along the axis, and the sums of it; finish(out, exponent, x - largest, sum) makes the result.
template <typename Finish>
void softmax_along(const Evaluation& job, Finish finish) {
  const Around around_axis = around(job.shape(0), axis_of(job.call, integer_attribute(job.call, "axis", -1), job.shape(0).extents.size()));
  const std::size_t outer = around_axis.outer, length = around_axis.length, inner = around_axis.inner;
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    std::vector<C> largest(inner);
    std::vector<C> power(length * inner);
    std::vector<double> sums(inner);
    for (std::size_t i = 0; i < outer; ++i) {
      const T* const in = job.in<T>(0) + i * length * inner;
      T* const out = job.out<T>() + i * length * inner;
      std::fill(largest.begin(), largest.end(), -std::numeric_limits<C>::infinity());
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t k = 0; k < length; ++k)
        for (std::size_t x = 0; x < inner; ++x) largest[x] = std::max(largest[x], static_cast<C>(in[k * inner + x]));
      for (std::size_t k = 0; k < length; ++k)
        for (std::size_t x = 0; x < inner; ++x) {
          const C value = std::exp(static_cast<C>(in[k * inner + x]) - largest[x]);
          power[k * inner + x] = value;
          sums[x] += static_cast<double>(value);
        }
      for (std::size_t k = 0; k < length; ++k)
        for (std::size_t x = 0; x < inner; ++x)
          out[k * inner + x] = static_cast<T>(finish(power[k * inner + x], static_cast<C>(in[k * inner + x]) - largest[x], static_cast<C>(sums[x])));
    }
  });
}

/// Mean and 1 / sqrt(variance + epsilon) of `size` elements.
struct Statistics {
  double mean;
  double scale;
};
template <typename T>
Statistics statistics_of(const T* values, std::size_t size, double epsilon) {
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) sum += static_cast<double>(static_cast<Computed<T>>(values[k]));
  const double mean = sum / static_cast<double>(size);
  double squares = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const double distance = static_cast<double>(static_cast<Computed<T>>(values[k])) - mean;
    squares += distance * distance;
  }
  return {mean, 1 / std::sqrt(squares / static_cast<double>(size) + epsilon)};
}

}  // namespace

Signature infer_softmax(const Inference& question) {
  axis_of(question.call, integer_attribute(question.call, "axis", -1), question.rank(0));
  return question.same_as(0);
}
void softmax(const Evaluation& job) {
  softmax_along(job, [](auto power, auto, auto sum) { return power / sum; });
}
void log_softmax(const Evaluation& job) {
  softmax_along(job, [](auto, auto shifted, auto sum) { return shifted - std::log(sum); });
}
/// 1 at the first largest element along the axis, 0 elsewhere.
void hardmax(const Evaluation& job) {
  const Around around_axis = around(job.shape(0), axis_of(job.call, integer_attribute(job.call, "axis", -1), job.shape(0).extents.size()));
  const std::size_t outer = around_axis.outer, length = around_axis.length, inner = around_axis.inner;
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(job.out<T>(), job.out_size(), static_cast<T>(0.0f));
    for (std::size_t i = 0; i < outer && length != 0; ++i)
      for (std::size_t x = 0; x < inner; ++x) {
        std::size_t best = i * length * inner + x;
        for (std::size_t k = 1; k < length; ++k) {
          const std::size_t at = (i * length + k) * inner + x;
          if (static_cast<Computed<T>>(job.in<T>(0)[at]) > static_cast<Computed<T>>(job.in<T>(0)[best])) best = at;
        }
        job.out<T>()[best] = static_cast<T>(1.0f);
      }
  });
}

Signature infer_batch_normalization(const Inference& question) {
  if (flag_attribute(question.call, "training_mode", false)) refuse(question.call, "training_mode = 1; this is a runtime for trained networks");
  constexpr std::string_view names[] = {"", "scale", "B", "mean", "var"};
  for (std::size_t k = 1; k < 5; ++k) {
    check_list(question, k, names[k], channels_of(question));
    if (!contains(floats, question.type(k))) fail(question.call, "{} has elements of {}", names[k], name_of(question.type(k)));
  }
  return question.same_as(0);
}
/// One factor and one addend for each channel.
void batch_normalization(const Evaluation& job) {
  const std::vector<double> scale = job.doubles(1), bias = job.doubles(2), mean = job.doubles(3), variance = job.doubles(4);
  const double epsilon = number_attribute(job.call, "epsilon", 1e-5f);
  const std::size_t area = job.shape(0).extents.size() < 2 ? 1 : count(job.shape(0), 2, job.shape(0).extents.size());
  const std::size_t planes = area == 0 ? 0 : job.out_size() / area;
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      const std::size_t channel = plane % scale.size();
      const double factor = scale[channel] / std::sqrt(variance[channel] + epsilon);
      const auto times = static_cast<C>(factor);
      const auto plus = static_cast<C>(bias[channel] - mean[channel] * factor);
      const T* const in = job.in<T>(0) + plane * area;
      T* const out = job.out<T>() + plane * area;
      for (std::size_t k = 0; k < area; ++k) out[k] = static_cast<T>(static_cast<C>(in[k]) * times + plus);
    }
  });
}

Signature infer_instance_normalization(const Inference& question) {
  question.check_same_type(1);
  if (question.rank(0) < 2) fail(question.call, "a value of {}; expected a batch and channels", describe(question.shape(0)));
  check_list(question, 1, "scale", channels_of(question));
  check_list(question, 2, "B", channels_of(question));
  return question.same_as(0);
}
void instance_normalization(const Evaluation& job) {
  const std::vector<double> scale = job.doubles(1), bias = job.doubles(2);
  const double epsilon = number_attribute(job.call, "epsilon", 1e-5f);
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  const std::size_t planes = area == 0 ? 0 : job.out_size() / area;
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      const T* const in = job.in<T>(0) + plane * area;
      const Statistics statistics = statistics_of(in, area, epsilon);
      const double factor = scale[plane % scale.size()] * statistics.scale;
      const double addend = bias[plane % scale.size()] - statistics.mean * factor;
      for (std::size_t k = 0; k < area; ++k)
        job.out<T>()[plane * area + k] = static_cast<T>(static_cast<double>(static_cast<Computed<T>>(in[k])) * factor + addend);
    }
  });
}

}  // namespace lacuna::operators
