// How layered networks lie in the memory of a GPU, for all templates that work on them.
//
//   arena     two halves of `tiles` tiles; inputs move from one half to the other when they close ranks
//   tile      32 inputs (lanes) that stand together: a plane of 128 bytes, a line of the cache, for each neuron, `planes` of them. Eight threads take a plane,
//             four lanes each. A layer of 1,024 neurons so fits the first cache of a multiprocessor, and every source is read from afar once
//   control   five words: lanes in use, half in use, whether the last look moved inputs, the half and the lanes before that
//
// The offset of a plane in its tile is the same for every tile, so tables hold byte offsets and code holds them as constants.
#pragma once

#include <cstdint>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t tile_lanes = 32;
inline constexpr std::uint32_t tile_lanes_log2 = 5;
inline constexpr std::uint32_t plane_bytes = tile_lanes * 4;
inline constexpr std::uint32_t lanes_of_thread = 4;
inline constexpr std::uint32_t threads_of_row = tile_lanes / lanes_of_thread;

/// Words of `control`.
enum Control : std::uint32_t { control_lanes, control_half, control_moved, control_old_half, control_old_lanes, control_words };

/// The parameters every such kernel begins with.
struct TileParameters {
  Register arena, control, tiles;
  explicit TileParameters(ThreadBuilder& builder)
      : arena(builder.address_parameter("arena")), control(builder.address_parameter("control")), tiles(builder.u32_parameter("tiles")) {}
};

/// The address of lane `lane` of plane 0 of tile `tile` in `half`. `planes`: of the network.
inline Register lane_address(ThreadBuilder& b, const TileParameters& at, Source half, Source tile, Source lane, std::uint32_t planes) {
  const Register place = b.multiply_add(half, at.tiles, tile);
  return b.advance(b.advance(at.arena, place, planes * plane_bytes), lane, 4);
}

inline Register control_word(ThreadBuilder& b, const TileParameters& at, Control word) { return b.load_u32(at.control, word * 4); }

/// Threads of tiles that are not in use leave.
inline void leave_unused_tiles(ThreadBuilder& b, Register tile, Register lanes) {
  b.return_if(b.compare(Comparison::greater_equal, b.multiply(tile, tile_lanes), lanes));
}

}  // namespace lacuna::kernel
