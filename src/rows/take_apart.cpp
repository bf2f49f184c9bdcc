// An input with a stride, taken apart into phases that have none.
#include <algorithm>
#include <cstring>

#include "rows/conv_rows.hpp"

namespace lacuna::rows {
namespace {

/// Elements [first, last) of an axis of a phase are elements of the input or of `halo` more on both sides, the others are padding; element k is number k * stride + shift there.
struct PhaseAxis {
  std::int64_t stride, shift;
  std::size_t first, last;

  PhaseAxis(std::uint32_t step, std::uint32_t phase, std::uint32_t pad, std::uint32_t extent, std::uint32_t phase_extent, std::uint32_t halo)
      : stride(step), shift(std::int64_t{phase} - pad), first(static_cast<std::size_t>(shift + halo >= 0 ? 0 : (-shift - halo + stride - 1) / stride)) {
    const std::int64_t beyond = std::int64_t{extent} + halo - shift;  // k * stride < beyond
    last = beyond <= 0 ? 0 : std::min<std::size_t>(phase_extent, static_cast<std::size_t>((beyond + stride - 1) / stride));
    if (first >= last) first = last = 0;
  }
  std::int64_t in_input(std::size_t k) const { return static_cast<std::int64_t>(k) * stride + shift; }
};

/// Of a line in `to`.
std::size_t place_of(const Excerpt& excerpt, std::size_t line, const Planes& to) { return to.lane_at(0, line * to.row - excerpt.first_lane); }

/// An excerpt of one phase of one channel: from a plane of `in`, given by its element (0, 0), to one of `to`, given by its first line there.
void take_phase(const Excerpt& excerpt, const PhaseAxis& y, const PhaseAxis& x, const Planes& in, const float* input, const Planes& to, float* target) {
  const std::size_t lanes = in.lanes_are_inputs() ? in.batch : 1, row_lanes = to.row_lanes(), count = x.last - x.first;
  const auto in_column = static_cast<std::int64_t>(in.column);
  for (std::size_t i = excerpt.line_begin; i < excerpt.line_end; ++i) {
    float* const row = target + (i - excerpt.line_begin) * to.row;
    if (i < y.first || i >= y.last || count == 0) {
      std::fill(row, row + row_lanes, 0.0f);
      continue;
    }
    const float* const from = input + y.in_input(i) * static_cast<std::int64_t>(in.row) + x.in_input(x.first) * in_column;
    float* const begin = row + x.first * to.column;
    for (float* zero = row; zero != begin; ++zero) *zero = 0;
    if (lanes == 1 && x.stride == 1)
      std::memcpy(begin, from, count * sizeof(float));
    else
      for (std::size_t j = 0; j < count; ++j) std::memcpy(begin + j * to.column, from + static_cast<std::int64_t>(j) * x.stride * in_column, lanes * sizeof(float));
    for (float* zero = begin + (count - 1) * to.column + lanes; zero < row + row_lanes; ++zero) *zero = 0;
  }
}

/// Whether every element of every phase stands in the input, or in its halo.
bool halo_has_phases(const ConvRows& rows, const Planes& in) {
  const Window& w = rows.window;
  const Planes& to = rows.source;
  return in.halo_y >= w.pad_y && in.halo_x >= w.pad_x && std::all_of(rows.phases.begin(), rows.phases.end(), [&](const ConvRows::Phase& phase) {
    return (rows.lines - std::size_t{1}) * w.stride_y + phase.y < in.height + in.halo_y + w.pad_y && (to.width - 1) * w.stride_x + phase.x < in.width + in.halo_x + w.pad_x;
  });
}

/// Where the step is two and the halo has all padding: a pair of phases that part the same rows is filled at once, all phases of a channel while it is in L1.
void part_phases(const ConvRows& rows, const Excerpt& excerpt, const Planes& in, const float* input, float* source, PartRows* part_rows) {
  const Window& w = rows.window;
  const Planes& to = rows.source;
  const float* from = input + in.at(excerpt.image, 0, 0, 0) + std::size_t{excerpt.line_begin} * w.stride_y * in.row - w.pad_y * in.row - w.pad_x;
  float* target = source + place_of(excerpt, excerpt.line_begin, to);
  for (std::size_t c = 0; c < in.channels; ++c, from += in.channel)
    for (std::size_t phase = 0; phase < rows.phases.size();) {
      const auto [y, x] = rows.phases[phase];
      const bool is_pair = phase + 1 < rows.phases.size() && rows.phases[phase + 1].y == y;
      part_rows(from + y * in.row + x, w.stride_y * in.row, excerpt.line_end - excerpt.line_begin, to.width, target, is_pair ? target + to.channel : nullptr, to.row);
      phase += is_pair ? 2 : 1;
      target += (is_pair ? 2 : 1) * to.channel;
    }
}

/// The only phase, from slabs to slabs: each run of a line that stands side by side in both, of all channels at once.
void take_from_slabs(const ConvRows& rows, const Excerpt& excerpt, const Planes& in, const float* input, float* source, PartRows* part_rows) {
  const Window& w = rows.window;
  const Planes& to = rows.source;
  for (std::size_t y = excerpt.line_begin; y < excerpt.line_end; ++y)
    for (std::size_t x = 0; x < to.width;) {
      const std::size_t lane = y * w.stride_y * in.row + x * w.stride_x, target_lane = y * to.row + x - excerpt.first_lane;
      const std::size_t count = std::min({(in.side_by_side(lane) + w.stride_x - 1) / w.stride_x, to.side_by_side(target_lane), to.width - x});
      const float* const from = input + in.lane_at(excerpt.image, lane);
      float* const target = source + to.lane_at(0, target_lane);
      if (w.stride_x == 2) {
        part_rows(from, in.channel, in.channels, count, target, nullptr, to.channel);
      } else {
        for (std::size_t c = 0; c < in.channels; ++c)
          for (std::size_t k = 0; k < count; ++k) target[c * to.channel + k] = from[c * in.channel + k * w.stride_x];
      }
      x += count;
    }
}

/// Lines as they stand, and the zeros that the last pixels read beyond the last of them.
void pack_lines(const ConvRows& rows, const Planes& in, const float* input, const Excerpt& excerpt, float* source) {
  const Window& w = rows.window;
  const Planes& to = rows.source;
  const std::size_t floats = (excerpt.line_end - std::size_t{excerpt.line_begin}) * to.row, beyond = (w.kernel_x - std::size_t{1}) * w.dilation_x;
  const float* from = input + in.at(excerpt.image, 0, 0, 0) + std::size_t{excerpt.line_begin} * in.row - w.pad_y * in.row - w.pad_x;
  float* target = source + place_of(excerpt, excerpt.line_begin, to);
  for (std::size_t c = 0; c < in.channels; ++c, from += in.channel, target += to.channel) {
    std::memcpy(target, from, floats * sizeof(float));
    std::fill_n(target + floats, beyond, 0.0f);
  }
}

}  // namespace

void take_apart(const ConvRows& rows, const Planes& in, const float* input, const Excerpt& excerpt, float* source, PartRows* part_rows) {
  const Window& w = rows.window;
  const Planes& to = rows.source;
  if (rows.is_packed) return pack_lines(rows, in, input, excerpt, source);
  if (in.slab != 0) return take_from_slabs(rows, excerpt, in, input, source, part_rows);
  if (w.stride_x == 2 && in.column == 1 && !in.lanes_are_inputs() && halo_has_phases(rows, in)) return part_phases(rows, excerpt, in, input, source, part_rows);
  for (std::size_t phase = 0; phase < rows.phases.size(); ++phase) {
    const PhaseAxis y(w.stride_y, rows.phases[phase].y, w.pad_y, in.height, rows.lines, in.halo_y),  // a band has rows of others there
        x(w.stride_x, rows.phases[phase].x, w.pad_x, in.width, to.width, 0);
    for (std::size_t c = 0; c < in.channels; ++c)
      take_phase(excerpt, y, x, in, input + in.at(excerpt.image, c, 0, 0), to, source + place_of(excerpt, excerpt.line_begin, to) + (c * rows.phases.size() + phase) * to.channel);
  }
}

}  // namespace lacuna::rows
