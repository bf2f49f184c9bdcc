// The state of a block while it runs: its warps, its shared memory, what it counted. Instruction handlers (lanes-*-inl.hpp) work on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/sim/cache.hpp"
#include "devices/sim/launch.hpp"
#include "devices/sim/program.hpp"
#include "devices/sim/shared_check.hpp"

namespace lacuna::sim {

struct Block;

/// Lanes that wait for their turn, or for others to come to `reconverge`.
struct Path {
  std::uint32_t pc;
  std::uint32_t reconverge;
  std::uint32_t mask;
};

struct Warp {
  enum class State : std::uint8_t { runs, waits, done };

  std::array<std::byte*, 2> bases{};     ///< registers [register][lane], constants
  std::uint32_t* predicates = nullptr;   ///< a bit for each lane
  Block* block = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t reconverge = nowhere;    ///< where the active lanes meet those of the path below
  std::uint32_t active = 0;
  std::uint32_t alive = 0;               ///< lanes that have not returned
  std::vector<Path> paths;               ///< the last one is next
  std::uint32_t first_thread = 0;
  std::uint32_t synchronised = 0;        ///< how often this warp synchronised its own lanes
  std::uint32_t barrier = 0;             ///< where it waits
  State state = State::runs;

  template <typename T>
  T* target(std::uint32_t operand) const {
    return reinterpret_cast<T*>(bases[0] + operand);
  }
  template <typename T>
  const T* source(std::uint32_t operand) const {
    return reinterpret_cast<const T*>(bases[operand >> 31] + (operand & ~constant_bit));
  }
};

struct InstructionCount {
  std::uint64_t issued = 0;
  std::uint64_t threads = 0;
};

/// Everything a host thread needs to run blocks, one after the other.
struct Block {
  // The launch.
  const Kernel* kernel = nullptr;
  const Program* program = nullptr;
  Memory* memory = nullptr;
  const std::byte* parameters = nullptr;
  Dim3 grid, shape;
  Checks checks;
  unsigned multiprocessors = 1;

  // This block.
  Dim3 number;
  std::vector<Warp> warps;
  std::vector<std::byte> registers;      ///< of all warps
  std::vector<std::uint32_t> predicates;
  std::vector<std::byte> shared;
  std::vector<std::byte> local;          ///< [thread][byte]
  SharedCheck shared_check;
  Cache l1{0, 4};
  std::vector<std::uint64_t> log;        ///< what went to the L2: line << 5 | sectors << 1 | is write
  std::uint64_t issued = 0;              ///< warp instructions of this block

  // What this host thread did.
  std::vector<InstructionCount> counts;  ///< by instruction
  std::vector<Allocation> last;          ///< by instruction: the allocation it touched last
  Counters counters;

  void touch(std::uint64_t line, unsigned sectors, bool is_write, bool is_cached);
};

/// Throws KernelFault: "kernel K, line 12 (add.f32 ...), block (0,0,0), thread (3,0,0): SENTENCE".
[[noreturn]] void fail(const Warp& warp, const Instruction& instruction, unsigned lane, FaultKind kind, const std::string& sentence);
[[noreturn]] void fail_outside(const Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address, std::size_t bytes);
[[noreturn]] void fail_outside_shared(const Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address, std::size_t bytes);
[[noreturn]] void fail_misaligned(const Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address, std::size_t bytes);

/// Notes an access of shared memory by the lanes of the mask; fails where it races with another.
void check_race(const Warp& warp, const Instruction& instruction, std::uint32_t mask, const std::uint32_t* offsets, std::uint32_t bytes, SharedAccess access);

/// Runs a warp until it waits, is done, or has had its turn (`most` instructions, checked at branches).
using RunWarp = void (*)(Warp& warp, std::uint64_t most);

/// Runs the block `number` to its end.
void run_block(Block& block, RunWarp run);

}  // namespace lacuna::sim
