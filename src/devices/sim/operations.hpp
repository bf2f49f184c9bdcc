// The instructions that work on lanes, by name: one table for each instruction set of this machine, the same names in all of them.
#pragma once

#include <string_view>
#include <vector>

#include "devices/sim/program.hpp"
#include "devices/sim/warp.hpp"

namespace lacuna::sim {

/// `name`: the opcode with its modifiers in PTX's order; "[.x]" may be left out, "{x|y}" is one of these.
/// `operands`: destinations, ':', sources, a letter each: f f32, d f64, i up to 32 bits, l 64 bits, p predicate.
struct Operation {
  const char* name;
  const char* operands;
  Kind kind;
  Handler handler;
};

/// What a memory instruction does: the handlers for elements of 1, 2, 4, 8 bytes (log2 as index), zero-extended or not, to registers of 4 or 8 bytes.
struct LaneTable {
  std::vector<Operation> operations;
  Handler load[4][2][2] = {};   ///< [log2 of bytes][signed][register has 8 bytes]
  Handler store[4][2] = {};     ///< [log2 of bytes][register has 8 bytes]
  RunWarp run = nullptr;
};

/// For the best instruction set of this machine.
const LaneTable& lane_table();

}  // namespace lacuna::sim
