// Small networks of tensors for tests, built operator by operator.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna::test {

struct ConvSpec {
  std::uint32_t outputs = 4;
  std::vector<std::uint32_t> kernel{3, 3};
  std::uint32_t stride = 1;
  std::uint32_t pad = 1;
  std::uint32_t groups = 1;
  std::uint32_t dilation = 1;
  double sparsity = 0.5;
  Activation activation{};
  bool has_bias = true;
};

class TensorNetwork {
 public:
  explicit TensorNetwork(Shape input, unsigned seed = 1) : random_(seed) {
    network.has_batch_in_shapes = true;
    network.input = network.output = network.add_value("x", std::move(input));
  }

  float number() { return std::uniform_real_distribution<float>(-1, 1)(random_); }

  ValueId conv(ValueId from, const ConvSpec& spec, ValueId skip = no_value) {
    const Shape& in = network.value(from).shape;
    const std::uint32_t channels = in.extents[1];
    const std::size_t axes = spec.kernel.size();
    Conv conv{.weights = {}, .output_channels = spec.outputs, .group_channels = channels / spec.groups, .groups = spec.groups, .kernel = spec.kernel,
              .strides = std::vector<std::uint32_t>(axes, spec.stride), .dilations = std::vector<std::uint32_t>(axes, spec.dilation),
              .pads_begin = std::vector<std::uint32_t>(axes, spec.pad), .pads_end = std::vector<std::uint32_t>(axes, spec.pad), .bias = {},
              .activation = spec.activation};
    std::size_t count = std::size_t{spec.outputs} * conv.group_channels;
    for (std::uint32_t extent : spec.kernel) count *= extent;
    std::vector<float> weights(count);
    std::bernoulli_distribution zero(spec.sparsity);
    for (float& weight : weights) weight = zero(random_) ? 0.0f : number();
    conv.weights = std::move(weights);
    if (spec.has_bias) {
      std::vector<float> bias(spec.outputs);
      for (float& value : bias) value = number();
      conv.bias = std::move(bias);
    }
    Shape out{{in.extents[0], spec.outputs}};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint32_t reach = (spec.kernel[axis] - 1) * spec.dilation + 1;
      out.extents.push_back((in.extents[axis + 2] + 2 * spec.pad - reach) / spec.stride + 1);
    }
    std::vector<ValueId> inputs{from};
    if (skip != no_value) inputs.push_back(skip);
    return add(std::move(conv), std::move(inputs), std::move(out));
  }

  ValueId call(std::string name, std::vector<ValueId> inputs, Shape shape, std::vector<std::pair<std::string, Attribute>> attributes = {}) {
    return add(Call{std::move(name), std::move(attributes), 0}, std::move(inputs), std::move(shape));
  }

  ValueId constant(Shape shape, std::vector<float> values) {
    const ValueId id = network.add_value("c" + std::to_string(network.values.size()), std::move(shape));
    Value& value = network.values[static_cast<std::size_t>(id)];
    value.is_constant = true;
    const auto bytes = std::as_bytes(std::span(values));
    value.constant = std::vector<std::byte>(bytes.begin(), bytes.end());
    return id;
  }

  TypedTensor random_input() {
    const Shape& shape = network.value(network.input).shape;
    std::vector<float> values(shape.size());
    for (float& value : values) value = number();
    return make_tensor<float>({shape.extents.begin(), shape.extents.end()}, std::span<const float>(values));
  }

  Network network;

 private:
  ValueId add(Operation operation, std::vector<ValueId> inputs, Shape shape) {
    const ValueId id = network.add_value("v" + std::to_string(network.values.size()), std::move(shape));
    network.operators.push_back({std::move(operation), std::move(inputs), id});
    return network.output = id;
  }

  std::mt19937 random_;
};

}  // namespace lacuna::test
