#include "engine/tensors/int8_conv.hpp"

#include <algorithm>

#include <lacuna/error.hpp>

#include "operators/attributes.hpp"

namespace lacuna::engine::tensors {
namespace {

/// The inputs of QLinearConv.
enum Input : std::size_t { x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias };

template <typename T>
std::span<const T> elements(const Value& constant) {
  return {reinterpret_cast<const T*>(constant.constant.data()), constant.shape.size()};
}

bool is_bytes(ElementType type) { return type == ElementType::u8 || type == ElementType::i8; }

std::int32_t zero_point(const Value& constant) {
  return constant.type == ElementType::u8 ? elements<std::uint8_t>(constant)[0] : elements<std::int8_t>(constant)[0];
}

std::vector<std::uint32_t> numbers(const Call& call, std::string_view name, std::size_t count, std::uint32_t otherwise) {
  const auto given = operators::integers_attribute(call, name);
  return given.empty() ? std::vector<std::uint32_t>(count, otherwise) : std::vector<std::uint32_t>(given.begin(), given.end());
}

bool is_served(const Network& network, const Operator& op, const Call& call) {
  if (operators::text_attribute(call, "auto_pad", "NOTSET") != "NOTSET") return false;
  for (std::size_t k = 1; k < op.inputs.size(); ++k)
    if (op.inputs[k] != no_value && !network.value(op.inputs[k]).is_constant) return false;
  const auto value = [&](Input which) -> const Value& { return network.value(op.inputs[which]); };
  if (!is_bytes(value(x).type) || !is_bytes(network.value(op.output).type) || value(w).type != ElementType::i8) return false;
  if (value(x_scale).type != ElementType::f32 || value(w_scale).type != ElementType::f32 || value(y_scale).type != ElementType::f32) return false;
  const auto zeros = elements<std::int8_t>(value(w_zero));
  return std::all_of(zeros.begin(), zeros.end(), [](std::int8_t zero) { return zero == 0; });
}

dense::Int8Conv read(const Network& network, const Operator& op, const Call& call) {
  const auto value = [&](Input which) -> const Value& { return network.value(op.inputs[which]); };
  const Shape& weights = value(w).shape;
  const std::size_t axes = weights.extents.size() - 2;
  dense::Int8Conv conv;
  conv.window.output_channels = weights.extents[0];
  conv.window.group_channels = weights.extents[1];
  conv.window.groups = static_cast<std::uint32_t>(operators::integer_attribute(call, "group", 1));
  conv.window.kernel.assign(weights.extents.begin() + 2, weights.extents.end());
  conv.window.strides = numbers(call, "strides", axes, 1);
  conv.window.dilations = numbers(call, "dilations", axes, 1);
  const auto pads = numbers(call, "pads", 2 * axes, 0);
  conv.window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  conv.window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  conv.weights = elements<std::int8_t>(value(w));
  conv.input = dense::type_of(value(x).type);
  conv.output = dense::type_of(network.value(op.output).type);
  conv.input_zero = zero_point(value(x_zero));
  conv.output_zero = zero_point(value(y_zero));
  const auto scales = elements<float>(value(w_scale));
  const double factor = double{elements<float>(value(x_scale))[0]} / double{elements<float>(value(y_scale))[0]};
  for (std::size_t k = 0; k < conv.window.output_channels; ++k) conv.scales.push_back(static_cast<float>(factor * double{scales[scales.size() == 1 ? 0 : k]}));
  if (op.inputs.size() > bias && op.inputs[bias] != no_value) conv.bias = elements<std::int32_t>(value(bias));
  return conv;
}

}  // namespace

std::shared_ptr<const dense::DenseConv> int8_conv(const Network& network, const Operator& op) {
  const auto* call = std::get_if<Call>(&op.operation);
  if (call == nullptr || call->name != "QLinearConv" || !dense::has_vnni() || !is_served(network, op, *call)) return nullptr;
  try {
    return std::make_shared<const dense::DenseConv>(read(network, op, *call), network.value(op.inputs[0]).shape, network.value(op.output).shape);
  } catch (const Unsupported&) {
    return nullptr;  // plain loops run it, and the plan says so
  }
}

}  // namespace lacuna::engine::tensors
