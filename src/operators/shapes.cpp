#include "operators/shapes.hpp"

#include <algorithm>
#include <limits>

#include <lacuna/error.hpp>

#include "operators/attributes.hpp"

namespace lacuna::operators {

Shape make_shape(const Call& call, std::span<const std::int64_t> extents) {
  Shape shape;
  std::uint64_t elements = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > std::numeric_limits<std::uint32_t>::max())
      fail(call, "an extent of {} in {}; an extent is 0 to {}", extent, fmt::format("{}", fmt::join(extents, "x")), std::numeric_limits<std::uint32_t>::max());
    shape.extents.push_back(static_cast<std::uint32_t>(extent));
    const auto factor = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(extent));
    if (elements > max_elements / factor) fail(call, "{} elements are more than {}", fmt::format("{}", fmt::join(extents, "x")), max_elements);
    elements *= factor;
  }
  return shape;
}

Integers extents_of(const Shape& shape) { return {shape.extents.begin(), shape.extents.end()}; }

std::uint64_t count(const Shape& shape, std::size_t first, std::size_t last) {
  std::uint64_t product = 1;
  for (std::size_t k = first; k < last; ++k) product *= shape.extents[k];
  return product;
}

std::size_t axis_of(const Call& call, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) fail(call, "axis {} of a value of {} axes; an axis is -{} to {}", axis, rank, rank, signed_rank - 1);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::vector<std::size_t> axes_of(const Call& call, std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) result.push_back(axis_of(call, axis, rank));
  std::sort(result.begin(), result.end());
  if (const auto twice = std::adjacent_find(result.begin(), result.end()); twice != result.end()) fail(call, "axis {} is given twice", *twice);
  return result;
}

Integers strides_of(const Shape& shape) {
  Integers strides(shape.extents.size(), 1);
  for (std::size_t k = strides.size(); k-- > 1;) strides[k - 1] = strides[k] * std::max<std::int64_t>(1, shape.extents[k]);
  return strides;
}

Shape broadcast(const Call& call, std::span<const Shape* const> shapes) {
  std::size_t rank = 0;
  for (const Shape* shape : shapes) rank = std::max(rank, shape->extents.size());
  Integers extents(rank, 1);
  for (const Shape* shape : shapes) {
    const std::size_t shift = rank - shape->extents.size();
    for (std::size_t k = 0; k < shape->extents.size(); ++k) {
      std::int64_t& extent = extents[shift + k];
      if (shape->extents[k] == 1 || shape->extents[k] == extent) continue;
      if (extent != 1) {
        std::string all;
        for (const Shape* each : shapes) all += (all.empty() ? "" : " and ") + describe(*each);
        fail(call, "inputs of {} do not fit: extents of an axis must be equal or 1", all);
      }
      extent = shape->extents[k];
    }
  }
  return make_shape(call, extents);
}

Integers broadcast_strides(const Shape& shape, const Shape& target) {
  const Integers own = strides_of(shape);
  const std::size_t shift = target.extents.size() - shape.extents.size();
  Integers strides(target.extents.size(), 0);
  for (std::size_t k = 0; k < own.size(); ++k)
    if (shape.extents[k] != 1) strides[shift + k] = own[k];
  return strides;
}

std::string describe(const Shape& shape) { return shape.extents.empty() ? "a scalar" : to_string(shape); }

}  // namespace lacuna::operators
