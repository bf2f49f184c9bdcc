// Template "row blocks on a GPU": kernels of some rows each (sparse_row_block.hpp) as one thread program. Positions and weights are constants of the code: a
// source is loaded once, four inputs at a time, for all rows of the block that read it, and nothing else is read.
//
// Row blocks share a launch, and those of the same inputs run side by side. A launch may take some tiles only, so that what one kernel read of them is still
// in the second cache for the next.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/kernel.hpp"
#include "kernel/templates/tile_layout.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t row_block_tiles = 8;  ///< that a GPU's block takes, four threads each: a warp

/// `blocks`: all in Space::memory, their offsets counted in planes of a tile (gpu_tiles.hpp). `activation`: applied where the kernels' own clips do not do it.
/// Parameters: arena, control, tiles, first_tile. Blocks: x over `blocks`, y over tiles from first_tile on, row_block_tiles of them in each.
ThreadProgram build_gpu_row_blocks(std::span<const Kernel> blocks, const Activation& activation, const TileLayout& tiles, const std::string& name);

}  // namespace lacuna::kernel
