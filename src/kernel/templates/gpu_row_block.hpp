// Template "row block on a GPU": the kernel of some rows (sparse_row_block.hpp) as a thread program. Positions and weights are constants of the code: a
// source is loaded once, four inputs at a time, for all rows of the block that read it, and nothing else is read.
#pragma once

#include <cstdint>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/kernel.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t row_block_tiles = 16;  ///< that a GPU's block takes, eight threads each

/// `kernel`: all in Space::memory, its offsets counted in planes of a tile (gpu_tiles.hpp). `activation`: applied where the kernel's own clips do not do it.
/// Parameters: arena, control, tiles. Blocks: y over tiles, row_block_tiles of them in each.
ThreadProgram build_gpu_row_block(const Kernel& kernel, const Activation& activation, std::uint32_t planes, const std::string& name);

}  // namespace lacuna::kernel
