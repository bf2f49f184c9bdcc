#include <cstring>
#include <map>
#include <string_view>

#include "passes/channels.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// Filter and bias as bytes.
std::string filter_bytes(const Conv& conv, std::size_t channel) {
  const std::size_t of_filter = conv.weights.size() / conv.output_channels;
  std::string bytes(reinterpret_cast<const char*>(conv.weights.data() + channel * of_filter), of_filter * sizeof(float));
  if (!conv.bias.empty()) bytes.append(reinterpret_cast<const char*>(conv.bias.data() + channel), sizeof(float));
  return bytes;
}

}  // namespace

Network merge_equal_filters(Network network, const PassSettings&) {
  for (const ChannelSpan& span : find_channel_spans(network)) {
    const Conv& conv = std::get<Conv>(network.operators[span.maker].operation);
    if (conv.weights.empty() || span.readers.empty()) continue;
    std::map<std::string, std::uint32_t> first;
    std::vector<std::uint32_t> target;
    for (std::uint32_t c = 0; c < conv.output_channels; ++c) target.push_back(first.emplace(filter_bytes(conv, c), c).first->second);
    if (first.size() < target.size()) keep_channels(network, span, target);
  }
  return network;
}

}  // namespace lacuna::passes
