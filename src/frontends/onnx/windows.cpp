#include "frontends/onnx/windows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace lacuna::frontends::onnx {

std::vector<std::uint32_t> to_unsigned(const std::vector<std::int64_t>& numbers, std::string_view what, std::int64_t least) {
  for (const std::int64_t number : numbers)
    if (number < least || number > std::numeric_limits<std::int32_t>::max())
      throw InputError(fmt::format("its {} [{}] are not all at least {} and below 2^31", what, fmt::join(numbers, ", "), least));
  return {numbers.begin(), numbers.end()};
}

namespace {

std::vector<std::uint32_t> read_list(const Node& node, std::string_view attribute, std::size_t axes) {
  std::vector<std::int64_t> list = node.integers(attribute);
  if (list.empty()) list.assign(axes, 1);
  if (list.size() != axes) throw InputError(fmt::format("its {} [{}] are not one for each of {} spatial axes", attribute, fmt::join(list, ", "), axes));
  return to_unsigned(list, attribute, 1);
}

/// So many zeros that the output has ceil(extent / stride) places; an odd one goes to the end, or to the beginning for SAME_LOWER.
void pad_same(Windows& windows, const Shape& input, bool more_at_begin) {
  for (std::size_t axis = 0; axis < windows.kernel.size(); ++axis) {
    const std::int64_t extent = input.extents[axis + 2];
    const std::int64_t stride = windows.strides[axis];
    const std::int64_t reach = std::int64_t{windows.kernel[axis] - 1} * windows.dilations[axis] + 1;
    const std::int64_t places = (extent + stride - 1) / stride;
    const std::int64_t total = std::clamp<std::int64_t>((places - 1) * stride + reach - extent, 0, std::numeric_limits<std::int32_t>::max());
    const auto less = static_cast<std::uint32_t>(total / 2);
    const auto more = static_cast<std::uint32_t>(total - total / 2);
    windows.pads_begin.push_back(more_at_begin ? more : less);
    windows.pads_end.push_back(more_at_begin ? less : more);
  }
}

void read_pads(const Node& node, Windows& windows) {
  const std::size_t axes = windows.kernel.size();
  std::vector<std::int64_t> pads = node.integers("pads");
  if (pads.empty()) pads.assign(2 * axes, 0);
  if (pads.size() != 2 * axes) throw InputError(fmt::format("its pads [{}] are not two for each of {} spatial axes", fmt::join(pads, ", "), axes));
  const std::vector<std::uint32_t> checked = to_unsigned(pads, "pads", 0);
  windows.pads_begin.assign(checked.begin(), checked.begin() + static_cast<std::ptrdiff_t>(axes));
  windows.pads_end.assign(checked.begin() + static_cast<std::ptrdiff_t>(axes), checked.end());
}

}  // namespace

Windows read_windows(const Node& node, const Shape& input, std::vector<std::int64_t> kernel) {
  if (const auto given = node.integers("kernel_shape"); !given.empty()) {
    if (!kernel.empty() && given != kernel)
      throw InputError(fmt::format("its kernel_shape is [{}], but its weights are for [{}]", fmt::join(given, ", "), fmt::join(kernel, ", ")));
    kernel = given;
  }
  if (kernel.size() + 2 != input.extents.size())
    throw InputError(fmt::format("its kernel [{}] does not fit an input of shape {}: expected a batch, channels and {} spatial axes", fmt::join(kernel, ", "),
                                 to_string(input), kernel.size()));
  Windows windows;
  windows.kernel = to_unsigned(kernel, "kernel_shape", 1);
  windows.strides = read_list(node, "strides", kernel.size());
  windows.dilations = read_list(node, "dilations", kernel.size());
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER")
    pad_same(windows, input, auto_pad == "SAME_LOWER");
  else if (auto_pad == "VALID")
    windows.pads_begin.assign(kernel.size(), 0), windows.pads_end.assign(kernel.size(), 0);
  else if (auto_pad == "NOTSET" || auto_pad.empty())
    read_pads(node, windows);
  else
    throw InputError(fmt::format("its auto_pad is {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad));
  return windows;
}

void write_windows(Node& node, const Windows& windows) {
  const auto list = [](const std::vector<std::uint32_t>& numbers) { return std::vector<std::int64_t>(numbers.begin(), numbers.end()); };
  std::vector<std::int64_t> pads = list(windows.pads_begin);
  pads.insert(pads.end(), windows.pads_end.begin(), windows.pads_end.end());
  node.set("kernel_shape", list(windows.kernel));
  node.set("strides", list(windows.strides));
  node.set("dilations", list(windows.dilations));
  node.set("pads", std::move(pads));
  node.erase("auto_pad");
}

}  // namespace lacuna::frontends::onnx
