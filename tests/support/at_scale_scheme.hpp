// The scheme of a published GPU code for the challenge (At-Scale, HPEC 2020), rebuilt from its description, to compare with and to check the simulator's
// predictions against published times: 256 outputs a block, one in a thread; 12 inputs in a thread's registers; the sources of a block are staged through 24 KB
// of shared memory by a map; 16-bit sliced ELL, padded to the longest row of each warp in each stage. For tests and bench/gpu only.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/thread_program.hpp"

namespace lacuna::tests::at_scale {

inline constexpr std::uint32_t block_outputs = 256;
inline constexpr std::uint32_t minibatch = 12;
inline constexpr std::uint32_t stage_sources = 512;

/// Parameters: in, out ({inputs, neurons} row by row), categories (rows of `in` that are alive), active (how many), stages (of each block: its first),
/// map_begin (of each stage), map, slot_begin (of each stage and warp), index (u16), value, flags (one for each row of `out`), neurons, bias.
/// Blocks: x neurons / 256, y active / 12.
kernel::ThreadProgram build();

struct Layer {
  std::vector<std::uint32_t> stages, map_begin, map, slot_begin;
  std::vector<std::uint16_t> index;
  std::vector<float> value;
  std::uint64_t edges = 0;
  double padding() const { return static_cast<double>(value.size()) / static_cast<double>(edges); }
};

/// Needs: the number of rows is a multiple of 256.
Layer pack(const SparseMatrix& weights);

}  // namespace lacuna::tests::at_scale
