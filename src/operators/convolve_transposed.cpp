// ConvTranspose: every input element adds the kernel, times itself, to the output. The window is that of the convolution from the output to the input.
#include <algorithm>

#include "operators/families.hpp"
#include "operators/window.hpp"

namespace lacuna::operators {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 30;

/// window.input is the output's extents and window.output the input's: for_each_tap then goes over both.
Window transposed_window(const Call& call, const Shape& shape, const Shape& weights) {
  if (shape.extents.size() < 3 || weights.extents.size() != shape.extents.size())
    fail(call, "a value of {} and weights of {}; expected as many axes, at least 3", describe(shape), describe(weights));
  const std::size_t axes = shape.extents.size() - 2;
  Window window;
  window.output.assign(shape.extents.begin() + 2, shape.extents.end());
  window.kernel.assign(weights.extents.begin() + 2, weights.extents.end());
  if (const Integers given = integers_attribute(call, "kernel_shape"); !given.empty() && given != window.kernel)
    fail(call, "kernel_shape is [{}], but the weights are {}", fmt::join(given, " "), describe(weights));
  window.strides = axes_attribute(call, "strides", axes, 1, 1);
  window.dilations = axes_attribute(call, "dilations", axes, 1, 1);
  const Integers pads = axes_attribute(call, "pads", 2 * axes, 0, 0);
  window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const Integers extra = axes_attribute(call, "output_padding", axes, 0, 0);
  const Integers wanted = axes_attribute(call, "output_shape", axes, -1, 0);
  const std::string_view mode = text_attribute(call, "auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") fail(call, "auto_pad is \"{}\"", mode);
  if (mode == "VALID") window.pads_begin = window.pads_end = Integers(axes, 0);
  for (std::size_t k = 0; k < axes; ++k) {
    if (window.kernel[k] < 1 || window.kernel[k] > largest) fail(call, "a kernel with an extent of {}", window.kernel[k]);
    const std::int64_t reach = (window.kernel[k] - 1) * window.dilations[k] + 1;
    const std::int64_t whole = window.strides[k] * (window.output[k] - 1) + extra[k] + reach;  // without pads
    std::int64_t extent = wanted[k];
    if (extent < 0 && mode.starts_with("SAME")) extent = window.output[k] * window.strides[k];
    if (extent < 0) {
      extent = whole - window.pads_begin[k] - window.pads_end[k];
    } else {
      const std::int64_t both = std::max<std::int64_t>(0, whole - extent);
      window.pads_begin[k] = mode == "SAME_UPPER" ? both / 2 : both - both / 2;
      if (mode == "NOTSET") window.pads_begin[k] = both / 2;
      window.pads_end[k] = both - window.pads_begin[k];
    }
    if (extent < 0) fail(call, "pads of {} and {} leave nothing of {} elements along axis {}", window.pads_begin[k], window.pads_end[k], whole, k + 2);
    window.input.push_back(extent);
  }
  return window;
}

}  // namespace

/// Weights are {input channels, output channels / groups, kernel...}.
Signature infer_conv_transpose(const Inference& question) {
  question.check_same_type(1);
  const Window window = transposed_window(question.call, question.shape(0), question.shape(1));
  const std::int64_t groups = integer_attribute(question.call, "group", 1);
  if (groups < 1 || question.shape(0).extents[1] != question.shape(1).extents[0] || question.shape(0).extents[1] % groups != 0)
    fail(question.call, "a value of {} and weights of {} in {} groups", describe(question.shape(0)), describe(question.shape(1)), groups);
  if (groups > (std::int64_t{1} << 31)) fail(question.call, "{} groups", groups);
  Integers extents{question.shape(0).extents[0], question.shape(1).extents[1] * groups};
  extents.insert(extents.end(), window.input.begin(), window.input.end());
  const Shape shape = make_shape(question.call, extents);
  if (question.has(2) && question.shape(2) != Shape{{shape.extents[1]}}) fail(question.call, "a bias of {} for {} channels", describe(question.shape(2)), shape.extents[1]);
  return {question.type(0), shape};
}
void conv_transpose(const Evaluation& job) {
  const Window window = transposed_window(job.call, job.shape(0), job.shape(1));
  const auto groups = static_cast<std::size_t>(integer_attribute(job.call, "group", 1));
  const std::size_t inputs = job.shape(0).extents[1];
  const std::size_t outputs = job.signature.shape.extents[1];
  const std::size_t group_inputs = inputs / groups, group_outputs = outputs / groups;
  const auto input_size = static_cast<std::size_t>(window.output_size());
  const auto output_size = static_cast<std::size_t>(window.input_size());
  const auto kernel_size = static_cast<std::size_t>(window.kernel_size());
  const std::vector<double> input = job.doubles(0), weights = job.doubles(1), bias = job.has(2) ? job.doubles(2) : std::vector<double>(outputs, 0.0);
  std::vector<double> sums(output_size);
  const std::int64_t stride = window.strides.back();
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t image = 0; image < job.shape(0).extents[0]; ++image)
      for (std::size_t output = 0; output < outputs; ++output) {
        std::fill(sums.begin(), sums.end(), bias[output]);
        const std::size_t group = output / group_outputs;
        for (std::size_t channel = group * group_inputs; channel < (group + 1) * group_inputs; ++channel) {
          const double* const plane = input.data() + (image * inputs + channel) * input_size;
          const double* const kernel = weights.data() + (channel * group_outputs + output % group_outputs) * kernel_size;
          for_each_tap(window, [&](std::int64_t from, std::int64_t to, std::int64_t tap, std::int64_t length) {
            for (std::int64_t k = 0; k < length; ++k) sums[static_cast<std::size_t>(to + k * stride)] += plane[from + k] * kernel[tap];
          });
        }
        T* const out = job.out<T>() + (image * outputs + output) * output_size;
        for (std::size_t k = 0; k < output_size; ++k) out[k] = static_cast<T>(sums[k]);
      }
  });
}

}  // namespace lacuna::operators
