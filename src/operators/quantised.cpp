// Quantised operators: an integer q stands for (q - zero point) * scale. Sums are exact: products of bytes in double, below 2^53.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <span>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

constexpr Types quantised = types_of(ElementType::i8, ElementType::u8, ElementType::i16, ElementType::u16);

/// A scale or zero point for each element, each index of an axis, or each block of an axis.
struct Spread {
  std::size_t outer = 1, length = 1, inner = 1;  ///< of the value, around the axis
  std::size_t block = 1;                         ///< indices that share one
  std::size_t blocks = 1;
  bool is_single = true;
  bool is_blocked = false;

  std::size_t of(std::size_t element) const {
    if (is_single) return 0;
    const std::size_t index = element / inner % length / block;
    return is_blocked ? (element / inner / length * blocks + index) * inner + element % inner : index;
  }
};

Spread spread_of(const Call& call, const Shape& shape, const Shape& scale) {
  Spread spread;
  const std::int64_t block = integer_attribute(call, "block_size", 0);
  if (scale.size() == 1 && block == 0) return spread;
  const std::size_t rank = shape.extents.size();
  const std::size_t axis = axis_of(call, integer_attribute(call, "axis", 1), rank);
  spread.is_single = false;
  spread.outer = count(shape, 0, axis);
  spread.length = shape.extents[axis];
  spread.inner = count(shape, axis + 1, rank);
  if (block == 0) {
    if (scale != Shape{{shape.extents[axis]}}) fail(call, "scales of {} for axis {} of {}", describe(scale), axis, describe(shape));
    return spread;
  }
  Shape wanted = shape;
  wanted.extents[axis] = static_cast<std::uint32_t>((shape.extents[axis] + block - 1) / std::max<std::int64_t>(1, block));
  if (block < 1 || scale != wanted) fail(call, "scales of {} for {} in blocks of {} along axis {}", describe(scale), describe(shape), block, axis);
  spread.is_blocked = true;
  spread.block = static_cast<std::size_t>(block);
  spread.blocks = wanted.extents[axis];
  return spread;
}

/// Rounds to the nearest, ties to even, and keeps within the type.
template <typename T>
T quantise(double value, double zero_point) {
  return saturated<T>(std::nearbyint(value) + zero_point);
}

std::vector<double> zero_points(const Evaluation& job, std::size_t k, std::size_t otherwise) {
  return job.has(k) ? job.doubles(k) : std::vector<double>(otherwise, 0.0);
}

/// Zero points of the rows or columns of a matrix product, or of the channels of weights: one, or one for each.
void subtract(std::vector<double>& values, const std::vector<double>& zero_points, std::size_t inner) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] -= zero_points[zero_points.size() == 1 ? 0 : k / inner % zero_points.size()];
}

void check_list(const Inference& question, std::size_t k, std::size_t length, std::string_view what) {
  if (!question.has(k)) return;
  const std::uint64_t size = question.shape(k).size();
  if (size != 1 && (question.rank(k) != 1 || size != length)) fail(question.call, "{} of {}; expected one, or {}", what, describe(question.shape(k)), length);
}
void check_single(const Inference& question, std::size_t k, std::string_view what) {
  if (question.has(k) && question.shape(k).size() != 1) fail(question.call, "{} of {}; expected one", what, describe(question.shape(k)));
}
void check_type(const Inference& question, std::size_t k, Types types) {
  if (question.has(k) && !contains(types, question.type(k))) refuse(question.call, "elements of {} in input {}", name_of(question.type(k)), k);
}

/// A zero point for each scale. Files mix scalars and lists of one.
bool fits_scales(const Inference& question) {
  return question.shape(2) == question.shape(1) || (question.shape(1).size() == 1 && question.shape(2).size() == 1);
}

// One scale for all, in forms that compilers make vectors of; the same bits as below.
template <typename T>
void dequantize_bytes(std::span<const T> bytes, float scale, std::int32_t zero, float* __restrict out) {
  for (std::size_t k = 0; k < bytes.size(); ++k) out[k] = static_cast<float>(static_cast<std::int32_t>(bytes[k]) - zero) * scale;
}
template <typename T>
void quantize_bytes(std::span<const float> values, float scale, std::int32_t zero, T* __restrict out) {
  constexpr float rounder = 12582912.0f;  // 1.5 * 2^23: adding and subtracting it rounds to the nearest whole number, ties to even
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - zero), high = static_cast<float>(std::numeric_limits<T>::max() - zero);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const float kept = std::min(high, std::max(low, values[k] / scale));
    out[k] = static_cast<T>(static_cast<std::int32_t>((kept + rounder) - rounder) + zero);
  }
}

constexpr Types bytes_only = types_of(ElementType::i8, ElementType::u8);

}  // namespace

/// The output's type is that of the zero point, or the attribute output_dtype, or u8.
Signature infer_quantize(const Inference& question) {
  check_type(question, 1, floats | types_of(ElementType::i32));
  spread_of(question.call, question.shape(0), question.shape(1));
  ElementType type = ElementType::u8;
  if (const std::int64_t given = integer_attribute(question.call, "output_dtype", 0); given != 0) type = type_of_number(question.call, given);
  if (question.has(2)) {
    type = question.type(2);
    if (!fits_scales(question)) fail(question.call, "zero points of {} for scales of {}", describe(question.shape(2)), describe(question.shape(1)));
  }
  if (!contains(quantised, type)) refuse(question.call, "an output of {}", name_of(type));
  return {type, question.shape(0)};
}
void quantize_linear(const Evaluation& job) {
  const Spread spread = spread_of(job.call, job.shape(0), job.shape(1));
  if (spread.is_single && job.type(0) == ElementType::f32 && contains(bytes_only, job.signature.type))
    return with_type<bytes_only>(job.signature.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      quantize_bytes<T>({job.in<float>(0), job.shape(0).size()}, static_cast<float>(job.doubles(1)[0]), static_cast<std::int32_t>(zero_points(job, 2, 1)[0]), job.out<T>());
    });
  const std::vector<double> values = job.doubles(0), scales = job.doubles(1), zeros = zero_points(job, 2, scales.size());
  const bool narrow = job.type(0) == ElementType::f32;  // divide as ONNX does
  with_type<quantised>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t at = spread.of(k);
      const double ratio = narrow ? static_cast<double>(static_cast<float>(values[k]) / static_cast<float>(scales[at])) : values[k] / scales[at];
      job.out<T>()[k] = quantise<T>(ratio, zeros[at]);
    }
  });
}

Signature infer_dequantize(const Inference& question) {
  check_type(question, 1, floats);
  if (question.has(2) && (question.type(2) != question.type(0) || !fits_scales(question)))
    fail(question.call, "zero points of {} {} for {} and scales of {}", name_of(question.type(2)), describe(question.shape(2)), name_of(question.type(0)), describe(question.shape(1)));
  spread_of(question.call, question.shape(0), question.shape(1));
  ElementType type = question.type(1);
  if (const std::int64_t given = integer_attribute(question.call, "output_dtype", 0); given != 0) type = type_of_number(question.call, given);
  if (!contains(floats, type)) refuse(question.call, "an output of {}", name_of(type));
  return {type, question.shape(0)};
}
void dequantize_linear(const Evaluation& job) {
  const Spread spread = spread_of(job.call, job.shape(0), job.shape(1));
  if (spread.is_single && job.signature.type == ElementType::f32 && contains(bytes_only, job.type(0)))
    return with_type<bytes_only>(job.type(0), [&](auto tag) {
      using T = typename decltype(tag)::type;
      dequantize_bytes<T>({job.in<T>(0), job.shape(0).size()}, static_cast<float>(job.doubles(1)[0]), static_cast<std::int32_t>(zero_points(job, 2, 1)[0]), job.out<float>());
    });
  const std::vector<double> values = job.doubles(0), scales = job.doubles(1), zeros = zero_points(job, 2, scales.size());
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t k = 0; k < values.size(); ++k) job.out<T>()[k] = static_cast<T>((values[k] - zeros[spread.of(k)]) * scales[spread.of(k)]);
  });
}

/// Outputs: the bytes, the scale, the zero point.
Signature infer_dynamic_quantize(const Inference& question) {
  if (question.call.which_output == 0) return {ElementType::u8, question.shape(0)};
  return {question.call.which_output == 1 ? ElementType::f32 : ElementType::u8, {}};
}
void dynamic_quantize_linear(const Evaluation& job) {
  float low = 0, high = 0;
  const std::size_t size = job.shape(0).size();
  for (std::size_t k = 0; k < size; ++k) {
    low = std::min(low, job.in<float>(0)[k]);
    high = std::max(high, job.in<float>(0)[k]);
  }
  const float scale = (high - low) / 255;
  const auto zero = scale == 0 ? std::uint8_t{0} : saturated<std::uint8_t>(std::nearbyint(-low / scale));
  if (job.call.which_output == 1) *job.out<float>() = scale;
  if (job.call.which_output == 2) *job.out<std::uint8_t>() = zero;
  if (job.call.which_output == 0)
    for (std::size_t k = 0; k < size; ++k) job.out<std::uint8_t>()[k] = quantise<std::uint8_t>(scale == 0 ? 0 : static_cast<double>(job.in<float>(0)[k] / scale), zero);
}

/// Inputs: A, B, zero point of A (one for each row), zero point of B (one for each column).
Signature infer_matmul_integer(const Inference& question) {
  check_type(question, 1, quantised);
  const Shape shape = matmul_shape(question.call, question.shape(0), question.shape(1));
  check_list(question, 2, question.rank(0) < 2 ? 1 : question.shape(0).extents[question.rank(0) - 2], "zero points of A");
  check_list(question, 3, question.shape(1).extents.back(), "zero points of B");
  return {ElementType::i32, shape};
}
void matmul_integer(const Evaluation& job) {
  std::vector<double> left = job.doubles(0), right = job.doubles(1);
  subtract(left, zero_points(job, 2, 1), job.shape(0).extents.back());
  subtract(right, zero_points(job, 3, 1), 1);
  multiply_as_doubles(job.call, job.shape(0), job.shape(1), left.data(), right.data(), [&](std::size_t at, const std::vector<double>& sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) job.out<std::int32_t>()[at + k] = saturated<std::int32_t>(sums[k]);
  });
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, the output's scale and zero point.
Signature infer_qlinear_matmul(const Inference& question) {
  for (const std::size_t k : {3, 7}) check_type(question, k, quantised);
  const Shape shape = matmul_shape(question.call, question.shape(0), question.shape(3));
  for (const std::size_t k : {1, 2, 6, 7}) check_single(question, k, "a scale or zero point of the input or the output");
  for (const std::size_t k : {4, 5}) check_list(question, k, question.shape(3).extents.back(), "scales or zero points of b");
  return {question.type(7), shape};
}
void qlinear_matmul(const Evaluation& job) {
  std::vector<double> left = job.doubles(0), right = job.doubles(3);
  subtract(left, job.doubles(2), 1);
  subtract(right, job.doubles(5), 1);
  const double scale = job.doubles(1)[0] / job.doubles(6)[0];
  const std::vector<double> scales = job.doubles(4);
  const double zero = job.doubles(7)[0];
  with_type<quantised>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    multiply_as_doubles(job.call, job.shape(0), job.shape(3), left.data(), right.data(), [&](std::size_t at, const std::vector<double>& sums) {
      for (std::size_t k = 0; k < sums.size(); ++k) job.out<T>()[at + k] = quantise<T>(sums[k] * scale * scales[scales.size() == 1 ? 0 : k], zero);
    });
  });
}

/// Inputs: x, w, zero point of x, zero points of w (one, or one for each output channel).
Signature infer_conv_integer(const Inference& question) {
  check_type(question, 1, quantised);
  const Shape shape = convolved_shape(question.call, question.shape(0), question.shape(1));
  check_single(question, 2, "a zero point of x");
  check_list(question, 3, question.shape(1).extents[0], "zero points of w");
  return {ElementType::i32, shape};
}
void conv_integer(const Evaluation& job) {
  std::vector<double> input = job.doubles(0), weights = job.doubles(1);
  subtract(input, zero_points(job, 2, 1), 1);
  subtract(weights, zero_points(job, 3, 1), count(job.shape(1), 1, job.shape(1).extents.size()));
  convolve_call(job.call, job.shape(0), job.shape(1), input.data(), weights.data(), [&](std::size_t plane, std::size_t, const std::vector<double>& sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) job.out<std::int32_t>()[plane * sums.size() + k] = saturated<std::int32_t>(sums[k]);
  });
}

/// Inputs: x, its scale and zero point, w, its scales and zero points, the output's scale and zero point, bias in i32 (scale: x times w).
Signature infer_qlinear_conv(const Inference& question) {
  for (const std::size_t k : {3, 7}) check_type(question, k, quantised);
  check_type(question, 8, types_of(ElementType::i32));
  const Shape shape = convolved_shape(question.call, question.shape(0), question.shape(3));
  for (const std::size_t k : {1, 2, 6, 7}) check_single(question, k, "a scale or zero point of the input or the output");
  for (const std::size_t k : {4, 5, 8}) check_list(question, k, shape.extents[1], "scales, zero points or biases");
  return {question.type(7), shape};
}
void qlinear_conv(const Evaluation& job) {
  std::vector<double> input = job.doubles(0), weights = job.doubles(3);
  subtract(input, job.doubles(2), 1);
  subtract(weights, job.doubles(5), count(job.shape(3), 1, job.shape(3).extents.size()));
  const double scale = job.doubles(1)[0] / job.doubles(6)[0];
  const std::vector<double> scales = job.doubles(4), bias = zero_points(job, 8, 1);
  const double zero = job.doubles(7)[0];
  with_type<quantised>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    convolve_call(job.call, job.shape(0), job.shape(3), input.data(), weights.data(), [&](std::size_t plane, std::size_t channel, const std::vector<double>& sums) {
      const double factor = scale * scales[scales.size() == 1 ? 0 : channel];
      const double addend = bias[bias.size() == 1 ? 0 : channel];
      for (std::size_t k = 0; k < sums.size(); ++k) job.out<T>()[plane * sums.size() + k] = quantise<T>((sums[k] + addend) * factor, zero);
    });
  });
}

}  // namespace lacuna::operators
