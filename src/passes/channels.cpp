#include "passes/channels.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace lacuna::passes {
namespace {

bool keeps_channels_apart(const Operator& op) {
  constexpr std::array<std::string_view, 5> names{"AveragePool", "GlobalAveragePool", "GlobalMaxPool", "MaxPool", "Relu"};
  const auto* call = std::get_if<Call>(&op.operation);
  return call != nullptr && op.inputs.size() == 1 && std::find(names.begin(), names.end(), call->name) != names.end();
}

bool is_plain_conv(const Operator& op) {
  const auto* conv = std::get_if<Conv>(&op.operation);
  return conv != nullptr && conv->groups == 1;
}

/// Follows a convolution's output to its readers; nothing if one of them needs the channels as they are.
std::optional<ChannelSpan> follow(const Network& network, std::size_t maker, const std::vector<std::vector<std::size_t>>& readers_of,
                                  const std::vector<bool>& is_output) {
  ChannelSpan span{maker, {network.operators[maker].output}, {}};
  for (std::size_t k = 0; k < span.values.size(); ++k) {
    const ValueId id = span.values[k];
    if (is_output[static_cast<std::size_t>(id)]) return std::nullopt;
    for (std::size_t reader : readers_of[static_cast<std::size_t>(id)]) {
      const Operator& op = network.operators[reader];
      if (keeps_channels_apart(op))
        span.values.push_back(op.output);
      else if (is_plain_conv(op) && op.inputs[0] == id && (op.inputs.size() == 1 || op.inputs[1] != id))
        span.readers.push_back(reader);
      else
        return std::nullopt;
    }
  }
  return span;
}

/// The weights of the kept filters.
void keep_filters(Conv& conv, const std::vector<std::uint32_t>& kept) {
  const std::size_t of_filter = conv.weights.size() / conv.output_channels;
  std::vector<float> weights;
  std::vector<float> bias;
  for (std::uint32_t c : kept) {
    weights.insert(weights.end(), conv.weights.begin() + static_cast<std::ptrdiff_t>(c * of_filter), conv.weights.begin() + static_cast<std::ptrdiff_t>((c + 1) * of_filter));
    if (!conv.bias.empty()) bias.push_back(conv.bias[c]);
  }
  conv.weights = std::move(weights);
  conv.bias = std::move(bias);
  conv.output_channels = static_cast<std::uint32_t>(kept.size());
}

void keep_sources(Conv& conv, const std::vector<std::uint32_t>& kept, const std::vector<std::uint32_t>& target) {
  const std::size_t channels = conv.group_channels;
  const std::size_t taps = conv.weights.size() / (std::size_t{conv.output_channels} * channels);
  std::vector<float> all(conv.weights.begin(), conv.weights.end());
  std::vector<float> weights;
  for (std::size_t row = 0; row < conv.output_channels; ++row) {
    float* const filter = all.data() + row * channels * taps;
    for (std::size_t c = 0; c < channels; ++c)
      if (target[c] != c && target[c] != dropped)
        for (std::size_t tap = 0; tap < taps; ++tap) filter[target[c] * taps + tap] += filter[c * taps + tap];
    for (std::uint32_t c : kept) weights.insert(weights.end(), filter + c * taps, filter + (c + 1) * taps);
  }
  conv.weights = std::move(weights);
  conv.group_channels = static_cast<std::uint32_t>(kept.size());
}

}  // namespace

std::vector<ChannelSpan> find_channel_spans(const Network& network) {
  std::vector<std::vector<std::size_t>> readers_of(network.values.size());
  std::vector<bool> is_output(network.values.size(), false);
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    for (ValueId id : network.operators[k].inputs)
      if (id != no_value) readers_of[static_cast<std::size_t>(id)].push_back(k);
  for (ValueId id : network.all_outputs()) is_output[static_cast<std::size_t>(id)] = true;
  std::vector<ChannelSpan> spans;
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    if (!is_plain_conv(network.operators[k]) || network.operators[k].inputs.size() != 1) continue;
    if (auto span = follow(network, k, readers_of, is_output)) spans.push_back(*std::move(span));
  }
  return spans;
}

void keep_channels(Network& network, const ChannelSpan& span, const std::vector<std::uint32_t>& target) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t c = 0; c < target.size(); ++c)
    if (target[c] == c) kept.push_back(c);
  keep_filters(std::get<Conv>(network.operators[span.maker].operation), kept);
  for (std::size_t reader : span.readers) keep_sources(std::get<Conv>(network.operators[reader].operation), kept, target);
  for (ValueId id : span.values) network.values[static_cast<std::size_t>(id)].shape.extents[1] = static_cast<std::uint32_t>(kept.size());
}

}  // namespace lacuna::passes
