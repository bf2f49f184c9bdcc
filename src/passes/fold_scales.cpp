// Batch normalisation, and constants that are added to or multiplied with whole channels, move into the weights and biases before them.
#include <cmath>

#include "operators/attributes.hpp"
#include "passes/absorb.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// y = scale * x + shift, channel by channel.
struct ChannelScale {
  std::vector<double> scale;
  std::vector<double> shift;
};

std::optional<ChannelScale> of_batch_norm(const Network& network, const Operator& reader, const Call& call, std::size_t channels) {
  if (reader.inputs.size() < 5) return std::nullopt;
  std::span<const float> parameters[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const Value& value = network.value(reader.inputs[k + 1]);
    if (!value.is_constant || value.type != ElementType::f32 || value.shape.size() != channels) return std::nullopt;
    parameters[k] = floats_of(value);
  }
  const double epsilon = operators::number_attribute(call, "epsilon", 1e-5f);
  ChannelScale made;
  for (std::size_t c = 0; c < channels; ++c) {
    const double scale = parameters[0][c] / std::sqrt(parameters[3][c] + epsilon);
    made.scale.push_back(scale);
    made.shift.push_back(parameters[1][c] - parameters[2][c] * scale);
  }
  return made;
}

std::optional<ChannelScale> of_arithmetic(const Network& network, const Operator& reader, const Call& call, std::size_t at, std::size_t channels) {
  if (reader.inputs.size() != 2) return std::nullopt;
  const Shape& shape = network.value(reader.output).shape;
  if (shape != network.value(reader.inputs[at]).shape) return std::nullopt;
  const auto constant = channel_constant(network, reader.inputs[1 - at], shape);
  const bool in_turn = call.name == "Add" || call.name == "Mul" || at == 0;  // x - c, not c - x
  if (!constant || !in_turn) return std::nullopt;
  ChannelScale made{std::vector<double>(channels, 1.0), std::vector<double>(channels, 0.0)};
  for (std::size_t c = 0; c < channels; ++c) {
    const double value = (*constant)[constant->size() == 1 ? 0 : c];
    if (call.name == "Add") made.shift[c] = value;
    else if (call.name == "Sub") made.shift[c] = -value;
    else if (call.name == "Mul") made.scale[c] = value;
    else if (call.name == "Div" && value != 0) made.scale[c] = 1 / value;
    else return std::nullopt;
  }
  return made;
}

std::optional<ChannelScale> scale_of(const Network& network, const Operator& reader, std::size_t at, std::size_t channels) {
  const auto* call = std::get_if<Call>(&reader.operation);
  if (call == nullptr) return std::nullopt;
  if (call->name == "BatchNormalization") return at == 0 ? of_batch_norm(network, reader, *call, channels) : std::nullopt;
  return of_arithmetic(network, reader, *call, at, channels);
}

void apply(const ChannelScale& change, Conv& conv) {
  std::vector<float> weights(conv.weights.begin(), conv.weights.end());
  std::vector<float> bias(conv.output_channels);
  const std::size_t of_channel = weights.size() / conv.output_channels;
  for (std::size_t c = 0; c < conv.output_channels; ++c) {
    for (std::size_t k = c * of_channel; k < (c + 1) * of_channel; ++k) weights[k] = static_cast<float>(weights[k] * change.scale[c]);
    bias[c] = static_cast<float>((conv.bias.empty() ? 0.0 : double{conv.bias[c]}) * change.scale[c] + change.shift[c]);
  }
  conv.weights = std::move(weights);
  conv.bias = std::move(bias);
}

/// A normalisation that follows no convolution is one itself: each channel by itself, one weight.
void make_conv_of_lone_batch_norm(const Network& network, Operator& op) {
  const auto* call = std::get_if<Call>(&op.operation);
  if (call == nullptr || call->name != "BatchNormalization") return;
  const Shape& shape = network.value(op.inputs[0]).shape;
  if (shape.extents.size() < 2 || network.value(op.inputs[0]).type != ElementType::f32) return;
  const std::uint32_t channels = shape.extents[1];
  const auto change = of_batch_norm(network, op, *call, channels);
  if (!change) return;
  const std::size_t axes = shape.extents.size() - 2;
  const std::vector<std::uint32_t> ones(axes, 1), zeros(axes, 0);
  Conv conv{.weights = std::vector<float>(channels, 1.0f), .output_channels = channels, .group_channels = 1, .groups = channels, .kernel = ones, .strides = ones,
            .dilations = ones, .pads_begin = zeros, .pads_end = zeros, .bias = {}, .activation = {}};
  apply(*change, conv);
  op.operation = std::move(conv);
  op.inputs.resize(1);
}

}  // namespace

Network fold_scales(Network network, const PassSettings&) {
  network = absorb_into_convs(std::move(network), [](const Network& all, Operator& op, const Operator& reader, std::size_t at) {
    Conv& conv = std::get<Conv>(op.operation);
    if (op.inputs.size() > 1 || conv.activation != Activation::identity()) return false;
    const auto change = scale_of(all, reader, at, conv.output_channels);
    if (!change) return false;
    apply(*change, conv);
    return true;
  });
  for (Operator& op : network.operators) make_conv_of_lone_batch_norm(network, op);
  return network;
}

}  // namespace lacuna::passes
