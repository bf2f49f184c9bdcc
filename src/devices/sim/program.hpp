// A kernel as the executor runs it: decoded instructions whose operands are places in a warp's registers, or in the constants of the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/sim/counters.hpp"

namespace lacuna::sim {

inline constexpr unsigned lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffff;
inline constexpr std::uint32_t constant_bit = 0x80000000;  ///< in an operand: its offset counts from the constants
inline constexpr std::uint32_t nowhere = 0xffffffff;       ///< no instruction
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60;  ///< generic addresses of shared memory
inline constexpr std::uint64_t local_window = std::uint64_t{1} << 61;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp& warp, const Instruction& instruction, std::uint32_t mask);

enum class Flow : std::uint8_t { next, branch, exit, barrier, trap };
enum class Combine : std::uint8_t { none, conjunction, disjunction, exclusive };  ///< of a comparison with another predicate
enum class Space : std::uint8_t { generic, global, shared, constant, local, parameter };

struct Instruction {
  Handler handler = nullptr;
  std::uint32_t d = 0, e = 0;                 ///< destinations: byte offsets, or numbers of predicates
  std::uint32_t a = 0, b = 0, c = 0;          ///< sources, likewise
  std::array<std::uint32_t, 4> elements{};    ///< of a vector that is loaded or stored
  std::uint32_t guard = 1;                    ///< predicate 1 is true in all lanes
  std::uint32_t guard_flip = 0;               ///< all ones: where the predicate is not set
  std::uint32_t target = nowhere;             ///< of a branch
  std::uint32_t reconverge = nowhere;         ///< of a branch: its immediate post-dominator
  std::int64_t offset = 0;                    ///< of an address; of a parameter; or another constant
  std::uint32_t index = 0;                    ///< of this instruction
  std::uint32_t line = 0;
  std::uint8_t element_count = 1;
  std::uint8_t element_bytes = 0;
  bool is_base_wide = false;                  ///< the base of the address has 64 bits
  Combine combine = Combine::none;
  Flow flow = Flow::next;
  Space space = Space::global;
  Kind kind = Kind::other;
};

/// Where an address of a module's variable must be put into the constants when the module is placed.
struct Relocation {
  std::size_t constant_offset = 0;
  std::size_t variable = 0;
  std::int64_t addend = 0;
};

/// Values that differ between launches, blocks, warps or lanes. Each that a kernel reads has a place in the registers.
enum class Special : std::uint8_t { tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z, laneid, warpid, nwarpid, smid, nsmid,
                                    lanemask_eq, lanemask_lt, lanemask_le, lanemask_gt, lanemask_ge };

struct SpecialPlace {
  Special special;
  std::uint32_t offset;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<std::string> texts;             ///< of the instructions, for messages
  std::vector<std::byte> constants;           ///< each in all lanes
  std::vector<Relocation> relocations;
  std::vector<SpecialPlace> specials;
  std::size_t register_bytes = 0;             ///< of a warp
  std::uint32_t predicates = 2;               ///< 0 is false, 1 is true
  bool is_placed = true;                      ///< no relocation is left
  bool depends_on_order = false;              ///< of blocks: atomics whose result somebody reads, or sums of floats
  bool has_warp_barriers = false;             ///< bar.warp.sync, which orders the lanes of a warp
  bool has_narrow_shared = false;             ///< accesses of shared memory below four bytes
};

}  // namespace lacuna::sim
