// Windows that slide over spatial axes, of convolutions and pools: their attributes with the defaults filled in and auto_pad resolved.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {

struct Windows {
  std::vector<std::uint32_t> kernel;  ///< one entry for each spatial axis, as in all of these
  std::vector<std::uint32_t> strides;
  std::vector<std::uint32_t> dilations;
  std::vector<std::uint32_t> pads_begin;
  std::vector<std::uint32_t> pads_end;
};

/// The windows of a node over a value of shape `input` ({batch, channels, extents...}); `kernel` stands in for a missing kernel_shape. Throws InputError.
Windows read_windows(const Node& node, const Shape& input, std::vector<std::int64_t> kernel = {});

/// Writes them back as attributes, and removes auto_pad.
void write_windows(Node& node, const Windows& windows);

/// Numbers as 32 bits without a sign; throws InputError for one that is not at least `least`, or too large.
std::vector<std::uint32_t> to_unsigned(const std::vector<std::int64_t>& numbers, std::string_view what, std::int64_t least);

}  // namespace lacuna::frontends::onnx
