#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"
#include "passes/channels.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// Filter and bias as bytes. Weights of large networks are many: nothing is copied.
struct Filter {
  std::string_view weights, bias;
  bool operator==(const Filter&) const = default;
};

Filter filter_of(const Conv& conv, std::size_t channel) {
  const auto bytes = [](const float* values, std::size_t count) { return std::string_view(reinterpret_cast<const char*>(values), count * sizeof(float)); };
  const std::size_t of_filter = conv.weights.size() / conv.output_channels;
  return {bytes(conv.weights.data() + channel * of_filter, of_filter), conv.bias.empty() ? std::string_view() : bytes(conv.bias.data() + channel, 1)};
}

struct HashOfFilter {
  std::size_t operator()(const Filter& filter) const { return base::hash_bytes(filter.weights) ^ base::hash_bytes(filter.bias); }
};

}  // namespace

Network merge_equal_filters(Network network, const PassSettings&) {
  for (const ChannelSpan& span : find_channel_spans(network)) {
    const Conv& conv = std::get<Conv>(network.operators[span.maker].operation);
    if (conv.weights.empty() || span.readers.empty()) continue;
    std::unordered_map<Filter, std::uint32_t, HashOfFilter> first;
    std::vector<std::uint32_t> target;
    for (std::uint32_t c = 0; c < conv.output_channels; ++c) target.push_back(first.emplace(filter_of(conv, c), c).first->second);
    if (first.size() < target.size()) keep_channels(network, span, target);
  }
  return network;
}

}  // namespace lacuna::passes
