// The tiles baked code comes in: how many vectors of lanes and how many rows keep their sums in registers at once.
#pragma once

#include <array>
#include <span>

#include "devices/cpu/isa.hpp"

namespace lacuna::plan {

struct TileShape {
  unsigned vectors = 0;
  unsigned rows = 0;

  bool operator==(const TileShape&) const = default;
};

/// 16 registers: 12 or 13 sums, the rest for a source and its weights.
inline constexpr std::array<TileShape, 4> avx2_shapes{{{4, 3}, {3, 4}, {2, 6}, {1, 13}}};
/// 32 registers.
inline constexpr std::array<TileShape, 4> avx512_shapes{{{4, 6}, {3, 9}, {2, 14}, {1, 28}}};

/// Empty where there is no baked code.
inline std::span<const TileShape> tile_shapes(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::avx2: return avx2_shapes;
    case cpu::Isa::avx512: return avx512_shapes;
    default: return {};
  }
}

}  // namespace lacuna::plan
