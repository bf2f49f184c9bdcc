// Rules of operators that only tell or change shapes, or vanish.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {
namespace {

std::vector<std::int64_t> extents_of(const Shape& shape) { return {shape.extents.begin(), shape.extents.end()}; }

}  // namespace

bool form_shape(Builder& builder, Node& node) {
  const std::vector<std::int64_t> extents = extents_of(builder.shape(node.required(0)));
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto resolve = [&](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
  const std::int64_t start = resolve(node.integer("start", 0));
  const std::int64_t end = std::max(start, resolve(node.integer("end", rank)));
  const std::vector<std::int64_t> part(extents.begin() + start, extents.begin() + end);
  builder.define(node.outputs[0], builder.add_constant(node.outputs[0], {static_cast<std::uint32_t>(part.size())}, part));
  return true;
}

bool form_size(Builder& builder, Node& node) {
  const auto size = static_cast<std::int64_t>(builder.shape(node.required(0)).size());
  builder.define(node.outputs[0], builder.add_constant<std::int64_t>(node.outputs[0], {}, {size}));
  return true;
}

/// A constant where the shape is one (it nearly always is), else an Expand.
bool form_constant_of_shape(Builder& builder, Node& node) {
  const AttributeProto* attribute = node.proto.find("value");
  Value element{.name = node.name_of_part("value"), .shape = {}, .type = ElementType::f32, .is_constant = true, .constant = std::vector<std::byte>(sizeof(float))};
  if (attribute != nullptr && attribute->tensor) element = read_elements(*attribute->tensor, builder.memory());
  if (element.shape.size() != 1) throw InputError(fmt::format("its value has {} elements; it must have one", element.shape.size()));
  element.shape = {};
  const auto dims = builder.integers(node.required(0));
  if (!dims) {
    builder.define(node.outputs[0], builder.emit(Call{"Expand", {}}, {builder.add_constant(std::move(element)), node.inputs[0]}, node.outputs[0]));
    return true;
  }
  Value value{.name = std::string(node.outputs[0]), .shape = make_shape(*dims), .type = element.type, .is_constant = true};
  const std::size_t width = size_of(value.type);
  builder.memory().take(value.shape.size() * width);
  std::vector<std::byte> bytes(value.shape.size() * width);
  if (std::any_of(element.constant.begin(), element.constant.end(), [](std::byte b) { return b != std::byte{0}; }))
    for (std::size_t at = 0; at < bytes.size(); at += width) std::memcpy(bytes.data() + at, element.constant.data(), width);
  value.constant = std::move(bytes);
  builder.define(node.outputs[0], builder.add_constant(std::move(value)));
  return true;
}

bool form_cast_like(Builder& builder, Node& node) {
  node.call.name = "Cast";
  node.set("to", data_type_of(builder.value(node.required(1)).type));
  node.inputs.resize(1);
  return false;
}

bool form_scatter(Builder&, Node& node) {
  node.call.name = "ScatterElements";
  return false;
}

bool form_identity(Builder& builder, Node& node) {
  builder.define(node.outputs[0], node.required(0));
  return true;
}

/// As at inference: nothing is dropped.
bool form_dropout(Builder& builder, Node& node) {
  if (node.input(2) != no_value) {
    const bool is_off = builder.is_constant(node.inputs[2]) && std::all_of(builder.value(node.inputs[2]).constant.begin(), builder.value(node.inputs[2]).constant.end(),
                                                                           [](std::byte b) { return b == std::byte{0}; });
    if (!is_off) throw Unsupported("Dropout in training mode is not supported; export the model for inference");
  }
  const ValueId input = node.required(0);
  if (!node.outputs[0].empty()) builder.define(node.outputs[0], input);
  if (node.outputs.size() < 2 || node.outputs[1].empty()) return true;
  Value mask{.name = std::string(node.outputs[1]), .shape = builder.shape(input), .type = ElementType::boolean, .is_constant = true};
  builder.memory().take(mask.shape.size());
  mask.constant = std::vector<std::byte>(mask.shape.size(), std::byte{1});
  builder.define(node.outputs[1], builder.add_constant(std::move(mask)));
  return true;
}

namespace {

/// Elements that a Reshape of `input` to `target` gives, -1 and 0 resolved; nothing if it does not fit.
bool fits(const Shape& input, const std::vector<std::int64_t>& target, bool zero_is_zero) {
  std::uint64_t product = 1;
  bool is_open = false;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    std::int64_t extent = target[axis];
    if (extent == 0 && !zero_is_zero) extent = axis < input.extents.size() ? input.extents[axis] : 0;
    if (extent == -1) is_open = true;
    if (extent < 0) continue;
    if (extent != 0 && product > max_elements / static_cast<std::uint64_t>(extent)) return false;
    product *= static_cast<std::uint64_t>(extent);
  }
  const std::uint64_t elements = input.size();
  return is_open ? product != 0 && elements % product == 0 : product == elements;
}

}  // namespace

/// A model made for one batch size often has it written into its Reshapes; with another batch the leading extent has to follow.
bool form_reshape(Builder& builder, Node& node) {
  const auto target = builder.integers(node.required(1));
  const auto [from, to] = builder.changed_batch();
  if (!target || target->empty() || from == to || target->front() != static_cast<std::int64_t>(from) || builder.is_constant(node.inputs[0])) return false;
  const Shape& input = builder.shape(node.inputs[0]);
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  const bool is_open = std::find(target->begin(), target->end(), -1) != target->end();
  const bool leads_with_batch = !input.extents.empty() && input.extents[0] == to;
  if (fits(input, *target, zero_is_zero) && !(is_open && leads_with_batch)) return false;
  std::vector<std::int64_t> corrected = *target;
  corrected[0] = to;
  if (fits(input, corrected, zero_is_zero))
    node.inputs[1] = builder.add_constant(node.name_of_part("shape"), {static_cast<std::uint32_t>(corrected.size())}, corrected);
  return false;
}

namespace {

/// How the extent is divided among the outputs.
std::vector<std::int64_t> split_sizes(const Builder& builder, const Node& node, std::int64_t extent) {
  if (node.input(1) != no_value) {
    const auto sizes = builder.integers(node.inputs[1]);
    if (!sizes) throw Unsupported("the sizes of a Split that are known only when it runs are not supported; export the model with fixed sizes");
    return *sizes;
  }
  const auto count = node.integer("num_outputs", static_cast<std::int64_t>(node.outputs.size()));
  if (count < 1 || count != static_cast<std::int64_t>(node.outputs.size()))
    throw InputError(fmt::format("it splits into {} parts, but has {} outputs", count, node.outputs.size()));
  std::vector<std::int64_t> sizes;
  const std::int64_t each = (extent + count - 1) / count;  // the last may be smaller
  for (std::int64_t k = 0; k < count; ++k) sizes.push_back(std::clamp<std::int64_t>(extent - k * each, 0, each));
  return sizes;
}

}  // namespace

/// One Slice for each output that is read.
bool form_split(Builder& builder, Node& node) {
  const ValueId input = node.required(0);
  const Shape shape = builder.shape(input);
  const std::size_t axis = resolve_axis(node.integer("axis", 0), shape.extents.size());
  const std::int64_t extent = shape.extents[axis];
  const std::vector<std::int64_t> sizes = split_sizes(builder, node, extent);
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > extent - sum) sum = extent + 1;
    if (sum <= extent) sum += size;
  }
  if (sizes.size() != node.outputs.size() || sum != extent)
    throw InputError(fmt::format("it splits {} along axis {} into [{}] for {} outputs", to_string(shape), axis, fmt::join(sizes, ", "), node.outputs.size()));
  const ValueId axes = builder.add_constant<std::int64_t>(node.name_of_part("axis"), {1}, {static_cast<std::int64_t>(axis)});
  std::int64_t start = 0;
  for (std::size_t k = 0; k < sizes.size(); start += sizes[k++]) {
    if (node.outputs[k].empty()) continue;
    const ValueId from = builder.add_constant<std::int64_t>(fmt::format("{}/start", node.outputs[k]), {1}, {start});
    const ValueId to = builder.add_constant<std::int64_t>(fmt::format("{}/end", node.outputs[k]), {1}, {start + sizes[k]});
    builder.define(node.outputs[k], builder.emit(Call{"Slice", {}}, {input, from, to, axes}, node.outputs[k]));
  }
  return true;
}

}  // namespace lacuna::frontends::onnx
