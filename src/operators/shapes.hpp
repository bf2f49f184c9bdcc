// Shapes: every extent that is computed passes through make_shape, so none overflows; axes, strides and broadcasting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operators/operators.hpp"

namespace lacuna::operators {

/// The most elements of a value: a bound for hostile files, not for networks. Extents of 0 count as 1, so that strides cannot overflow either.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 40;

using Integers = std::vector<std::int64_t>;

/// Throws InputError for an extent below 0 or above 2^32 - 1, and for too many elements.
Shape make_shape(const Call& call, std::span<const std::int64_t> extents);

Integers extents_of(const Shape& shape);

/// Product of extents[first..last).
std::uint64_t count(const Shape& shape, std::size_t first, std::size_t last);

/// outer x length x inner elements around an axis.
struct Around {
  std::size_t outer, length, inner;
};
inline Around around(const Shape& shape, std::size_t axis) {
  return {count(shape, 0, axis), shape.extents[axis], count(shape, axis + 1, shape.extents.size())};
}

/// 0..rank-1 for -rank..rank-1; else InputError.
std::size_t axis_of(const Call& call, std::int64_t axis, std::size_t rank);

/// The axes ascending; InputError if one is given twice.
std::vector<std::size_t> axes_of(const Call& call, std::span<const std::int64_t> axes, std::size_t rank);

/// Elements from one index to the next, for each axis.
Integers strides_of(const Shape& shape);

/// The shape to which all of them broadcast, as NumPy does. Throws InputError naming two that do not fit.
Shape broadcast(const Call& call, std::span<const Shape* const> shapes);

/// Strides of a value of `shape` where it is read as one of shape `target`: 0 along axes it is repeated on.
Integers broadcast_strides(const Shape& shape, const Shape& target);

/// "1x3x8x8", or "a scalar".
std::string describe(const Shape& shape);

}  // namespace lacuna::operators
