// How layered networks lie in the memory of a GPU, for all templates that work on them.
//
//   arena     two halves of `tiles` tiles; inputs move from one half to the other when they close ranks
//   tile      16 inputs (lanes) that stand together: a plane of 64 bytes, two sectors of the cache, for each neuron, `planes` of them (32 bytes where values are kept in 16 bits). Narrow, so that much of
//             a tile fits the first cache of a multiprocessor: 1,024 neurons take 64 KiB
//   piece     four lanes of a plane: what one load of a thread takes
//   control   six words: lanes in use, half in use, whether the last look moved inputs, the half and the lanes before that; whether a value was too large to be kept
//
// The offset of a plane in its tile is the same for every tile, so tables hold byte offsets and code holds them as constants.
#pragma once

#include <cstdint>

#include "kernel/templates/activation.hpp"
#include "kernel/templates/tile_layout.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t tile_lanes_log2 = 4;

/// Words of `control`.
enum Control : std::uint32_t { control_lanes, control_half, control_moved, control_old_half, control_old_lanes, control_overflow, control_words };

/// The parameters every such kernel begins with.
struct TileParameters {
  Register arena, control, tiles;
  explicit TileParameters(ThreadBuilder& builder)
      : arena(builder.address_parameter("arena")), control(builder.address_parameter("control")), tiles(builder.u32_parameter("tiles")) {}
};

/// The address of lane `lane` of plane 0 of tile `tile` in `half`.
inline Register lane_address(ThreadBuilder& b, const TileParameters& at, Source half, Source tile, Source lane, const TileLayout& layout) {
  const Register place = b.multiply_add(half, at.tiles, tile);
  return b.advance(b.advance(at.arena, place, layout.planes * layout.plane_bytes()), lane, layout.value_bytes());
}

inline Register control_word(ThreadBuilder& b, const TileParameters& at, Control word) { return b.load_u32(at.control, word * 4); }

/// The address of input `number` in plane 0.
inline Register input_address(ThreadBuilder& b, const TileParameters& at, Source half, Source number, const TileLayout& layout) {
  return lane_address(b, at, half, b.shift_right(number, tile_lanes_log2), b.bit_and(number, tile_lanes - 1), layout);
}

/// Threads whose tile is not in use leave. `lanes`: how many are.
inline void leave_unused_tiles(ThreadBuilder& b, Register tile, Register lanes) {
  b.return_if(b.compare(Comparison::greater_equal, b.multiply(tile, tile_lanes), lanes));
}

/// Whether values after this activation may be too large for what they are kept in: f16 ends at 65504, the others where f32 does.
inline bool may_overflow(const TileLayout& layout, const Activation& activation) { return layout.value == Element::f16 && !stays_within(activation, largest_f16); }

/// Notes in `control` if one of the values of inputs first, first + 1, ... is too large for f16. Lanes that are not in use hold what is left of inputs that are gone.
template <typename Values>
void note_overflow(ThreadBuilder& b, const TileParameters& at, Register first, const Values& values) {
  const Register lanes = control_word(b, at, control_lanes), largest = b.variable(0.0f);
  std::uint32_t lane = 0;
  for (Register value : values) {
    const Register is_in_use = b.compare(Comparison::less, b.add(first, lane++), lanes);
    b.compute_into(largest, Arithmetic::maximum, {largest, b.select(is_in_use, b.compute(Arithmetic::absolute, {value}), 0.0f)});
  }
  b.when(b.compare(Comparison::greater, largest, largest_f16), [&] { b.store_u32(at.control, control_overflow * 4, 1u); });
}

}  // namespace lacuna::kernel
