#include <algorithm>
#include <numeric>

#include "passes/channels.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

bool has_padding(const Conv& conv) {
  const auto positive = [](std::uint32_t pad) { return pad > 0; };
  return std::any_of(conv.pads_begin.begin(), conv.pads_begin.end(), positive) || std::any_of(conv.pads_end.begin(), conv.pads_end.end(), positive);
}

std::size_t taps_of(const Conv& conv) { return conv.weights.size() / (std::size_t{conv.output_channels} * conv.group_channels); }

bool has_zero_filter(const Conv& conv, std::size_t channel) {
  const std::size_t of_filter = conv.weights.size() / conv.output_channels;
  const auto begin = conv.weights.begin() + static_cast<std::ptrdiff_t>(channel * of_filter);
  return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(of_filter), [](float weight) { return weight == 0; });
}

bool is_unread(const Conv& reader, std::size_t channel) {
  const std::size_t taps = taps_of(reader);
  for (std::size_t row = 0; row < reader.output_channels; ++row)
    for (std::size_t tap = 0; tap < taps; ++tap)
      if (reader.weights[(row * reader.group_channels + channel) * taps + tap] != 0) return false;
  return true;
}

/// Readers' biases take a channel that is `value` everywhere.
void fold(Conv& reader, std::size_t channel, double value) {
  const std::size_t taps = taps_of(reader);
  std::vector<float> bias(reader.output_channels, 0.0f);
  for (std::size_t row = 0; row < bias.size(); ++row) {
    double sum = reader.bias.empty() ? 0.0 : double{reader.bias[row]};
    for (std::size_t tap = 0; tap < taps; ++tap) sum += value * reader.weights[(row * reader.group_channels + channel) * taps + tap];
    bias[row] = static_cast<float>(sum);
  }
  reader.bias = std::move(bias);
}

/// Whether anything was dropped.
bool shrink(Network& network, const ChannelSpan& span) {
  const auto conv_at = [&](std::size_t op) -> Conv& { return std::get<Conv>(network.operators[op].operation); };
  Conv& maker = conv_at(span.maker);
  if (maker.weights.empty() || span.readers.empty()) return false;
  const bool may_fold = span.values.size() == 1 && std::none_of(span.readers.begin(), span.readers.end(), [&](std::size_t op) { return has_padding(conv_at(op)); });
  std::vector<std::uint32_t> target(maker.output_channels);
  std::iota(target.begin(), target.end(), 0u);
  std::size_t left = target.size();
  for (std::uint32_t c = 0; c < target.size() && left > 1; ++c) {
    bool drop = std::all_of(span.readers.begin(), span.readers.end(), [&](std::size_t op) { return is_unread(conv_at(op), c); });
    if (!drop && has_zero_filter(maker, c)) {
      const double value = apply(maker.activation, maker.bias.empty() ? 0.0 : double{maker.bias[c]});
      drop = value == 0 || may_fold;
      if (value != 0 && may_fold)
        for (std::size_t op : span.readers) fold(conv_at(op), c, value);
    }
    if (!drop) continue;
    target[c] = dropped;
    --left;
  }
  if (left == target.size()) return false;
  keep_channels(network, span, target);
  return true;
}

}  // namespace

Network remove_dead_channels(Network network, const PassSettings&) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<ChannelSpan> spans = find_channel_spans(network);
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) changed |= shrink(network, *span);  // what nobody reads makes more of it in front
  }
  return network;
}

}  // namespace lacuna::passes
