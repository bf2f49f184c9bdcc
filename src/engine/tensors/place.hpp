// Place: how a value stands in memory. Plain is row-major and what operators without a faster way read; planes are what sparse convolutions read; a
// dense layout is oneDNN's own.
#pragma once

#include <cstddef>
#include <optional>

#include <lacuna/network.hpp>

#include "dense/layout.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {

struct Place {
  enum class Kind { plain, planes, dense } kind = Kind::plain;
  rows::Planes planes{};
  dense::Layout layout{};
  std::size_t bytes = 0;

  static Place plain(const Value& value) { return {Kind::plain, {}, {}, value.shape.size() * size_of(value.type)}; }
  static Place on(const rows::Planes& planes) { return {Kind::planes, planes, {}, planes.floats * sizeof(float)}; }
  static Place in(const dense::Layout& layout) { return {Kind::dense, {}, layout, layout.get_size()}; }

  bool is_in_slabs() const { return kind == Kind::planes && planes.slab != 0; }

  bool operator==(const Place& other) const {
    if (kind != other.kind || bytes != other.bytes) return false;
    return kind == Kind::plain || (kind == Kind::planes ? planes == other.planes : layout == other.layout);
  }
};

/// The strides of planes as oneDNN counts them for a value of this shape; element (0, 0, ...) is planes.origin floats from the start.
inline dense::Layout layout_of(const rows::Planes& planes, const Shape& shape) {
  switch (shape.extents.size()) {
    case 2: return dense::strided(shape, {planes.image, planes.channel});
    case 3: return dense::strided(shape, {planes.image, planes.channel, planes.column});
    default: return dense::strided(shape, {planes.image, planes.channel, planes.row, planes.column});
  }
}

}  // namespace lacuna::engine::tensors
