// Windows that slide over the spatial axes of {batch, channels, extents...}: what pooling and convolutions share.
#pragma once

#include "operators/inference.hpp"

namespace lacuna::operators {

struct Window {
  Integers input;  ///< one entry for each spatial axis, here and below
  Integers output;
  Integers kernel;
  Integers strides;
  Integers dilations;
  Integers pads_begin;
  Integers pads_end;

  std::int64_t input_size() const;
  std::int64_t output_size() const;
  std::int64_t kernel_size() const;
};

/// The window of a Call over a value of `shape` with the attributes strides, dilations, pads and auto_pad (and ceil_mode if `may_ceil`).
/// Throws InputError where they do not fit each other or the shape.
Window window_of(const Call& call, const Shape& shape, Integers kernel, bool may_ceil);

/// As window_of, with every number given.
Window window_of(const Conv& conv, const Shape& shape);

/// Checked: not negative, small enough that no sum or product of three overflows.
Integers axes_attribute(const Call& call, std::string_view name, std::size_t axes, std::int64_t otherwise, std::int64_t least);

/// The input axis along which a window's tap lies: outputs first..last-1 of a row find the tap inside the input.
struct Span {
  std::int64_t first;
  std::int64_t last;
};

/// Outputs o in 0..outputs-1 with 0 <= o * stride + shift < extent.
inline Span span_of(std::int64_t shift, std::int64_t stride, std::int64_t extent, std::int64_t outputs) {
  const std::int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const std::int64_t last = shift >= extent ? 0 : std::min(outputs, (extent - 1 - shift) / stride + 1);
  return {first, std::max(first, last)};
}

/// For every row of outputs (along the last axis) and every tap of the kernel that lies within the input, along the other axes for the row and along
/// the last for outputs first..first+length-1:
///   f(place of the row's output `first`, place of its tap in the input, number of the tap, length)
/// The input's place goes on by strides.back() for each next output. Taps come in ascending order for each row.
template <typename F>
void for_each_tap(const Window& window, F f) {
  const std::size_t axes = window.kernel.size();
  const std::size_t last = axes - 1;
  if (window.output_size() == 0 || window.input_size() == 0) return;
  std::vector<Span> spans;  // of the taps along the last axis
  for (std::int64_t tap = 0; tap < window.kernel[last]; ++tap)
    spans.push_back(span_of(tap * window.dilations[last] - window.pads_begin[last], window.strides[last], window.input[last], window.output[last]));
  Integers row(last, 0);
  Integers tap(last, 0);
  const auto advance = [](Integers& index, const Integers& extents) {
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < extents[k]) return true;
      index[k] = 0;
    }
    return false;
  };
  std::int64_t output_row = 0;
  do {
    std::int64_t tap_row = 0;
    do {
      std::int64_t input_row = 0;
      bool inside = true;
      for (std::size_t k = 0; k < last; ++k) {
        const std::int64_t at = row[k] * window.strides[k] + tap[k] * window.dilations[k] - window.pads_begin[k];
        inside = inside && at >= 0 && at < window.input[k];
        input_row = input_row * window.input[k] + at;
      }
      if (inside)
        for (std::int64_t x = 0; x < window.kernel[last]; ++x) {
          const auto [first, end] = spans[static_cast<std::size_t>(x)];
          if (first == end) continue;
          const std::int64_t column = first * window.strides[last] + x * window.dilations[last] - window.pads_begin[last];
          f(output_row * window.output[last] + first, input_row * window.input[last] + column, tap_row * window.kernel[last] + x, end - first);
        }
      ++tap_row;
    } while (advance(tap, window.kernel));
    ++output_row;
  } while (advance(row, window.output));
}

}  // namespace lacuna::operators
