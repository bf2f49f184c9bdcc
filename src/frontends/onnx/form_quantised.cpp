// Rules of quantised operators: each is taken apart into DequantizeLinear, the operator on floats and QuantizeLinear, the form in which newer files
// come anyway. Where the CPU multiplies bytes, the pass fuse_quantisation puts convolutions together again.
#include "frontends/onnx/layers.hpp"
#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {
namespace {

/// Inputs `at`, `at` + 1 and `at` + 2 of the node: bytes, scale and zero point.
ValueId dequantise(Builder& builder, const Node& node, std::size_t at, std::string_view part, std::int64_t axis = 1) {
  return builder.emit(Call{"DequantizeLinear", {{"axis", axis}}}, {node.required(at), node.required(at + 1), node.input(at + 2)}, node.name_of_part(part));
}

void quantise(Builder& builder, const Node& node, ValueId floats, std::size_t scale_at) {
  builder.define(node.outputs[0], builder.emit(Call{"QuantizeLinear", {}}, {floats, node.required(scale_at), node.input(scale_at + 1)}, node.outputs[0]));
}

/// Whether inputs [begin, end) that are there are constant.
bool are_constant(const Builder& builder, const Node& node, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at)
    if (node.input(at) != no_value && !builder.is_constant(node.inputs[at])) return false;
  return true;
}

/// Input `at`, which counts steps of the input's scale times the weights' scale, as floats.
ValueId dequantise_bias(Builder& builder, const Node& node, std::size_t at, ValueId input_scale, ValueId weight_scale) {
  if (node.input(at) == no_value) return no_value;
  const ValueId step = builder.emit(Call{"Mul", {}}, {input_scale, weight_scale}, node.name_of_part("bias_step"));
  const ValueId steps = builder.emit(Call{"Cast", {{"to", std::int64_t{1}}}}, {node.inputs[at]}, node.name_of_part("bias_steps"));  // 1: float
  return builder.emit(Call{"Mul", {}}, {steps, step}, node.name_of_part("bias"));
}

/// The same node as an operator on floats.
Node on_floats(const Node& node, std::string_view operation, std::vector<ValueId> inputs) {
  while (!inputs.empty() && inputs.back() == no_value) inputs.pop_back();
  Node made{node.proto, node.operator_set, node.call, std::move(inputs), node.outputs};
  made.call.name = operation;
  return made;
}

}  // namespace

/// Inputs: x, its scale and zero point, w, its scales and zero points, the output's scale and zero point, bias.
bool form_qlinear_conv(Builder& builder, Node& node) {
  node.required(7);
  if (!are_constant(builder, node, 1, 9)) return false;
  const ValueId bias = dequantise_bias(builder, node, 8, node.inputs[1], node.inputs[4]);
  Node conv = on_floats(node, "Conv", {dequantise(builder, node, 0, "input"), dequantise(builder, node, 3, "weights", 0), bias});
  quantise(builder, node, emit_conv(builder, conv, node.name_of_part("sums")), 6);
  return true;
}

/// Inputs: a, its scale and zero point, b, its scales and zero points, the output's scale and zero point.
bool form_qlinear_matmul(Builder& builder, Node& node) {
  node.required(7);
  if (!are_constant(builder, node, 1, 8) || builder.shape(node.inputs[0]).extents.size() != 2 || builder.shape(node.inputs[3]).extents.size() != 2) return false;
  Node product = on_floats(node, "MatMul", {dequantise(builder, node, 0, "input"), dequantise(builder, node, 3, "weights", 1)});
  quantise(builder, node, emit_matmul(builder, product, node.name_of_part("sums")), 6);
  return true;
}

/// Inputs: A, its scale and zero point, B, its scales and zero points, C, the output's scale and zero point; without the latter two it gives floats.
bool form_qgemm(Builder& builder, Node& node) {
  node.required(5);
  if (!are_constant(builder, node, 1, 9)) throw Unsupported("QGemm with weights or scales that are known only when it runs is not supported");
  const std::int64_t axis = node.integer("transB", 0) != 0 ? 0 : 1;
  const ValueId bias = dequantise_bias(builder, node, 6, node.inputs[1], node.inputs[4]);
  Node gemm = on_floats(node, "Gemm", {dequantise(builder, node, 0, "input"), dequantise(builder, node, 3, "weights", axis), bias});
  if (node.input(7) == no_value)
    builder.define(node.outputs[0], emit_gemm(builder, gemm, node.outputs[0]));
  else
    quantise(builder, node, emit_gemm(builder, gemm, node.name_of_part("sums")), 7);
  return true;
}

namespace {

/// onnxruntime's QLinearAdd and the like: `count` values with scale and zero point each, then those of the output.
bool take_apart(Builder& builder, Node& node, std::size_t count) {
  std::vector<ValueId> inputs;
  for (std::size_t k = 0; k < count; ++k) inputs.push_back(dequantise(builder, node, 3 * k, "input"));
  const Node floats = on_floats(node, node.call.name.substr(std::string_view("QLinear").size()), std::move(inputs));
  quantise(builder, node, builder.emit(floats.call, floats.inputs, node.name_of_part("floats")), 3 * count);
  return true;
}

}  // namespace

bool form_qlinear_binary(Builder& builder, Node& node) { return take_apart(builder, node, 2); }

bool form_qlinear_unary(Builder& builder, Node& node) {
  if (node.integer("channels_last", 0) != 0) throw Unsupported("channels as the last axis are not supported; quantise the model with channels as its second");
  node.erase("channels_last");
  return take_apart(builder, node, 1);
}

/// Inputs: the output's scale and zero point, then each value with its own.
bool form_qlinear_concat(Builder& builder, Node& node) {
  std::vector<ValueId> inputs;
  for (std::size_t at = 2; at < node.inputs.size(); at += 3) inputs.push_back(dequantise(builder, node, at, "input"));
  const Node floats = on_floats(node, "Concat", std::move(inputs));
  quantise(builder, node, builder.emit(floats.call, floats.inputs, node.name_of_part("floats")), 0);
  return true;
}

}  // namespace lacuna::frontends::onnx
