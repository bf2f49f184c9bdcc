#include "rows/planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <lacuna/error.hpp>

#include "base/round_up.hpp"

namespace lacuna::rows {
namespace {

constexpr std::size_t line_floats = 16;
constexpr std::size_t slack_floats = 64;      // the longest tile of vectors that may begin at the last element
constexpr std::size_t aliasing_floats = 1024;  // lines 4096 bytes apart share a set of L1

using base::round_up;

/// Copies elements, with strides. Rows may be short and many, so no function is called for those side by side.
void copy_row(const float* source, std::size_t source_stride, float* target, std::size_t target_stride, std::size_t count) {
  constexpr std::size_t few = 4;
  if (source_stride != 1 || target_stride != 1) {
    for (std::size_t k = 0; k < count; ++k) target[k * target_stride] = source[k * source_stride];
  } else if (count < few) {
    for (std::size_t k = 0; k < count; ++k) target[k] = source[k];
  } else {
    for (std::size_t k = 0; k + few < count; k += few) std::memcpy(target + k, source + k, few * sizeof(float));
    std::memcpy(target + count - few, source + count - few, few * sizeof(float));
  }
}

/// What is copied of each image.
struct Part {
  std::size_t first_channel, last_channel, first_row, last_row;

  explicit Part(const Planes& planes) : Part{0, planes.channels, 0, planes.height} {}
  Part(std::size_t channel_begin, std::size_t channel_end, std::size_t row_begin, std::size_t row_end) : first_channel(channel_begin), last_channel(channel_end), first_row(row_begin), last_row(row_end) {}
};

/// Elements side by side: the strides of a row-major tensor.
Planes row_major(const Planes& like) {
  Planes planes = like;
  planes.halo_y = planes.halo_x = 0;
  planes.column = 1;
  planes.row = like.width;
  planes.channel = planes.row * like.height;
  planes.image = planes.channel * like.channels;
  planes.origin = 0;
  planes.floats = planes.image * like.batch;
  planes.slab = 0;
  return planes;
}

/// Lanes of channel c, in pieces where slabs end.
void copy_lanes(const Planes& from, const float* source, std::size_t from_lane, const Planes& to, float* target, std::size_t to_lane, std::size_t lanes, std::size_t c, std::size_t n = 0) {
  for (std::size_t k = 0; k < lanes;) {
    const std::size_t count = std::min({from.side_by_side(from_lane + k), to.side_by_side(to_lane + k), lanes - k});
    std::memcpy(target + to.lane_at(n, to_lane + k) + c * to.channel, source + from.lane_at(n, from_lane + k) + c * from.channel, count * sizeof(float));
    k += count;
  }
}

/// A row of pixels.
void copy_pixels(const Planes& from, const float* source, std::size_t from_row, const Planes& to, float* target, std::size_t to_row, std::size_t c, std::size_t n = 0) {
  copy_lanes(from, source, from_row * from.row, to, target, to_row * to.row, from.width, c, n);
}

/// Between planes and slabs, of which one may be row-major.
void copy_through_slabs(const Planes& from, const float* source, const Planes& to, float* target, const Part& part) {
  const bool have_rows = !from.lanes_are_inputs() && !to.lanes_are_inputs();
  for (std::size_t n = 0; n < from.batch; ++n)
    for (std::size_t c = part.first_channel; c < part.last_channel; ++c)
      for (std::size_t y = part.first_row; y < part.last_row; ++y) {
        if (have_rows)
          copy_pixels(from, source, y, to, target, y, c, n);
        else
          for (std::size_t x = 0; x < from.width; ++x) target[to.at(n, c, y, x)] = source[from.at(n, c, y, x)];
      }
}

void copy_elements(const Planes& from, const float* source, const Planes& to, float* target, const Part& part) {
  if (from.slab != 0 || to.slab != 0) return copy_through_slabs(from, source, to, target, part);
  if (from.lanes_are_inputs() && to.lanes_are_inputs()) {
    for (std::size_t c = part.first_channel; c < part.last_channel; ++c)
      for (std::size_t y = part.first_row; y < part.last_row; ++y)
        for (std::size_t x = 0; x < from.width; ++x) copy_row(source + from.at(0, c, y, x), 1, target + to.at(0, c, y, x), 1, from.batch);
    return;
  }
  // Where one of them has inputs as lanes, a line has all inputs: some channels of all inputs come before the next, while the line is in L1.
  const std::size_t few = std::max<std::size_t>(1, line_floats / (std::size_t{from.height} * from.width));
  const std::size_t together = from.lanes_are_inputs() || to.lanes_are_inputs() ? few : part.last_channel - part.first_channel;
  for (std::size_t first = part.first_channel; first < part.last_channel; first += together)
    for (std::size_t n = 0; n < from.batch; ++n)
      for (std::size_t c = first; c < std::min(first + together, part.last_channel); ++c) {
        const float* row = source + from.at(n, c, part.first_row, 0);
        float* copied = target + to.at(n, c, part.first_row, 0);
        for (std::size_t y = part.first_row; y < part.last_row; ++y, row += from.row, copied += to.row) copy_row(row, from.column, copied, to.column, from.width);
      }
}

}  // namespace

Planes planes_for(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x, Lanes lanes) {
  const auto& extents = shape.extents;
  if (extents.size() < 2 || extents.size() > 4)
    throw Unsupported(fmt::format("planes of a value of shape {}: it has {} axes; batch, channels and up to two more have planes", to_string(shape), extents.size()));
  Planes planes;
  planes.batch = extents[0];
  planes.channels = extents[1];
  planes.width = extents.size() > 2 ? extents.back() : 1;
  planes.height = extents.size() > 3 ? extents[2] : 1;
  planes.halo_y = halo_y;
  planes.halo_x = halo_x;
  const std::size_t unit = lanes == Lanes::batch ? planes.batch : 1;
  planes.column = unit;
  planes.row = (planes.width + std::size_t{halo_x}) * unit;
  const std::size_t border = halo_y * planes.row + halo_x * unit;
  const std::size_t plane = (planes.height - std::size_t{1}) * planes.row + planes.width * unit + border;
  const bool is_lone = planes.batch > 1 && planes.channels == 1;  // images one float apart are lanes
  planes.channel = plane == 1 && !is_lone ? 1 : round_up(plane, line_floats);  // single numbers are gathered: they stand side by side
  if (planes.channel % aliasing_floats == 0) planes.channel += line_floats;
  planes.image = lanes == Lanes::batch ? 1 : planes.channels * planes.channel;
  planes.origin = round_up(border, line_floats);
  planes.floats = planes.origin + planes.plane_sets() * planes.channels * planes.channel + slack_floats;
  return planes;
}

Planes slabs_for(const Shape& shape, std::uint32_t halo_x, Lanes lanes, std::size_t slab) {
  Planes planes = planes_for(shape, 0, halo_x, lanes);
  planes.slab = planes.channel = planes.lanes_are_inputs() ? planes.batch : slab;
  const std::size_t image = round_up(planes.plane_lanes(), planes.slab) * planes.channels;
  if (!planes.lanes_are_inputs()) planes.image = image;
  planes.origin = 0;
  planes.floats = planes.plane_sets() * image + apart_in_page;
  return planes;
}

Planes band_planes_for(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x) {
  Shape with_rows_below = shape;
  with_rows_below.extents[2] += halo_y;
  Planes planes = planes_for(with_rows_below, halo_y, halo_x);
  planes.height = shape.extents[2];
  return planes;
}

void zero_halo(const Planes& planes, float* memory) { zero_halo(planes, memory, 0, planes.height); }

void zero_halo(const Planes& planes, float* memory, std::size_t first_row, std::size_t last_row) {
  if (planes.slab != 0) return;  // it has none
  const std::size_t lanes = planes.lanes_are_inputs() ? planes.batch : 1;
  const auto end_of_row = [&](std::size_t n, std::size_t c, std::size_t y) { return planes.at(n, c, y, planes.width - std::size_t{1}) + lanes; };
  std::size_t end_of_plane = 0;  // of the one before
  for (std::size_t n = 0; n < planes.plane_sets(); ++n)
    for (std::size_t c = 0; c < planes.channels; ++c) {
      for (std::size_t y = first_row; y < last_row; ++y) {
        std::size_t done = y == 0 ? end_of_plane : end_of_row(n, c, y - 1);
        for (std::size_t x = 0; x < (planes.column == lanes ? 1 : planes.width); ++x) {  // else a row has no gaps
          const std::size_t element = planes.at(n, c, y, x);
          if (element > done) std::fill(memory + done, memory + element, 0.0f);
          done = element + lanes;
        }
      }
      end_of_plane = end_of_row(n, c, planes.height - std::size_t{1});
    }
  if (last_row == planes.height) std::fill(memory + std::min(end_of_plane, planes.floats), memory + planes.floats, 0.0f);
}

void load_planes(const float* elements, const Planes& planes, float* memory) { load_planes(elements, planes, memory, 0, planes.height); }

void load_planes(const float* elements, const Planes& planes, float* memory, std::size_t first_row, std::size_t last_row) {
  zero_halo(planes, memory, first_row, last_row);
  copy_elements(row_major(planes), elements, planes, memory, {0, planes.channels, first_row, last_row});
}

void store_elements(const Planes& planes, const float* memory, float* elements) { store_elements(planes, memory, elements, 0, planes.channels); }

void store_elements(const Planes& planes, const float* memory, float* elements, std::size_t first_channel, std::size_t last_channel) {
  copy_elements(planes, memory, row_major(planes), elements, {first_channel, last_channel, 0, planes.height});
}

void copy_planes(const Planes& from, const float* source, const Planes& to, float* target) {
  if (from.batch != to.batch || from.channels != to.channels || from.height != to.height || from.width != to.width)
    throw InternalError(fmt::format("planes of {}x{}x{}x{} do not fit planes of {}x{}x{}x{}", from.batch, from.channels, from.height, from.width, to.batch, to.channels,
                                    to.height, to.width));
  zero_halo(to, target);
  copy_elements(from, source, to, target, Part(from));
}

void copy_band(const Planes& band, const float* source, const Planes& whole, float* target, std::size_t first_row) {
  const std::size_t last_row = first_row + band.height;
  const bool is_last = last_row == whole.height;
  if (band.row != whole.row || band.slab != 0) {
    zero_halo(whole, target, first_row, last_row);
    for (std::size_t c = 0; c < band.channels; ++c)
      for (std::size_t y = 0; y < band.height; ++y) copy_pixels(band, source, y, whole, target, first_row + y, c);
    return;
  }
  const std::size_t lanes = is_last ? band.plane_lanes() : band.height * band.row;  // rows with the zeros between them
  for (std::size_t c = 0; c < band.channels; ++c) copy_lanes(band, source, 0, whole, target, first_row * whole.row, lanes, c);
  if (first_row == 0) zero_halo(whole, target, 0, 1);
  if (is_last) zero_halo(whole, target, last_row, last_row);
}

}  // namespace lacuna::rows
