#include "plan/gpus/places.hpp"

#include <fmt/format.h>

#include <limits>

#include <lacuna/error.hpp>

#include "base/round_up.hpp"

namespace lacuna::plan::gpus {
namespace {

constexpr std::size_t vector_floats = 4;
constexpr std::size_t slack_floats = 64;  // vectors at the ends reach that far at most

std::size_t whole_vectors(std::size_t floats) { return base::round_up(floats, vector_floats); }

}  // namespace

rows::Planes padded_planes(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x) {
  rows::Planes planes = plain_planes(shape);
  planes.halo_y = halo_y;
  planes.halo_x = halo_x;
  planes.row = whole_vectors(planes.width + std::size_t{halo_x});
  planes.channel = (planes.height + std::size_t{halo_y}) * planes.row;
  planes.image = planes.channels * planes.channel;
  planes.origin = whole_vectors(halo_y * planes.row + halo_x) + vector_floats;
  planes.floats = planes.origin + planes.batch * planes.image + whole_vectors(halo_y * planes.row + halo_x) + slack_floats;
  return planes;
}

rows::Planes plain_planes(const Shape& shape) {
  const auto& extents = shape.extents;
  if (extents.size() > 4) throw Unsupported(fmt::format("a value of shape {} on a GPU: it has {} axes; four are the most", to_string(shape), extents.size()));
  rows::Planes planes;
  planes.batch = extents.empty() ? 1 : extents[0];
  planes.channels = extents.size() < 2 ? 1 : extents[1];
  planes.width = extents.size() > 2 ? extents.back() : 1;
  planes.height = extents.size() > 3 ? extents[2] : 1;
  planes.row = planes.width;
  planes.channel = planes.row * planes.height;
  planes.image = planes.channel * planes.channels;
  planes.floats = planes.image * planes.batch;
  return planes;
}

bool is_plain(const rows::Planes& planes) {
  return planes.origin == 0 && planes.row == planes.width && planes.channel == planes.row * planes.height && planes.image == planes.channel * planes.channels;
}

kernel::PixelView view_of(const rows::Planes& planes) {
  if (planes.floats > std::numeric_limits<std::uint32_t>::max())
    throw Unsupported(fmt::format("a value of {} floats on a GPU; 2^32 are the most: use a smaller batch", planes.floats));
  const auto narrow = [](std::size_t floats) { return static_cast<std::uint32_t>(floats); };
  return {narrow(planes.origin), narrow(planes.image), narrow(planes.channel), narrow(planes.row), narrow(planes.column)};
}

}  // namespace lacuna::plan::gpus
