// Rules of convolutions and pools.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/onnx/layers.hpp"
#include "frontends/onnx/windows.hpp"

namespace lacuna::frontends::onnx {
namespace {

std::vector<std::int64_t> kernel_of(const Shape& weights) {
  if (weights.extents.size() < 3) throw InputError(fmt::format("its weights have shape {}; expected output channels, input channels, kernel", to_string(weights)));
  return {weights.extents.begin() + 2, weights.extents.end()};
}

bool is_f32_constant(const Builder& builder, ValueId id) { return builder.is_constant(id) && builder.value(id).type == ElementType::f32; }

Conv make_conv(const Builder& builder, const Node& node, Windows windows) {
  const Value& weights = builder.value(node.inputs[1]);
  Conv conv;
  conv.output_channels = weights.shape.extents[0];
  conv.group_channels = weights.shape.extents[1];
  conv.groups = to_unsigned({node.integer("group", 1)}, "groups", 1)[0];
  conv.weights = as_floats(weights.constant);
  if (node.input(2) != no_value) conv.bias = as_floats(builder.value(node.inputs[2]).constant);
  conv.kernel = std::move(windows.kernel);
  conv.strides = std::move(windows.strides);
  conv.dilations = std::move(windows.dilations);
  conv.pads_begin = std::move(windows.pads_begin);
  conv.pads_end = std::move(windows.pads_end);
  if (conv.output_channels % conv.groups != 0) throw InputError(fmt::format("its {} output channels do not make {} groups", conv.output_channels, conv.groups));
  if (!conv.bias.empty() && conv.bias.size() != conv.output_channels)
    throw InputError(fmt::format("it has {} biases for {} output channels", conv.bias.size(), conv.output_channels));
  return conv;
}

}  // namespace

ValueId emit_conv(Builder& builder, Node& node, std::string_view name) {
  const ValueId input = node.required(0);
  Windows windows = read_windows(node, builder.shape(input), kernel_of(builder.shape(node.required(1))));
  const bool is_layer = builder.value(input).type == ElementType::f32 && is_f32_constant(builder, node.inputs[1]) &&
                        (node.input(2) == no_value || is_f32_constant(builder, node.inputs[2])) && !builder.is_constant(input);
  if (is_layer) return builder.emit(make_conv(builder, node, std::move(windows)), input, name);
  write_windows(node, windows);
  return builder.emit(node.call, node.inputs, name);
}

bool form_conv(Builder& builder, Node& node) {
  builder.define(node.outputs[0], emit_conv(builder, node, node.outputs[0]));
  return true;
}

namespace {

/// The activation that onnxruntime fused into a convolution.
ValueId emit_activation(Builder& builder, const Node& node, ValueId input) {
  const std::string activation = node.text("activation", "");
  const std::vector<float> parameters = node.numbers("activation_params");
  const auto parameter = [&](std::size_t k, float otherwise) { return k < parameters.size() ? parameters[k] : otherwise; };
  if (activation.empty()) return input;
  if (activation == "Relu" || activation == "Sigmoid" || activation == "Tanh") return builder.emit(Call{activation, {}}, {input}, node.outputs[0]);
  if (activation == "LeakyRelu") return builder.emit(Call{activation, {{"alpha", parameter(0, 0.01f)}}}, {input}, node.outputs[0]);
  if (activation == "HardSigmoid") return builder.emit(Call{activation, {{"alpha", parameter(0, 0.2f)}, {"beta", parameter(1, 0.5f)}}}, {input}, node.outputs[0]);
  if (activation == "Clip") {
    const ValueId low = builder.add_constant<float>(node.name_of_part("min"), {}, {parameter(0, -3.4028235e38f)});
    const ValueId high = builder.add_constant<float>(node.name_of_part("max"), {}, {parameter(1, 3.4028235e38f)});
    return builder.emit(Call{activation, {}}, {input, low, high}, node.outputs[0]);
  }
  throw Unsupported(fmt::format("a convolution fused with {} is not supported; save the model without onnxruntime's fusions", activation));
}

}  // namespace

/// onnxruntime's convolution with a sum and an activation: taken apart again, the passes put it together.
bool form_fused_conv(Builder& builder, Node& node) {
  Node plain = node;
  plain.call.name = "Conv";
  std::erase_if(plain.call.attributes, [](const auto& attribute) { return attribute.first.starts_with("activation"); });
  if (plain.inputs.size() > 3) plain.inputs.resize(3);
  ValueId sum = emit_conv(builder, plain, node.name_of_part("conv"));
  if (node.input(3) != no_value) sum = builder.emit(Call{"Add", {}}, {sum, node.inputs[3]}, node.name_of_part("sum"));
  builder.define(node.outputs[0], emit_activation(builder, node, sum));
  return true;
}

/// Windows of one element, as exports of adaptive pooling have them, change nothing.
bool form_pool(Builder& builder, Node& node) {
  const Windows windows = read_windows(node, builder.shape(node.required(0)));
  const auto all = [](const std::vector<std::uint32_t>& numbers, std::uint32_t number) { return std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t one) { return one == number; }); };
  const bool is_identity = all(windows.kernel, 1) && all(windows.strides, 1) && all(windows.pads_begin, 0) && all(windows.pads_end, 0);
  if (is_identity && (node.call.name == "AveragePool" || node.call.name == "MaxPool") && node.outputs.size() == 1) {
    builder.define(node.outputs[0], node.required(0));
    return true;
  }
  write_windows(node, windows);
  return false;
}

namespace {

/// Explicit pads of a transposed convolution whose output_shape or auto_pad is given.
void resolve_transposed(Node& node, const Shape& input, const std::vector<std::int64_t>& kernel) {
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool is_same = auto_pad.starts_with("SAME");
  std::vector<std::int64_t> wanted = node.integers("output_shape");
  if (wanted.empty() && !is_same) return;
  Node plain = node;  // the other attributes, checked
  plain.set("auto_pad", std::string("VALID"));
  const Windows windows = read_windows(plain, input, kernel);
  const std::size_t axes = kernel.size();
  if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  std::vector<std::int64_t> extra = node.integers("output_padding");
  extra.resize(axes, 0);
  if (wanted.empty())
    for (std::size_t axis = 0; axis < axes; ++axis) wanted.push_back(std::int64_t{input.extents[axis + 2]} * windows.strides[axis]);
  if (wanted.size() != axes) throw InputError(fmt::format("its output_shape has {} extents for {} spatial axes", wanted.size(), axes));
  std::vector<std::int64_t> pads(2 * axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t full = (std::int64_t{input.extents[axis + 2]} - 1) * windows.strides[axis] + extra[axis] + std::int64_t{windows.kernel[axis] - 1} * windows.dilations[axis] + 1;
    if (wanted[axis] > full || wanted[axis] < 1) {  // beyond the full output: more output padding, no pads
      if (wanted[axis] < 1) throw InputError(fmt::format("its output_shape asks for an extent of {}", wanted[axis]));
      extra[axis] += wanted[axis] - full;
      continue;
    }
    const std::int64_t total = full - wanted[axis];
    const std::int64_t half = total / 2;
    pads[axis] = auto_pad == "SAME_UPPER" ? half : total - half;
    pads[axes + axis] = total - pads[axis];
  }
  node.set("pads", std::move(pads));
  node.set("output_padding", std::move(extra));
  node.erase("output_shape");
  node.erase("auto_pad");
}

}  // namespace

bool form_conv_transpose(Builder& builder, Node& node) {
  const Shape& input = builder.shape(node.required(0));
  const std::vector<std::int64_t> kernel = kernel_of(builder.shape(node.required(1)));
  resolve_transposed(node, input, kernel);
  write_windows(node, read_windows(node, input, kernel));
  return false;
}

}  // namespace lacuna::frontends::onnx
