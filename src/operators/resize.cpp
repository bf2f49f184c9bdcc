// Resize, axis by axis: along each, an output is a weighted sum of a few inputs (taps), the same for every row.
#include <algorithm>
#include <cstring>
#include <limits>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

struct Resized {
  std::vector<double> scales;  ///< for every axis
  Integers extents;
  std::vector<double> roi_start, roi_end;
};

std::vector<std::size_t> resized_axes(const Call& call, std::size_t rank) {
  const Integers given = integers_attribute(call, "axes");
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : given) axes.push_back(axis_of(call, axis, rank));
  axes_of(call, given, rank);  // each at most once
  for (std::size_t k = 0; given.empty() && k < rank; ++k) axes.push_back(k);
  return axes;
}

std::int64_t checked_extent(const Call& call, double extent) {
  if (!(extent >= 0 && extent <= std::numeric_limits<std::uint32_t>::max())) fail(call, "an extent of {}", extent);
  return static_cast<std::int64_t>(extent);
}

/// `roi`, `scales` and `sizes` are empty where they are not given.
Resized resized(const Call& call, const Shape& shape, const std::vector<double>& roi, const std::vector<double>& scales, const Integers& sizes) {
  const std::size_t rank = shape.extents.size();
  const std::vector<std::size_t> axes = resized_axes(call, rank);
  Resized result{std::vector<double>(rank, 1.0), extents_of(shape), std::vector<double>(rank, 0.0), std::vector<double>(rank, 1.0)};
  if (scales.empty() == sizes.empty()) fail(call, "expected either scales or sizes");
  if (std::max(scales.size(), sizes.size()) != axes.size()) fail(call, "{} scales or sizes for {} axes", std::max(scales.size(), sizes.size()), axes.size());
  const bool crops = text_attribute(call, "coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  if (crops && roi.size() != 2 * axes.size()) fail(call, "a region of {} numbers for {} axes", roi.size(), axes.size());
  for (const double number : roi)
    if (!(std::abs(number) <= 0x1p40)) fail(call, "a region with a bound of {}", number);
  const std::string_view policy = text_attribute(call, "keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") fail(call, "keep_aspect_ratio_policy is \"{}\"", policy);
  double common = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
  for (std::size_t k = 0; k < axes.size() && !sizes.empty(); ++k) {
    const double ratio = static_cast<double>(sizes[k]) / shape.extents[axes[k]];
    common = policy == "not_larger" ? std::min(common, ratio) : std::max(common, ratio);
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t axis = axes[k];
    const double extent = shape.extents[axis];
    if (crops) {
      result.roi_start[axis] = roi[k];
      result.roi_end[axis] = roi[axes.size() + k];
    }
    if (!scales.empty()) {
      if (!(scales[k] > 0 && scales[k] <= 0x1p40)) fail(call, "a scale of {}", scales[k]);
      result.scales[axis] = scales[k];
      result.extents[axis] = checked_extent(call, std::floor(extent * (result.roi_end[axis] - result.roi_start[axis]) * scales[k]));
    } else {
      result.extents[axis] = policy == "stretch" ? checked_extent(call, static_cast<double>(sizes[k])) : checked_extent(call, std::floor(extent * common + 0.5));
      result.scales[axis] = policy == "stretch" ? static_cast<double>(sizes[k]) / extent : common;
    }
    if (shape.extents[axis] == 0 && result.extents[axis] != 0) fail(call, "{} elements out of none along axis {}", result.extents[axis], axis);
  }
  return result;
}

/// Where output `x` of an axis lies in the input.
double source_of(const Call& call, std::string_view mode, const Resized& to, std::size_t axis, double in, std::int64_t x_index) {
  const auto x = static_cast<double>(x_index);
  const auto out = static_cast<double>(to.extents[axis]);
  const double scale = to.scales[axis];
  if (mode == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (mode == "pytorch_half_pixel") return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (mode == "asymmetric") return x / scale;
  if (mode == "align_corners") return in * scale == 1 || out == 1 ? 0 : x * (in - 1) / (in * scale - 1);
  if (mode == "half_pixel_symmetric") return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
  if (mode == "tf_crop_and_resize") {
    const double start = to.roi_start[axis], end = to.roi_end[axis];
    return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1) : 0.5 * (start + end) * (in - 1);
  }
  fail(call, "coordinate_transformation_mode is \"{}\"", mode);
}

double nearest(const Call& call, double at) {
  const std::string_view mode = text_attribute(call, "nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return std::ceil(at - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(at + 0.5);
  if (mode == "floor") return std::floor(at);
  if (mode == "ceil") return std::ceil(at);
  fail(call, "nearest_mode is \"{}\"", mode);
}

/// Weight of an input at distance `x`.
double kernel_at(bool is_cubic, double a, double x) {
  x = std::abs(x);
  if (!is_cubic) return std::max(0.0, 1 - x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// For each output along an axis: `count` inputs and their weights. `outside`: outputs that get the extrapolation value.
struct Taps {
  std::size_t count = 1;
  std::vector<std::size_t> sources;
  std::vector<double> weights;
  std::vector<bool> outside;
};

Taps taps_of(const Call& call, const Resized& to, std::size_t axis, std::uint32_t extent) {
  const std::string_view kind = text_attribute(call, "mode", "nearest");
  const std::string_view mode = text_attribute(call, "coordinate_transformation_mode", "half_pixel");
  const bool is_cubic = kind == "cubic", is_nearest = kind == "nearest";
  const bool excludes = flag_attribute(call, "exclude_outside", false), smooths = flag_attribute(call, "antialias", false);
  const double a = number_attribute(call, "cubic_coeff_a", -0.75f);
  const double shrink = smooths ? std::min(1.0, to.scales[axis]) : 1.0;
  const double first = std::floor(-(is_cubic ? 2.0 : 1.0) / shrink) + 1;
  const auto last_source = static_cast<double>(extent) - 1;
  Taps taps;
  if (!is_nearest) taps.count = static_cast<std::size_t>(2 - 2 * first);
  for (std::int64_t x = 0; x < to.extents[axis]; ++x) {
    const double at = source_of(call, mode, to, axis, extent, x);
    taps.outside.push_back(mode == "tf_crop_and_resize" && !(at >= 0 && at <= last_source));
    if (is_nearest) {
      taps.sources.push_back(static_cast<std::size_t>(std::clamp(nearest(call, at), 0.0, last_source)));
      continue;
    }
    const double base = std::floor(at);
    double sum = 0;
    for (std::size_t tap = 0; tap < taps.count; ++tap) {
      const double place = base + first + static_cast<double>(tap);
      const bool is_outside = place < 0 || place > last_source;
      const double weight = excludes && is_outside ? 0 : kernel_at(is_cubic, a, (place - at) * shrink);
      sum += weight;
      taps.weights.push_back(weight);
      taps.sources.push_back(static_cast<std::size_t>(std::clamp(place, 0.0, last_source)));
    }
    if (smooths || excludes)
      for (std::size_t tap = taps.weights.size() - taps.count; tap < taps.weights.size(); ++tap) taps.weights[tap] /= sum == 0 ? 1 : sum;
  }
  return taps;
}

/// One axis: {outer, from, inner} -> {outer, to, inner}.
template <typename T>
void pick(const T* in, T* out, std::size_t outer, std::size_t from, std::size_t inner, const Taps& taps) {
  for (std::size_t i = 0; i < outer; ++i, in += from * inner)
    for (const std::size_t source : taps.sources) {
      if (inner == 1)
        *out = in[source];
      else
        std::memcpy(out, in + source * inner, inner * sizeof(T));
      out += inner;
    }
}

template <typename C>
void blend(const C* in, C* out, std::size_t outer, std::size_t from, std::size_t inner, const Taps& taps) {
  const std::vector<C> weights(taps.weights.begin(), taps.weights.end());
  const std::size_t outputs = taps.outside.size();
  for (std::size_t i = 0; i < outer; ++i, in += from * inner)
    for (std::size_t x = 0; x < outputs; ++x, out += inner) {
      const std::size_t* const sources = taps.sources.data() + x * taps.count;
      const C* const weight = weights.data() + x * taps.count;
      if (inner == 1) {
        C sum = weight[0] * in[sources[0]];
        for (std::size_t tap = 1; tap < taps.count; ++tap) sum += weight[tap] * in[sources[tap]];
        *out = sum;
        continue;
      }
      for (std::size_t k = 0; k < inner; ++k) out[k] = weight[0] * in[sources[0] * inner + k];
      for (std::size_t tap = 1; tap < taps.count; ++tap)
        for (std::size_t k = 0; k < inner; ++k) out[k] += weight[tap] * in[sources[tap] * inner + k];
    }
}

/// Runs step(input, output, outer, from, inner, taps) for each axis that changes, from one buffer to the next and the last into `result`.
template <typename T, typename Step>
void along_axes(const T* values, T* result, const Evaluation& job, const Resized& to, Step step) {
  Shape shape = job.shape(0);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < shape.extents.size(); ++axis)
    if (to.extents[axis] != shape.extents[axis] || to.scales[axis] != 1 || to.roi_start[axis] != 0 || to.roi_end[axis] != 1) axes.push_back(axis);
  if (axes.empty() && job.out_size() != 0) std::memcpy(result, values, job.out_size() * sizeof(T));
  std::vector<T> buffer;
  for (const std::size_t axis : axes) {
    const Taps taps = taps_of(job.call, to, axis, shape.extents[axis]);
    const std::size_t outer = count(shape, 0, axis), from = shape.extents[axis], inner = count(shape, axis + 1, shape.extents.size());
    const bool is_last = axis == axes.back();
    std::vector<T> next(is_last ? 0 : outer * taps.outside.size() * inner);
    if (outer != 0 && from != 0 && inner != 0) step(values, is_last ? result : next.data(), outer, from, inner, taps);
    buffer = std::move(next);
    values = buffer.data();
    shape.extents[axis] = static_cast<std::uint32_t>(to.extents[axis]);
  }
}

/// What lies outside the cropped region gets the attribute's value.
void extrapolate(const Evaluation& job, const Resized& to) {
  if (text_attribute(job.call, "coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize") return;
  const float value = number_attribute(job.call, "extrapolation_value", 0);
  const Shape& shape = job.signature.shape;
  for (std::size_t axis = 0; axis < shape.extents.size(); ++axis) {
    const Taps taps = taps_of(job.call, to, axis, job.shape(0).extents[axis]);
    const std::size_t inner = count(shape, axis + 1, shape.extents.size());
    with_type<numbers>(job.signature.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::size_t row = 0; row < count(shape, 0, axis + 1); ++row)
        if (taps.outside[row % shape.extents[axis]]) std::fill_n(job.out<T>() + row * inner, inner, saturated<T>(value));
    });
  }
}

Resized resized_of(const Evaluation& job) {
  return resized(job.call, job.shape(0), job.has(1) ? job.doubles(1) : std::vector<double>(), job.has(2) ? job.doubles(2) : std::vector<double>(),
                 job.has(3) ? job.integers(3) : Integers());
}

}  // namespace

/// Inputs: the value, the region (of tf_crop_and_resize), scales, sizes.
Signature infer_resize(const Inference& question) {
  const Call& call = question.call;
  const bool crops = text_attribute(call, "coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  const Resized to = resized(call, question.shape(0), crops && question.has(1) ? question.doubles(1, "roi") : std::vector<double>(),
                             question.has(2) ? question.doubles(2, "scales") : std::vector<double>(), question.has(3) ? question.integers(3, "sizes") : Integers());
  const std::string_view mode = text_attribute(call, "mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "cubic") fail(call, "mode is \"{}\"", mode);
  if ((mode != "nearest" || crops) && question.type(0) == ElementType::boolean) refuse(call, "mode \"{}\" of bool", mode);
  source_of(call, text_attribute(call, "coordinate_transformation_mode", "half_pixel"), to, 0, 1, 0);  // a mode that is known
  nearest(call, 0);
  if (flag_attribute(call, "antialias", false))
    for (const double scale : to.scales)
      if (scale < 0x1p-20) fail(call, "antialias with a scale of {}", scale);
  return {question.type(0), make_shape(call, to.extents)};
}
void resize(const Evaluation& job) {
  const Resized to = resized_of(job);
  const std::size_t size = job.shape(0).size();
  if (text_attribute(job.call, "mode", "nearest") == "nearest") {
    with_width(job.element_bytes(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      along_axes(job.in<T>(0), job.out<T>(), job, to, pick<T>);
    });
  } else if (job.signature.type == ElementType::f32) {
    along_axes(job.in<float>(0), job.out<float>(), job, to, blend<float>);
  } else {
    const std::vector<double> values = job.doubles(0);
    std::vector<double> result(job.out_size());
    if (size != 0) along_axes(values.data(), result.data(), job, to, blend<double>);
    with_type<numbers>(job.signature.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::size_t k = 0; k < result.size(); ++k) job.out<T>()[k] = saturated<T>(result[k]);
    });
  }
  extrapolate(job, to);
}

}  // namespace lacuna::operators
