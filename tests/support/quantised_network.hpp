// Small quantised networks for tests, in the form of QuantizeLinear and DequantizeLinear around float operators.
#pragma once

#include <algorithm>
#include <cmath>

#include "support/tensor_network.hpp"

namespace lacuna::test {

class QuantisedNetwork {
 public:
  static constexpr float default_scale = 1.0f / 64;

  explicit QuantisedNetwork(ElementType type, unsigned seed, Shape input = {{2, 5, 9, 11}}) : net_(std::move(input), seed), type_(type) {}

  const Network& network() const { return net_.network; }
  ValueId input() const { return net_.network.input; }
  TypedTensor random_input() { return net_.random_input(); }

  ValueId quantise(ValueId floats, float scale = default_scale, int zero = 0) {
    const ValueId made = net_.call("QuantizeLinear", {floats, scale_of(scale), zero_of(zero)}, net_.network.value(floats).shape);
    net_.network.values[static_cast<std::size_t>(made)].type = type_;
    zero_ = zero;
    return made;
  }

  /// With the zero point of the last quantise().
  ValueId dequantise(ValueId bytes, float scale = default_scale) {
    return net_.call("DequantizeLinear", {bytes, scale_of(scale), zero_of(zero_)}, net_.network.value(bytes).shape);
  }

  ValueId float_conv(ValueId from, const ConvSpec& spec = {}) { return net_.conv(from, spec); }

  /// Its weights are whole numbers times a scale for each channel.
  ValueId int8_conv(ValueId from, const ConvSpec& spec) {
    const ValueId made = net_.conv(from, spec);
    Conv& conv = std::get<Conv>(net_.network.operators.back().operation);
    std::vector<float> weights(conv.weights.begin(), conv.weights.end());
    const std::size_t of_channel = weights.size() / conv.output_channels;
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = std::nearbyint(127 * weights[k]) * (0.002f + 0.0001f * static_cast<float>(k / of_channel));
    conv.weights = std::move(weights);
    return made;
  }

  ValueId pool(ValueId from) {
    Shape shape = net_.network.value(from).shape;
    for (std::size_t axis = 2; axis < shape.extents.size(); ++axis) shape.extents[axis] /= 2;
    return net_.call("MaxPool", {from}, std::move(shape), {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  }

  void rename(ValueId id, std::string name) { net_.network.values[static_cast<std::size_t>(id)].name = std::move(name); }

 private:
  ValueId scale_of(float scale) { return net_.constant({}, {scale}); }
  ValueId zero_of(int zero) {
    const ValueId id = net_.constant({}, {0.0f});
    Value& value = net_.network.values[static_cast<std::size_t>(id)];
    value.type = type_;
    value.constant = std::vector<std::byte>{static_cast<std::byte>(zero)};
    return id;
  }

  TensorNetwork net_;
  ElementType type_;
  int zero_ = 0;
};

}  // namespace lacuna::test
