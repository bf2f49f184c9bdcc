// A block from its first instruction to its end: warps take turns, and wait for each other at barriers.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "devices/sim/warp.hpp"

namespace lacuna::sim {

namespace {

constexpr std::uint64_t turn = 256;  // warp instructions until the next warp runs: so that they move on together, as on a GPU, and find each other's lines in the L1

Dim3 thread_of(const Block& block, std::uint32_t thread) {
  return {thread % block.shape.x, thread / block.shape.x % block.shape.y, thread / block.shape.x / block.shape.y};
}

std::string text_of(Dim3 at) { return fmt::format("({},{},{})", at.x, at.y, at.z); }

std::uint32_t special_value(const Block& block, Special special, std::uint32_t thread) {
  const Dim3 at = thread_of(block, thread);
  const std::uint32_t lane = thread % lanes;
  switch (special) {
    case Special::tid_x: return at.x;
    case Special::tid_y: return at.y;
    case Special::tid_z: return at.z;
    case Special::ntid_x: return block.shape.x;
    case Special::ntid_y: return block.shape.y;
    case Special::ntid_z: return block.shape.z;
    case Special::ctaid_x: return block.number.x;
    case Special::ctaid_y: return block.number.y;
    case Special::ctaid_z: return block.number.z;
    case Special::nctaid_x: return block.grid.x;
    case Special::nctaid_y: return block.grid.y;
    case Special::nctaid_z: return block.grid.z;
    case Special::laneid: return lane;
    case Special::warpid: return thread / lanes;
    case Special::nwarpid: return static_cast<std::uint32_t>((block.shape.count() + lanes - 1) / lanes);
    case Special::smid: return (block.number.x + block.grid.x * (block.number.y + block.grid.y * block.number.z)) % block.multiprocessors;
    case Special::nsmid: return block.multiprocessors;
    case Special::lanemask_eq: return 1u << lane;
    case Special::lanemask_lt: return (1u << lane) - 1;
    case Special::lanemask_le: return (2u << lane) - 1;
    case Special::lanemask_gt: return ~((2u << lane) - 1);
    case Special::lanemask_ge: return ~((1u << lane) - 1);
  }
  return 0;
}

void start_warp(Block& block, std::size_t w) {
  const Program& program = *block.program;
  const auto threads = static_cast<std::uint32_t>(block.shape.count());
  Warp& warp = block.warps[w];
  warp.block = &block;
  warp.bases = {block.registers.data() + w * program.register_bytes, const_cast<std::byte*>(program.constants.data())};
  warp.predicates = block.predicates.data() + w * program.predicates;
  warp.first_thread = static_cast<std::uint32_t>(w * lanes);
  const std::uint32_t count = std::min(threads - warp.first_thread, lanes);
  warp.alive = warp.active = count == lanes ? all_lanes : (1u << count) - 1;
  warp.pc = 0;
  warp.reconverge = nowhere;
  warp.paths.clear();
  warp.synchronised = 0;
  warp.state = Warp::State::runs;
  std::fill(warp.predicates, warp.predicates + program.predicates, 0);
  warp.predicates[1] = all_lanes;
  for (const SpecialPlace& place : program.specials) {
    std::uint32_t* const values = warp.target<std::uint32_t>(place.offset);
    for (unsigned i = 0; i < lanes; ++i) values[i] = special_value(block, place.special, warp.first_thread + i);
  }
}

void start_block(Block& block) {
  std::memset(block.registers.data(), 0xff, block.registers.size());  // what was never written is no number
  if (!block.shared.empty()) std::memset(block.shared.data(), 0xff, block.shared.size());
  block.issued = 0;
  block.log.clear();
  if (block.checks.caches) block.l1.clear();
  if (block.checks.races) block.shared_check.start(block.shared.size(), block.program->has_narrow_shared, block.program->has_warp_barriers);
  for (std::size_t w = 0; w < block.warps.size(); ++w) start_warp(block, w);
}

/// All that are not done wait: they go on, if all wait at the same barrier.
void release_barrier(Block& block) {
  const Warp* first = nullptr;
  for (const Warp& warp : block.warps) {
    if (warp.state != Warp::State::waits) continue;
    if (first == nullptr) first = &warp;
    if (warp.barrier != first->barrier)
      fail(warp, block.program->instructions[warp.pc - 1], static_cast<unsigned>(std::countr_zero(warp.active)), FaultKind::barrier,
           fmt::format("this warp waits at barrier {}, the one of thread {} at barrier {}: neither will go on", warp.barrier, text_of(thread_of(block, first->first_thread)), first->barrier));
  }
  for (Warp& warp : block.warps)
    if (warp.state == Warp::State::waits) warp.state = Warp::State::runs;
  if (block.checks.races) block.shared_check.barrier();
}

}  // namespace

void run_block(Block& block, RunWarp run) {
  start_block(block);
  for (;;) {
    bool is_any_running = false, is_any_waiting = false;
    for (Warp& warp : block.warps) {
      if (warp.state == Warp::State::runs) run(warp, block.warps.size() > 1 ? turn : std::uint64_t{1} << 20);
      is_any_running |= warp.state == Warp::State::runs;
      is_any_waiting |= warp.state == Warp::State::waits;
      if (block.checks.most_warp_instructions != 0 && block.issued > block.checks.most_warp_instructions)
        throw KernelFault(FaultKind::too_long, fmt::format("kernel {}, block {}: more than {} warp instructions; it may never end", block.kernel->name, text_of(block.number),
                                                           block.checks.most_warp_instructions));
    }
    if (is_any_running) continue;
    if (!is_any_waiting) return;
    release_barrier(block);
  }
}

void Block::touch(std::uint64_t line, unsigned sectors, bool is_write, bool is_cached) {
  const auto count = static_cast<unsigned>(std::popcount(sectors));
  (is_write ? counters.sectors_written : counters.sectors_read) += count;
  if (!checks.caches) return;
  if (is_cached) {
    const unsigned missing = l1.fetch(line, sectors);
    counters.l1_hit_bytes += (count - static_cast<unsigned>(std::popcount(missing))) * std::uint64_t{32};
    if (missing == 0) return;
    sectors = missing;
  }
  log.push_back(line << 5 | sectors << 1 | (is_write ? 1 : 0));
}

void fail(const Warp& warp, const Instruction& in, unsigned lane, FaultKind kind, const std::string& sentence) {
  const Block& block = *warp.block;
  throw KernelFault(kind, fmt::format("kernel {}, line {} ({}), block {}, thread {}: {}", block.kernel->name, in.line, block.program->texts[in.index], text_of(block.number),
                                      text_of(thread_of(block, warp.first_thread + lane)), sentence));
}

void fail_outside(const Warp& warp, const Instruction& in, unsigned lane, std::uint64_t address, std::size_t bytes) {
  fail(warp, in, lane, FaultKind::out_of_bounds, fmt::format("{} bytes at {:#x} are not allocated: {}", bytes, address, warp.block->memory->describe(address)));
}

void fail_outside_shared(const Warp& warp, const Instruction& in, unsigned lane, std::uint64_t address, std::size_t bytes) {
  fail(warp, in, lane, FaultKind::out_of_bounds, fmt::format("{} bytes at {} are outside of the block's {} bytes of shared memory", bytes, address, warp.block->shared.size()));
}

void fail_misaligned(const Warp& warp, const Instruction& in, unsigned lane, std::uint64_t address, std::size_t bytes) {
  fail(warp, in, lane, FaultKind::misaligned, fmt::format("the address {:#x} is no multiple of the {} bytes of the access", address, bytes));
}

void check_race(const Warp& warp, const Instruction& in, std::uint32_t mask, const std::uint32_t* offsets, std::uint32_t bytes, SharedAccess access) {
  Block& block = *warp.block;
  Race race;
  if (!block.shared_check.note({offsets, mask, bytes, warp.first_thread, in.index, warp.synchronised, access}, race)) return;
  fail(warp, in, race.lane, FaultKind::race,
       fmt::format("a race at {} of shared memory with thread {}, which {} it at line {} ({}) without a barrier in between", offsets[race.lane], text_of(thread_of(block, race.thread)),
                   race.is_write ? "wrote" : "read", block.program->instructions[race.instruction].line, block.program->texts[race.instruction]));
}

}  // namespace lacuna::sim
