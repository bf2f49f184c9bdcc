// Runs a warp. Where its lanes part at a branch, those that jump go first and the others wait; both meet again at the branch's immediate post-dominator.
#if defined(LACUNA_SIM_LANES_RUN) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_SIM_LANES_RUN
#undef LACUNA_SIM_LANES_RUN
#else
#define LACUNA_SIM_LANES_RUN
#endif

#include <bit>

#include "devices/sim/warp.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

/// The next path with lanes that are alive becomes the active one; without any the warp is done.
inline void take_next_path(Warp& warp) {
  while (!warp.paths.empty()) {
    const Path path = warp.paths.back();
    warp.paths.pop_back();
    warp.active = path.mask & warp.alive;
    warp.pc = path.pc;
    warp.reconverge = path.reconverge;
    if (warp.active != 0) return;
  }
  warp.active = 0;
  warp.state = Warp::State::done;
}

inline bool is_plain_exit(const Instruction& in) { return in.flow == Flow::exit && in.guard == 1; }

/// Lanes that jump to a return, or fall into one, return at once: others need not wait for them at barriers.
inline bool branch_to_exit(Warp& warp, const Instruction& in, std::uint32_t taken, std::uint32_t others) {
  const Instruction* const code = warp.block->program->instructions.data();
  const bool taken_leave = is_plain_exit(code[in.target]);
  if (!taken_leave && !is_plain_exit(code[warp.pc + 1])) return false;
  const std::uint32_t leaving = taken_leave ? taken : others;
  InstructionCount& count = warp.block->counts[taken_leave ? in.target : warp.pc + 1];
  ++count.issued;
  count.threads += static_cast<unsigned>(std::popcount(leaving));
  ++warp.block->issued;
  warp.alive &= ~leaving;
  warp.active &= ~leaving;
  warp.pc = taken_leave ? warp.pc + 1 : in.target;
  return true;
}

inline void branch(Warp& warp, const Instruction& in, std::uint32_t taken) {
  const std::uint32_t others = warp.active & ~taken;
  if (others == 0) {
    warp.pc = in.target;
  } else if (taken == 0) {
    ++warp.pc;
  } else {
    ++warp.block->counters.divergent_branches;
    if (branch_to_exit(warp, in, taken, others)) return;
    if (in.reconverge != warp.reconverge && in.reconverge != nowhere) warp.paths.push_back({in.reconverge, warp.reconverge, warp.active});
    const std::uint32_t meeting = in.reconverge;
    if (warp.pc + 1 != meeting) warp.paths.push_back({warp.pc + 1, meeting, others});
    if (in.target != meeting) warp.paths.push_back({in.target, meeting, taken});
    take_next_path(warp);
  }
}

inline void run_warp(Warp& warp, std::uint64_t most) {
  Block& block = *warp.block;
  const Instruction* const code = block.program->instructions.data();
  InstructionCount* const counts = block.counts.data();
  const std::uint64_t end = block.issued + most;
  while (warp.state == Warp::State::runs) {
    if (warp.pc == warp.reconverge) {
      take_next_path(warp);
      continue;
    }
    const Instruction& in = code[warp.pc];
    const std::uint32_t mask = warp.active & (warp.predicates[in.guard] ^ in.guard_flip);
    InstructionCount& count = counts[in.index];
    ++count.issued;
    count.threads += static_cast<unsigned>(std::popcount(mask));
    ++block.issued;
    switch (in.flow) {
      case Flow::next:
        if (mask != 0) in.handler(warp, in, mask);
        ++warp.pc;
        break;
      case Flow::branch:
        branch(warp, in, mask);
        if (block.issued >= end) return;
        break;
      case Flow::exit:
        warp.alive &= ~mask;
        warp.active &= ~mask;
        ++warp.pc;
        if (warp.active == 0) take_next_path(warp);
        break;
      case Flow::barrier:
        ++warp.pc;
        if (mask == 0) break;
        if (mask != warp.alive)
          fail(warp, in, static_cast<unsigned>(std::countr_zero(mask)), FaultKind::barrier,
               "only " + std::to_string(std::popcount(mask)) + " of the warp's " + std::to_string(std::popcount(warp.alive)) + " threads come to the barrier; the others went another way");
        ++block.counters.barriers;
        warp.barrier = in.a;
        warp.state = Warp::State::waits;
        break;
      case Flow::trap:
        if (mask != 0) fail(warp, in, static_cast<unsigned>(std::countr_zero(mask)), FaultKind::trap, "the kernel gave up");
        ++warp.pc;
        break;
    }
  }
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
