// Rules of fully connected layers: Gemm and MatMul with constant weights are convolutions without spatial axes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "frontends/onnx/layers.hpp"
#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {

Array<float> as_floats(const Array<std::byte>& bytes) {
  const std::span<const float> view(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
  return {view, std::make_shared<const Array<std::byte>>(bytes)};
}

namespace {

/// {inputs, outputs} -> {outputs, inputs}, in squares that stay in the cache.
std::vector<float> transpose(const Array<float>& weights, std::size_t inputs, std::size_t outputs) {
  std::vector<float> transposed(weights.size());
  constexpr std::size_t side = 32;
  for (std::size_t i0 = 0; i0 < inputs; i0 += side)
    for (std::size_t o0 = 0; o0 < outputs; o0 += side)
      for (std::size_t i = i0; i < std::min(inputs, i0 + side); ++i)
        for (std::size_t o = o0; o < std::min(outputs, o0 + side); ++o) transposed[o * inputs + i] = weights[i * outputs + o];
  return transposed;
}

Array<float> scaled(const Array<float>& values, float factor) {
  if (factor == 1.0f) return values;
  std::vector<float> result(values.begin(), values.end());
  for (float& value : result) value *= factor;
  return result;
}

bool is_layer(const Builder& builder, ValueId input, ValueId weights) {
  const Value& x = builder.value(input);
  const Value& w = builder.value(weights);
  return x.type == ElementType::f32 && w.type == ElementType::f32 && x.shape.extents.size() == 2 && w.shape.extents.size() == 2 && !x.is_constant && w.is_constant;
}

Conv make_layer(const Value& weights, bool is_transposed) {
  Conv conv;
  const std::uint32_t rows = weights.shape.extents[0];
  const std::uint32_t columns = weights.shape.extents[1];
  conv.output_channels = is_transposed ? rows : columns;
  conv.group_channels = is_transposed ? columns : rows;
  conv.weights = as_floats(weights.constant);
  if (!is_transposed) conv.weights = transpose(conv.weights, rows, columns);
  return conv;
}

/// The bias of a layer, one for each output; nothing if `value` is no such constant.
std::optional<Array<float>> make_bias(const Builder& builder, ValueId id, std::uint32_t outputs) {
  if (!builder.is_constant(id) || builder.value(id).type != ElementType::f32) return std::nullopt;
  const Value& value = builder.value(id);
  const auto& extents = value.shape.extents;
  if (extents.size() > 2 || (extents.size() == 2 && extents[0] != 1)) return std::nullopt;
  const Array<float> bias = as_floats(value.constant);
  if (bias.size() == outputs) return bias;
  if (bias.size() == 1) return Array<float>(std::vector<float>(outputs, bias[0]));
  throw InputError(fmt::format("its bias has {} elements for {} outputs", bias.size(), outputs));
}

}  // namespace

ValueId emit_gemm(Builder& builder, Node& node, std::string_view name) {
  const auto as_call = [&] { return builder.emit(node.call, node.inputs, name); };
  const ValueId input = node.required(0);
  if (!is_layer(builder, input, node.required(1)) || node.integer("transA", 0) != 0) return as_call();
  Conv conv = make_layer(builder.value(node.inputs[1]), node.integer("transB", 0) != 0);
  conv.weights = scaled(conv.weights, node.number("alpha", 1));
  if (const float beta = node.number("beta", 1); node.input(2) != no_value && beta != 0) {
    const auto bias = make_bias(builder, node.inputs[2], conv.output_channels);
    if (!bias) return as_call();
    conv.bias = scaled(*bias, beta);
  }
  return builder.emit(std::move(conv), input, name);
}

ValueId emit_matmul(Builder& builder, Node& node, std::string_view name) {
  const ValueId input = node.required(0);
  if (!is_layer(builder, input, node.required(1))) return builder.emit(node.call, node.inputs, name);
  return builder.emit(make_layer(builder.value(node.inputs[1]), false), input, name);
}

bool form_gemm(Builder& builder, Node& node) {
  builder.define(node.outputs[0], emit_gemm(builder, node, node.outputs[0]));
  return true;
}

bool form_matmul(Builder& builder, Node& node) {
  builder.define(node.outputs[0], emit_matmul(builder, node, node.outputs[0]));
  return true;
}

}  // namespace lacuna::frontends::onnx
