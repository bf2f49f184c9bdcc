#include "operators/window.hpp"

#include <algorithm>

namespace lacuna::operators {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 30;

std::int64_t product(const Integers& extents) {
  std::int64_t result = 1;
  for (const std::int64_t extent : extents) result *= extent;
  return result;
}

/// Pads so that there is an output for every stride-th input; an odd pad goes to the end (upper) or to the beginning.
void pad_same(Window& window, std::size_t k, bool upper) {
  const std::int64_t outputs = (window.input[k] + window.strides[k] - 1) / window.strides[k];
  const std::int64_t reach = (window.kernel[k] - 1) * window.dilations[k] + 1;
  const std::int64_t pads = std::max<std::int64_t>(0, (outputs - 1) * window.strides[k] + reach - window.input[k]);
  window.pads_begin[k] = upper ? pads / 2 : pads - pads / 2;
  window.pads_end[k] = pads - window.pads_begin[k];
}

std::int64_t outputs_along(const Call& call, const Window& window, std::size_t k, bool ceil) {
  const std::int64_t padded = window.input[k] + window.pads_begin[k] + window.pads_end[k];
  const std::int64_t reach = (window.kernel[k] - 1) * window.dilations[k] + 1;
  if (reach > padded) fail(call, "a kernel that reaches over {} elements of axis {}, which has {} with its pads", reach, k + 2, padded);
  const std::int64_t steps = padded - reach;
  std::int64_t outputs = (ceil ? steps + window.strides[k] - 1 : steps) / window.strides[k] + 1;
  if (ceil && (outputs - 1) * window.strides[k] >= window.input[k] + window.pads_begin[k]) --outputs;  // no window begins behind the input
  return outputs;
}

}  // namespace

std::int64_t Window::input_size() const { return product(input); }
std::int64_t Window::output_size() const { return product(output); }
std::int64_t Window::kernel_size() const { return product(kernel); }

Integers axes_attribute(const Call& call, std::string_view name, std::size_t axes, std::int64_t otherwise, std::int64_t least) {
  if (find_attribute(call, name) == nullptr) return Integers(axes, otherwise);
  Integers values = integers_attribute(call, name);
  if (values.empty()) return Integers(axes, otherwise);
  if (values.size() != axes) fail(call, "{} of {} numbers; expected {}", name, values.size(), axes);
  for (const std::int64_t value : values)
    if (value < least || value > largest) fail(call, "{} has an entry of {}; expected {} to {}", name, value, least, largest);
  return values;
}

Window window_of(const Call& call, const Shape& shape, Integers kernel, bool may_ceil) {
  if (shape.extents.size() < 3) fail(call, "a value of {}; expected a batch, channels and at least one more axis", describe(shape));
  const std::size_t axes = shape.extents.size() - 2;
  if (kernel.size() != axes) fail(call, "a kernel of {} axes for a value of {}", kernel.size(), describe(shape));
  for (const std::int64_t extent : kernel)
    if (extent < 1 || extent > largest) fail(call, "a kernel with an extent of {}", extent);
  Window window;
  window.input.assign(shape.extents.begin() + 2, shape.extents.end());
  window.kernel = std::move(kernel);
  window.strides = axes_attribute(call, "strides", axes, 1, 1);
  window.dilations = axes_attribute(call, "dilations", axes, 1, 1);
  const Integers pads = axes_attribute(call, "pads", 2 * axes, 0, 0);
  window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const std::string_view mode = text_attribute(call, "auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") fail(call, "auto_pad is \"{}\"", mode);
  if (mode == "VALID") window.pads_begin = window.pads_end = Integers(axes, 0);
  const bool ceil = may_ceil && flag_attribute(call, "ceil_mode", false);
  for (std::size_t k = 0; k < axes; ++k) {
    if (mode.starts_with("SAME")) pad_same(window, k, mode == "SAME_UPPER");
    window.output.push_back(outputs_along(call, window, k, ceil));
  }
  return window;
}

Window window_of(const Conv& conv, const Shape& shape) {
  const Call call{"Conv", {}, 0};
  const auto wide = [](const std::vector<std::uint32_t>& values) { return Integers(values.begin(), values.end()); };
  Window window{Integers(shape.extents.begin() + 2, shape.extents.end()), {}, wide(conv.kernel), wide(conv.strides), wide(conv.dilations),
                wide(conv.pads_begin), wide(conv.pads_end)};
  for (const Integers* values : {&window.kernel, &window.strides, &window.dilations})
    for (const std::int64_t value : *values)
      if (value < 1 || value > largest) fail(call, "a kernel, stride or dilation of {}", value);
  for (std::size_t k = 0; k < window.kernel.size(); ++k) window.output.push_back(outputs_along(call, window, k, false));
  return window;
}

}  // namespace lacuna::operators
