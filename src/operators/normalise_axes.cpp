// Normalisations over the last axes, over groups of channels, and over neighbouring channels.
#include <algorithm>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

struct Statistics {
  double mean;
  double scale;  ///< 1 / sqrt(variance + epsilon)
};
Statistics statistics_of(const double* values, std::size_t size, double epsilon) {
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) sum += values[k];
  const double mean = sum / static_cast<double>(size);
  double squares = 0;
  for (std::size_t k = 0; k < size; ++k) squares += (values[k] - mean) * (values[k] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(size) + epsilon)};
}

/// Writes doubles as elements of the output.
void store(const Evaluation& job, const std::vector<double>& values) {
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t k = 0; k < values.size(); ++k) job.out<T>()[k] = static_cast<T>(values[k]);
  });
}

std::size_t first_axis(const Call& call, std::size_t rank) { return axis_of(call, integer_attribute(call, "axis", -1), rank); }

/// Scale and bias broadcast to the value.
void check_broadcasts(const Inference& question, std::size_t k) {
  const Shape* const both[] = {&question.shape(0), &question.shape(k)};
  if (broadcast(question.call, both) != question.shape(0))
    fail(question.call, "input {} of {} does not broadcast to {}", k, describe(question.shape(k)), describe(question.shape(0)));
}

/// values[k] = values[k] * scale + bias, as far as they are given, with broadcasting.
void scale_and_shift(const Evaluation& job, std::vector<double>& values) {
  for (const std::size_t input : {1, 2}) {
    if (!job.has(input)) continue;
    const std::vector<double> factors = job.doubles(input);
    const std::size_t rank = job.shape(input).extents.size();
    const bool is_tail = std::equal(job.shape(input).extents.rbegin(), job.shape(input).extents.rend(), job.shape(0).extents.rbegin());
    if (is_tail && rank > 0) {  // the usual: one for each element of the last axes
      for (std::size_t start = 0; start < values.size(); start += factors.size())
        for (std::size_t k = 0; k < factors.size(); ++k) values[start + k] = input == 1 ? values[start + k] * factors[k] : values[start + k] + factors[k];
      continue;
    }
    const Integers strides = broadcast_strides(job.shape(input), job.shape(0));
    std::vector<std::uint32_t> position(strides.size(), 0);
    for (double& value : values) {
      std::size_t at = 0;
      for (std::size_t a = 0; a < position.size(); ++a) at += position[a] * static_cast<std::size_t>(strides[a]);
      value = input == 1 ? value * factors[at] : value + factors[at];
      advance_position(position, job.shape(0));
    }
  }
}

}  // namespace

/// Outputs 1 and 2 are the mean and 1 / sqrt(variance + epsilon).
Signature infer_layer_normalization(const Inference& question) {
  const std::size_t axis = first_axis(question.call, question.rank(0));
  for (const std::size_t k : {1, 2})
    if (question.has(k)) check_broadcasts(question, k);
  if (question.call.which_output == 0) return question.same_as(0);
  Shape shape = question.shape(0);
  std::fill(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis), shape.extents.end(), 1u);
  return {ElementType::f32, shape};
}
void layer_normalization(const Evaluation& job) {
  const std::size_t axis = first_axis(job.call, job.shape(0).extents.size());
  const std::size_t size = count(job.shape(0), axis, job.shape(0).extents.size());
  const double epsilon = number_attribute(job.call, "epsilon", 1e-5f);
  std::vector<double> values = job.doubles(0);
  std::vector<double> facts;
  for (std::size_t start = 0; size != 0 && start < values.size(); start += size) {
    const Statistics statistics = statistics_of(values.data() + start, size, epsilon);
    facts.push_back(job.call.which_output == 1 ? statistics.mean : statistics.scale);
    for (std::size_t k = start; k < start + size; ++k) values[k] = (values[k] - statistics.mean) * statistics.scale;
  }
  if (job.call.which_output != 0) return store(job, facts);
  scale_and_shift(job, values);
  store(job, values);
}

Signature infer_rms_normalization(const Inference& question) {
  first_axis(question.call, question.rank(0));
  check_broadcasts(question, 1);
  return question.same_as(0);
}
void rms_normalization(const Evaluation& job) {
  const std::size_t size = count(job.shape(0), first_axis(job.call, job.shape(0).extents.size()), job.shape(0).extents.size());
  const double epsilon = number_attribute(job.call, "epsilon", 1e-5f);
  std::vector<double> values = job.doubles(0);
  for (std::size_t start = 0; size != 0 && start < values.size(); start += size) {
    double squares = 0;
    for (std::size_t k = start; k < start + size; ++k) squares += values[k] * values[k];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(size) + epsilon);
    for (std::size_t k = start; k < start + size; ++k) values[k] *= scale;
  }
  scale_and_shift(job, values);
  store(job, values);
}

Signature infer_group_normalization(const Inference& question) {
  const std::int64_t groups = integer_attribute(question.call, "num_groups", 0);
  if (question.rank(0) < 2 || groups < 1 || groups > question.shape(0).extents[1] || question.shape(0).extents[1] % groups != 0)
    fail(question.call, "{} groups of the channels of {}", groups, describe(question.shape(0)));
  for (const std::size_t k : {1, 2})
    if (question.shape(k) != Shape{{question.shape(0).extents[1]}}) fail(question.call, "input {} is {} for {} channels", k, describe(question.shape(k)), question.shape(0).extents[1]);
  return question.same_as(0);
}
void group_normalization(const Evaluation& job) {
  const std::size_t channels = job.shape(0).extents[1];
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  const std::size_t size = channels / static_cast<std::size_t>(integer_attribute(job.call, "num_groups", 1)) * area;
  const double epsilon = number_attribute(job.call, "epsilon", 1e-5f);
  const std::vector<double> scale = job.doubles(1), bias = job.doubles(2);
  std::vector<double> values = job.doubles(0);
  for (std::size_t start = 0; size != 0 && start < values.size(); start += size) {
    const Statistics statistics = statistics_of(values.data() + start, size, epsilon);
    for (std::size_t k = start; k < start + size; ++k) {
      const std::size_t channel = k / area % channels;
      values[k] = (values[k] - statistics.mean) * statistics.scale * scale[channel] + bias[channel];
    }
  }
  store(job, values);
}

/// x / (bias + alpha / size * sum of squares over `size` neighbouring channels)^beta
Signature infer_lrn(const Inference& question) {
  if (question.rank(0) < 2) fail(question.call, "a value of {}; expected a batch and channels", describe(question.shape(0)));
  if (integer_attribute(question.call, "size", 0) < 1) fail(question.call, "size is {}", integer_attribute(question.call, "size", 0));
  return question.same_as(0);
}
void lrn(const Evaluation& job) {
  const std::int64_t size = integer_attribute(job.call, "size", 1);
  const double alpha = number_attribute(job.call, "alpha", 1e-4f), beta = number_attribute(job.call, "beta", 0.75f), bias = number_attribute(job.call, "bias", 1);
  const std::int64_t channels = job.shape(0).extents[1];
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  const std::vector<double> in = job.doubles(0);
  std::vector<double> out(in.size());
  std::vector<double> squares(area);
  for (std::size_t image = 0; image < job.shape(0).extents[0]; ++image) {
    const std::size_t first = image * static_cast<std::size_t>(channels) * area;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      std::fill(squares.begin(), squares.end(), 0.0);
      const std::int64_t low = std::max<std::int64_t>(0, channel - (size - 1) / 2);
      const std::int64_t high = std::min(channels - 1, channel + std::min(channels, size / 2));
      for (std::int64_t other = low; other <= high; ++other)
        for (std::size_t k = 0; k < area; ++k) {
          const double value = in[first + static_cast<std::size_t>(other) * area + k];
          squares[k] += value * value;
        }
      for (std::size_t k = 0; k < area; ++k) {
        const std::size_t at = first + static_cast<std::size_t>(channel) * area + k;
        out[at] = in[at] / std::pow(bias + alpha / static_cast<double>(size) * squares[k], beta);
      }
    }
  }
  store(job, out);
}

/// x / norm along an axis; a norm of 0 leaves 0.
Signature infer_lp_normalization(const Inference& question) {
  first_axis(question.call, question.rank(0));
  if (const std::int64_t p = integer_attribute(question.call, "p", 2); p != 1 && p != 2) fail(question.call, "p is {}; expected 1 or 2", p);
  return question.same_as(0);
}
void lp_normalization(const Evaluation& job) {
  const std::size_t axis = first_axis(job.call, job.shape(0).extents.size());
  const std::size_t outer = count(job.shape(0), 0, axis), length = job.shape(0).extents[axis], inner = count(job.shape(0), axis + 1, job.shape(0).extents.size());
  const bool squared = integer_attribute(job.call, "p", 2) == 2;
  std::vector<double> values = job.doubles(0);
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t x = 0; x < inner; ++x) {
      double norm = 0;
      double* const start = values.data() + i * length * inner + x;
      for (std::size_t k = 0; k < length; ++k) norm += squared ? start[k * inner] * start[k * inner] : std::abs(start[k * inner]);
      if (squared) norm = std::sqrt(norm);
      for (std::size_t k = 0; k < length; ++k) start[k * inner] = norm == 0 ? 0 : start[k * inner] / norm;
    }
  store(job, values);
}

/// (x - mean) / deviation over `axes`.
Signature infer_mean_variance(const Inference& question) {
  axes_of(question.call, integers_attribute(question.call, "axes"), question.rank(0));
  if (find_attribute(question.call, "axes") == nullptr) question.check_rank(0, 4, "X");
  return question.same_as(0);
}
void mean_variance_normalization(const Evaluation& job) {
  const Shape& shape = job.shape(0);
  Integers given = integers_attribute(job.call, "axes");
  if (find_attribute(job.call, "axes") == nullptr) given = {0, 2, 3};
  Shape kept = shape;
  for (const std::size_t axis : axes_of(job.call, given, shape.extents.size())) kept.extents[axis] = 1;
  const Integers strides = broadcast_strides(kept, shape);
  std::vector<double> values = job.doubles(0), sums(kept.size()), squares(kept.size());
  const double each = kept.size() == 0 ? 1 : static_cast<double>(values.size()) / static_cast<double>(kept.size());
  const auto for_each = [&](auto f) {
    std::vector<std::uint32_t> position(strides.size(), 0);
    for (double& value : values) {
      std::size_t at = 0;
      for (std::size_t a = 0; a < position.size(); ++a) at += position[a] * static_cast<std::size_t>(strides[a]);
      f(value, at);
      advance_position(position, shape);
    }
  };
  for_each([&](double& value, std::size_t at) { sums[at] += value / each; });
  for_each([&](double& value, std::size_t at) { squares[at] += (value - sums[at]) * (value - sums[at]) / each; });
  for_each([&](double& value, std::size_t at) { value = (value - sums[at]) / (std::sqrt(squares[at]) + 1e-9); });
  store(job, values);
}

}  // namespace lacuna::operators
