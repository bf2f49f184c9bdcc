// How the planes of a tile lie in the memory of a GPU: how many, and in how many bits each value is kept. Values are added up in f32 whatever they are kept in.
#pragma once

#include <cstdint>

#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t tile_lanes = 16;
inline constexpr std::uint32_t piece_lanes = 4;  ///< of a plane: what one load of a thread takes
inline constexpr float largest_f16 = 65504;

struct TileLayout {
  std::uint32_t planes = 0;         ///< of a tile, the one of zeros too
  Element value = Element::f32;     ///< f32, f16 or bf16

  std::uint32_t value_bytes() const { return value == Element::f32 ? 4 : 2; }
  std::uint32_t plane_bytes() const { return tile_lanes * value_bytes(); }
  std::uint32_t piece_bytes() const { return piece_lanes * value_bytes(); }
  Element bits() const { return value == Element::f32 ? Element::u32 : Element::u16; }  ///< the value as an integer
  bool operator==(const TileLayout&) const = default;
};

}  // namespace lacuna::kernel
