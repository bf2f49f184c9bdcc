// Channels between convolutions: a value that a convolution makes and that only convolutions read, straight or through operators that keep channels
// apart. Such channels may be dropped or merged.
#pragma once

#include <cstddef>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::passes {

struct ChannelSpan {
  std::size_t maker;                 ///< operator: a Conv without groups and skip connection
  std::vector<ValueId> values;       ///< its output, and what pooling and the like make of it
  std::vector<std::size_t> readers;  ///< operators: Conv without groups
};

/// All of them, in the order of their makers.
std::vector<ChannelSpan> find_channel_spans(const Network& network);

/// Drops the channels whose entry of `target` is itself no more: target[c] == c keeps c; target[c] == other adds the readers' weights of c to those of
/// `other`; target[c] == dropped forgets c. At least one must be kept.
inline constexpr std::uint32_t dropped = 0xffffffff;
void keep_channels(Network& network, const ChannelSpan& span, const std::vector<std::uint32_t>& target);

}  // namespace lacuna::passes
