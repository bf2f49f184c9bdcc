// Runs one operator on tensors written by hand: infers with every input constant, evaluates, and gives the output.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

#include "operators/operators.hpp"

namespace lacuna::tests {

template <typename T>
TypedTensor tensor(std::vector<std::size_t> shape, const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no memory of bools
    std::vector<std::byte> bytes;
    for (const bool value : values) bytes.push_back(value ? std::byte{1} : std::byte{0});
    return {ElementType::boolean, std::move(shape), std::move(bytes)};
  } else {
    return make_tensor<T>(std::move(shape), std::span<const T>(values));
  }
}
inline TypedTensor floats(std::vector<std::size_t> shape, const std::vector<float>& values) { return tensor<float>(std::move(shape), values); }
inline TypedTensor integers(const std::vector<std::int64_t>& values) { return tensor<std::int64_t>({values.size()}, values); }
inline TypedTensor scalar(float value) { return tensor<float>({}, {value}); }

/// No tensor: an optional input that is missing.
inline const std::optional<TypedTensor> missing{};

using Inputs = std::vector<std::optional<TypedTensor>>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

inline std::vector<Shape> shapes_of(const Inputs& inputs) {
  std::vector<Shape> shapes;
  for (const auto& input : inputs) {
    shapes.emplace_back();
    if (input)
      for (const std::size_t extent : input->shape) shapes.back().extents.push_back(static_cast<std::uint32_t>(extent));
  }
  return shapes;
}

/// `known`: inputs are constants, as far as inference sees.
inline operators::Signature infer_operator(const Call& call, const Inputs& inputs, bool known = true) {
  const std::vector<Shape> shapes = shapes_of(inputs);
  std::vector<operators::Argument> arguments;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    arguments.push_back(inputs[k] ? operators::Argument{&shapes[k], inputs[k]->type, known ? &inputs[k]->bytes : nullptr} : operators::Argument{});
  return operators::infer(call, arguments);
}

inline TypedTensor run_operator(const std::string& name, const Inputs& inputs, Attributes attributes = {}, std::uint32_t which_output = 0) {
  const Call call{name, std::move(attributes), which_output};
  const operators::Signature signature = infer_operator(call, inputs);
  const std::vector<Shape> shapes = shapes_of(inputs);
  std::vector<operators::TensorView> views;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    views.push_back(inputs[k] ? operators::TensorView{inputs[k]->type, &shapes[k], inputs[k]->bytes.data()} : operators::TensorView{});
  std::vector<std::byte> output(signature.shape.size() * size_of(signature.type));
  operators::evaluate(call, views, signature, output.data());
  return {signature.type, {signature.shape.extents.begin(), signature.shape.extents.end()}, std::move(output)};
}

template <typename T = float>
std::vector<T> values_of(const TypedTensor& tensor) {
  return {tensor.as<T>().begin(), tensor.as<T>().end()};
}

}  // namespace lacuna::tests
