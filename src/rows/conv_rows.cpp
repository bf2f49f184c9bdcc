#include "rows/conv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

#include <lacuna/error.hpp>

namespace lacuna::rows {
namespace {

std::uint32_t of_axis(const std::vector<std::uint32_t>& list, std::size_t axis, std::uint32_t otherwise) { return axis < list.size() ? list[axis] : otherwise; }

std::uint32_t outputs(std::uint32_t extent, std::uint32_t before, std::uint32_t after, std::uint32_t reach, std::uint32_t stride) {
  const std::uint32_t padded = extent + before + after;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

void check_extents(const Conv& conv, const Window& w, const Planes& in, const Planes& out) {
  const std::uint32_t height = outputs(in.height, w.pad_y, w.pad_y_end, (w.kernel_y - 1) * w.dilation_y + 1, w.stride_y);
  const std::uint32_t width = outputs(in.width, w.pad_x, w.pad_x_end, (w.kernel_x - 1) * w.dilation_x + 1, w.stride_x);
  if (in.channels != conv.group_channels * conv.groups)
    throw InputError(fmt::format("a convolution of {} input channels was given {}", conv.group_channels * conv.groups, in.channels));
  if (out.channels != conv.output_channels || out.height != height || out.width != width || out.batch != in.batch)
    throw InputError(fmt::format("a convolution gives {}x{}x{}x{}, not {}x{}x{}x{}: give it planes of that shape", in.batch, conv.output_channels, height, width, out.batch,
                                 out.channels, out.height, out.width));
}

/// How far an output reads beyond the last element of the input.
std::uint32_t reach_beyond(std::uint32_t outputs_of_axis, std::uint32_t stride, std::uint32_t kernel, std::uint32_t dilation, std::uint32_t pad, std::uint32_t extent) {
  const std::int64_t last = std::int64_t{outputs_of_axis - 1} * stride + std::int64_t{kernel - 1} * dilation - pad;
  return last < extent ? 0 : static_cast<std::uint32_t>(last - extent + 1);
}

/// One weight that is not zero.
struct Tap {
  std::uint32_t row, channel, y, x;
  float weight;
};

/// Where a tap's source stands among all of its row, if the input is taken apart.
std::array<std::uint32_t, 5> place_in_phases(const Tap& tap, const Window& w) {
  const std::uint32_t y = tap.y * w.dilation_y, x = tap.x * w.dilation_x;
  return {tap.channel, y % w.stride_y, x % w.stride_x, y / w.stride_y, x / w.stride_x};
}

/// Where a row of weights is not zero. No branch depends on a weight: it could not be predicted.
void find_nonzeros(std::span<const float> weights, std::vector<std::uint32_t>& found) {
  found.resize(weights.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    found[count] = static_cast<std::uint32_t>(k);
    count += weights[k] != 0;
  }
  found.resize(count);
}

template <typename Visit>
void for_each_tap(const Conv& conv, const Window& w, Visit visit) {
  const std::uint32_t group_rows = conv.output_channels / conv.groups, taps = w.kernel_y * w.kernel_x;
  const std::size_t row_weights = std::size_t{conv.group_channels} * taps;
  std::vector<std::uint32_t> found;
  for (std::uint32_t row = 0; row < conv.output_channels; ++row) {
    const std::span<const float> weights = std::span(conv.weights.data(), conv.weights.size()).subspan(row * row_weights, row_weights);
    find_nonzeros(weights, found);
    for (std::uint32_t k : found) {
      const std::uint32_t channel = k / taps, tap = k % taps;
      visit(Tap{row, row / group_rows * conv.group_channels + channel, tap / w.kernel_x, tap % w.kernel_x, weights[k]});
    }
  }
}

/// The planes of all phases: padded coordinates, so there is no halo; as wide as the output's rows where that is possible, so that sweeps over
/// both go on from row to row.
void plan_phases(const Conv& conv, const Planes& in, const Planes& out, std::uint32_t excerpt_lines, ConvRows& rows) {
  const Window& w = rows.window;
  std::vector<bool> used(std::size_t{w.stride_y} * w.stride_x, false);
  for_each_tap(conv, w, [&](const Tap& tap) { used[tap.y * w.dilation_y % w.stride_y * w.stride_x + tap.x * w.dilation_x % w.stride_x] = true; });
  for (std::uint32_t phase = 0; phase < used.size(); ++phase)
    if (used[phase]) rows.phases.push_back({phase / w.stride_x, phase % w.stride_x});
  rows.lines = out.height + (w.kernel_y - 1) * w.dilation_y / w.stride_y;
  const bool by_batch = in.lanes_are_inputs(), is_whole = excerpt_lines == 0 || excerpt_lines >= rows.lines;
  Shape shape{{by_batch ? in.batch : 1, static_cast<std::uint32_t>(std::max<std::size_t>(in.channels * rows.phases.size(), 1)), is_whole ? rows.lines : excerpt_lines,
               out.width + (w.kernel_x - 1) * w.dilation_x / w.stride_x}};
  const std::size_t pixel = by_batch ? in.batch : 1;
  const std::size_t pitch = out.row / pixel;
  const auto spare = static_cast<std::uint32_t>(out.row % pixel == 0 && pitch > shape.extents[3] ? pitch - shape.extents[3] : 0);
  const Lanes lanes = by_batch ? Lanes::batch : Lanes::pixels;
  const auto make = [&] { return in.slab != 0 ? slabs_for(shape, spare, lanes, in.slab) : planes_for(shape, 0, spare, lanes); };
  rows.source = make();
  if (is_whole) return;
  const std::size_t unit = excerpt_unit(rows.source);
  shape.extents[2] += static_cast<std::uint32_t>((unit + rows.source.row - 1) / rows.source.row);  // an excerpt may begin that much before its first line
  rows.source = make();
}

/// Lines of the input with its own pitch, halos shared between them; those of a channel an odd number of cache lines from the next: they do not fight for the same sets of L1.
void plan_packed(const Planes& in, const Planes& out, std::uint32_t excerpt_lines, ConvRows& rows) {
  const Window& w = rows.window;
  constexpr std::size_t line_floats = 16, slack_floats = 64;
  rows.phases = {{0, 0}};
  rows.is_packed = true;
  rows.lines = out.height + (w.kernel_y - 1) * w.dilation_y;
  Planes& source = rows.source = in;
  source.batch = 1;
  source.halo_y = source.halo_x = 0;
  source.origin = 0;
  source.height = excerpt_lines == 0 || excerpt_lines >= rows.lines ? rows.lines : excerpt_lines + static_cast<std::uint32_t>((excerpt_unit(in) + in.row - 1) / in.row);
  const std::size_t floats = source.height * in.row + (w.kernel_x - std::size_t{1}) * w.dilation_x;
  source.channel = ((floats / line_floats + 1) | 1) * line_floats;
  source.image = source.channel * source.channels;
  source.floats = source.image + slack_floats;
}

std::int64_t offset_in_place(const ConvRows& rows, const Tap& tap) {
  const Window& w = rows.window;
  const auto signed_of = [](std::size_t stride) { return static_cast<std::int64_t>(stride); };
  return signed_of(rows.source.channel) * tap.channel + (std::int64_t{tap.y} * w.dilation_y - w.pad_y) * signed_of(rows.source.row) +
         (std::int64_t{tap.x} * w.dilation_x - w.pad_x) * signed_of(rows.source.column);
}

std::int64_t offset_in_phases(const ConvRows& rows, const Tap& tap) {
  const Window& w = rows.window;
  const std::uint32_t y = tap.y * w.dilation_y, x = tap.x * w.dilation_x;
  std::size_t phase = 0;
  while (rows.phases[phase].y != y % w.stride_y || rows.phases[phase].x != x % w.stride_x) ++phase;
  return static_cast<std::int64_t>(rows.source.at(0, tap.channel * rows.phases.size() + phase, y / w.stride_y, x / w.stride_x) - rows.source.origin);
}

void add_nonzeros(const Conv& conv, ConvRows& rows) {
  rows.row_begin.assign(conv.output_channels + std::size_t{1}, 0);
  for_each_tap(conv, rows.window, [&](const Tap& tap) {
    const std::int64_t offset = rows.phases.empty() ? offset_in_place(rows, tap) : offset_in_phases(rows, tap);
    if (offset < std::numeric_limits<std::int32_t>::min() || offset > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("a convolution whose input has planes more than 8 GiB apart");
    rows.nonzeros.push_back({static_cast<std::int32_t>(offset), tap.weight});
    rows.row_begin[tap.row + std::size_t{1}] = rows.nonzeros.size();
  });
  for (std::size_t row = 0; row < conv.output_channels; ++row) rows.row_begin[row + 1] = std::max(rows.row_begin[row + 1], rows.row_begin[row]);  // a row without nonzeros
}

void sort_by_offset(ConvRows& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    std::sort(rows.nonzeros.begin() + static_cast<std::ptrdiff_t>(rows.row_begin[row]), rows.nonzeros.begin() + static_cast<std::ptrdiff_t>(rows.row_begin[row + 1]),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
}

/// As they would stand if the input were taken apart: the same sums in the same order.
void sort_by_phase(const Conv& conv, ConvRows& rows) {
  std::vector<std::array<std::uint32_t, 5>> places;
  places.reserve(rows.nonzeros.size());
  for_each_tap(conv, rows.window, [&](const Tap& tap) { places.push_back(place_in_phases(tap, rows.window)); });
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t row = 0; row < rows.rows(); ++row)
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(rows.row_begin[row]), order.begin() + static_cast<std::ptrdiff_t>(rows.row_begin[row + 1]),
              [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::vector<ConvRows::Nonzero> sorted;
  sorted.reserve(order.size());
  for (std::size_t k : order) sorted.push_back(rows.nonzeros[k]);
  rows.nonzeros = std::move(sorted);
}

}  // namespace

Window window_of(const Conv& conv) {
  const std::size_t axes = conv.kernel.size();
  if (axes > 2) throw Unsupported(fmt::format("a convolution with {} spatial axes; two are the most", axes));
  Window w;
  if (axes > 1) {
    w.kernel_y = conv.kernel[0];
    w.stride_y = of_axis(conv.strides, 0, 1);
    w.dilation_y = of_axis(conv.dilations, 0, 1);
    w.pad_y = of_axis(conv.pads_begin, 0, 0);
    w.pad_y_end = of_axis(conv.pads_end, 0, 0);
  }
  if (axes > 0) {
    w.kernel_x = conv.kernel[axes - 1];
    w.stride_x = of_axis(conv.strides, axes - 1, 1);
    w.dilation_x = of_axis(conv.dilations, axes - 1, 1);
    w.pad_x = of_axis(conv.pads_begin, axes - 1, 0);
    w.pad_x_end = of_axis(conv.pads_end, axes - 1, 0);
  }
  return w;
}

Halo halo_of(const Conv& conv) {
  const Window w = window_of(conv);
  return {std::max(w.pad_y, w.pad_y_end), std::max(w.pad_x, w.pad_x_end)};
}

RowsBeyond rows_beyond(const Window& w, std::uint32_t input_height, std::uint32_t output_height) {
  return {w.pad_y, reach_beyond(output_height, w.stride_y, w.kernel_y, w.dilation_y, w.pad_y, input_height)};
}

bool halo_suffices(const Window& w, const Planes& in, const Planes& out) {
  return in.halo_y >= std::max(w.pad_y, reach_beyond(out.height, w.stride_y, w.kernel_y, w.dilation_y, w.pad_y, in.height)) &&
         in.halo_x >= std::max(w.pad_x, reach_beyond(out.width, w.stride_x, w.kernel_x, w.dilation_x, w.pad_x, in.width));
}

bool reads_one_pixel(const Window& w) { return w.kernel_y == 1 && w.kernel_x == 1 && w.pad_y + w.pad_y_end + w.pad_x + w.pad_x_end == 0; }

bool can_be_in_steps(const Conv& conv, const Planes& in, const Planes& out) {
  const Window w = window_of(conv);
  return w.stride_x == 2 && in.slab == 0 && out.slab == 0 && !in.lanes_are_inputs() && in.column == 1 && out.column == 1 && halo_suffices(w, in, out);
}

bool can_be_packed(const Conv& conv, const Planes& in, const Planes& out) {
  const Window w = window_of(conv);
  return w.stride_y == 1 && w.stride_x == 1 && in.has_rows_of_pixels() && !in.has_rows_of_channels() && out.column == 1 && in.row == out.row && halo_suffices(w, in, out);
}

std::size_t excerpt_unit(const Planes& source) { return source.slab != 0 ? source.slab : 16; }

ConvRows lower_conv(const Conv& conv, const Planes& in, const Planes& out, Strides strides, std::uint32_t excerpt_lines) {
  ConvRows rows;
  rows.window = window_of(conv);
  check_extents(conv, rows.window, in, out);
  rows.bias.assign(conv.output_channels, 0);
  std::copy(conv.bias.begin(), conv.bias.end(), rows.bias.begin());
  if (in.slab != 0 && !reads_one_pixel(rows.window)) throw InternalError("slabs are for convolutions that read one pixel for each they write");
  const bool has_stride = rows.window.stride_y > 1 || rows.window.stride_x > 1;
  // Where lanes are inputs every pixel is a sweep of its own, and a stride costs nothing, unless the sweeps are shorter than a vector.
  const bool in_steps = strides == Strides::in_steps && can_be_in_steps(conv, in, out);
  const bool stride_is_free = strides == Strides::in_place || in_steps || (in.lanes_are_inputs() && in.batch % 8 == 0);
  if (strides == Strides::packed && can_be_packed(conv, in, out)) {
    plan_packed(in, out, excerpt_lines, rows);
  } else if ((has_stride && !stride_is_free) || !halo_suffices(rows.window, in, out)) {
    plan_phases(conv, in, out, excerpt_lines, rows);
  } else {
    rows.source = in;
    rows.step_y = rows.window.stride_y;
    rows.step_x = rows.window.stride_x;
    if (in_steps) rows.lane_step = rows.step_x;
  }
  add_nonzeros(conv, rows);
  if (in_steps)
    sort_by_phase(conv, rows);
  else
    sort_by_offset(rows);
  return rows;
}

}  // namespace lacuna::rows
