// A launch: blocks in waves over the host's threads, each wave's traffic replayed through the L2 in a fixed order, so that nothing depends on how the
// threads ran.
#include "devices/sim/launch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/round_up.hpp"
#include "devices/sim/cache.hpp"
#include "devices/sim/operations.hpp"
#include "devices/sim/warp.hpp"

namespace lacuna::sim {

namespace {

constexpr unsigned l2_ways = 16, l1_ways = 4;
constexpr std::size_t log_entries = std::size_t{1} << 25;  // of a wave: 256 MiB
constexpr std::size_t replay_turn = 32;                    // entries of a block until the next block's turn

using base::round_up;

std::size_t shared_of(const Kernel& kernel, const LaunchShape& shape) {
  return shape.dynamic_shared_bytes == 0 ? kernel.shared_bytes : round_up(kernel.shared_bytes, 16) + shape.dynamic_shared_bytes;
}

void check_shape(const Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> parameters, const Model& model) {
  const auto wrong = [&](const std::string& sentence) { throw InputError(fmt::format("kernel {}: {}", kernel.name, sentence)); };
  const std::uint64_t threads = shape.block.count();
  if (threads == 0 || shape.grid.count() == 0) wrong("a launch needs at least one block of at least one thread");
  if (threads > 1024) wrong(fmt::format("{} threads in a block, at most 1024 are possible", threads));
  if (shape.grid.y > 65535 || shape.grid.z > 65535) wrong(fmt::format("a grid of {} x {} x {} blocks, at most 65535 are possible in y and z", shape.grid.x, shape.grid.y, shape.grid.z));
  const std::uint32_t* const required = kernel.required_threads;
  if (required[0] != 0 && (shape.block.x != required[0] || shape.block.y != required[1] || shape.block.z != required[2]))
    wrong(fmt::format("launched with blocks of {} x {} x {} threads, but .reqntid wants {} x {} x {}", shape.block.x, shape.block.y, shape.block.z, required[0], required[1], required[2]));
  if (kernel.most_threads != 0 && threads > kernel.most_threads) wrong(fmt::format("launched with blocks of {} threads, but .maxntid allows {}", threads, kernel.most_threads));
  if (parameters.size() < kernel.parameter_bytes) wrong(fmt::format("{} bytes of parameters were given, {} are needed", parameters.size(), kernel.parameter_bytes));
  const std::size_t shared = shared_of(kernel, shape);
  if (shared > model.block_shared_bytes) wrong(fmt::format("{} bytes of shared memory for a block, {} has {}", shared, model.full_name, model.block_shared_bytes));
  if (!kernel.program->is_placed) wrong("its module has variables that were not placed in memory yet");
  if (occupancy(kernel, shape, model).blocks == 0) wrong(fmt::format("{} registers for each of {} threads are more than the {} of a multiprocessor", kernel.registers, threads, model.registers));
}

/// A host thread's block, ready to run any block of the launch.
void prepare(Block& block, const Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> parameters, Memory& memory, const Machine& machine, const Occupancy& held) {
  const std::size_t warps = (shape.block.count() + lanes - 1) / lanes, shared = shared_of(kernel, shape);
  block.kernel = &kernel;
  block.program = kernel.program.get();
  block.memory = &memory;
  block.parameters = parameters.data();
  block.grid = shape.grid;
  block.shape = shape.block;
  block.checks = machine.checks;
  block.multiprocessors = machine.model().multiprocessors;
  block.warps.resize(warps);
  block.registers.resize(warps * kernel.program->register_bytes);
  block.predicates.resize(warps * kernel.program->predicates);
  block.shared.resize(shared);
  block.local.resize(shape.block.count() * kernel.local_bytes);
  block.counts.resize(kernel.program->instructions.size());
  block.last.resize(kernel.program->instructions.size());
  const std::size_t taken = held.blocks * (shared + machine.model().reserved_shared_bytes), l1 = machine.model().l1_bytes;
  if (machine.checks.caches) block.l1 = Cache((l1 > taken ? l1 - taken : 0) / held.blocks, l1_ways);
}

/// The traffic of blocks that are on the GPU at the same time, in turns.
void replay(const std::vector<std::vector<std::uint64_t>>& logs, Cache& l2, Counters& counters) {
  for (std::size_t begin = 0, is_any_left = 1; is_any_left != 0; begin += replay_turn) {
    is_any_left = 0;
    for (const std::vector<std::uint64_t>& log : logs) {
      const std::size_t end = std::min(log.size(), begin + replay_turn);
      for (std::size_t i = begin; i < end; ++i) {
        const bool is_write = (log[i] & 1) != 0;
        const CacheOutcome outcome = l2.access(log[i] >> 5, static_cast<unsigned>(log[i] >> 1) & 15u, is_write);
        counters.l2_hit_bytes += outcome.hit_sectors * std::uint64_t{32};
        counters.l2_miss_bytes += outcome.missed_sectors * std::uint64_t{32};
        if (!is_write) counters.dram_bytes_read += outcome.missed_sectors * std::uint64_t{32};
        counters.dram_bytes_written += outcome.evicted_dirty_sectors * std::uint64_t{32};
      }
      if (end < log.size()) is_any_left = 1;
    }
  }
}

void count_instructions(const Block& block, Counters& counters, std::vector<std::uint64_t>* by_line) {
  const std::vector<Instruction>& code = block.program->instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    counters.of(code[i].kind) += block.counts[i].issued;
    counters.warp_instructions += block.counts[i].issued;
    counters.thread_instructions += block.counts[i].threads;
    if (by_line == nullptr) continue;
    if (by_line->size() <= code[i].line) by_line->resize(code[i].line + 1);
    (*by_line)[code[i].line] += block.counts[i].issued;
  }
}

}  // namespace

Machine::Machine(const Model& model, Checks wanted) : checks(wanted), model_(&model), l2_(std::make_unique<Cache>(model.l2_bytes, l2_ways)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
void Machine::forget_l2() { l2_->clear(); }

Occupancy occupancy(const Kernel& kernel, const LaunchShape& shape, const Model& model) {
  const auto warps = static_cast<unsigned>((shape.block.count() + lanes - 1) / lanes);
  const std::size_t shared = shared_of(kernel, shape) == 0 && model.reserved_shared_bytes == 0 ? 0 : round_up(shared_of(kernel, shape) + model.reserved_shared_bytes, 256);
  const unsigned warp_registers = static_cast<unsigned>(round_up(std::max(1u, kernel.registers) * lanes, 256));
  const std::pair<unsigned, std::string_view> limits[] = {
      {model.most_threads / lanes / warps, "threads"},
      {model.registers / warp_registers / warps, "registers"},
      {shared == 0 ? ~0u : static_cast<unsigned>(model.shared_bytes / shared), "shared memory"},
      {model.most_blocks, "blocks"},
  };
  const auto least = std::min_element(std::begin(limits), std::end(limits), [](const auto& a, const auto& b) { return a.first < b.first; });
  const unsigned most_warps = model.most_threads / lanes;
  return {least->first, least->first * warps, static_cast<double>(least->first * warps) / most_warps, least->second};
}

namespace {

/// Runs blocks [begin, begin + count) on all host threads. Where several fail, the failure of the first one is thrown, however the threads ran.
void run_wave(std::vector<Block>& blocks, std::uint64_t begin, std::uint64_t count, std::vector<std::vector<std::uint64_t>>& logs) {
  const RunWarp run = lane_table().run;
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<std::uint64_t> failed = count;
  base::parallel_for(static_cast<unsigned>(blocks.size()), count, [&](std::size_t task, unsigned worker) {
    if (task > failed.load()) return;
    Block& block = blocks[worker];
    const std::uint64_t number = begin + task;
    block.number = {static_cast<std::uint32_t>(number % block.grid.x), static_cast<std::uint32_t>(number / block.grid.x % block.grid.y),
                    static_cast<std::uint32_t>(number / block.grid.x / block.grid.y)};
    try {
      run_block(block, run);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (task < failed) failed = task, failure = std::current_exception();
    }
    if (block.checks.caches) logs[task] = std::move(block.log), block.log = {};
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

Counters launch(const Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> parameters, Memory& memory, Machine& machine, std::vector<std::uint64_t>* by_line) {
  check_shape(kernel, shape, parameters, machine.model());
  const Occupancy held = occupancy(kernel, shape, machine.model());
  const std::uint64_t count = shape.grid.count();
  const unsigned threads = kernel.program->depends_on_order ? 1 : static_cast<unsigned>(std::min<std::uint64_t>(base::thread_count(machine.checks.threads), count));
  std::vector<Block> blocks(threads);
  for (Block& block : blocks) prepare(block, kernel, shape, parameters, memory, machine, held);

  Counters counters;
  const bool is_cached = machine.checks.caches;
  const std::uint64_t resident = std::uint64_t{held.blocks} * machine.model().multiprocessors;
  std::uint64_t wave = is_cached ? std::min<std::uint64_t>(resident, 16) : count;  // a small one first, which tells how long the logs are
  std::vector<std::vector<std::uint64_t>> logs;
  for (std::uint64_t begin = 0; begin < count; begin += wave) {
    if (begin > 0 && is_cached) {
      std::size_t longest = 1;
      for (const auto& log : logs) longest = std::max(longest, log.size());
      wave = std::clamp<std::uint64_t>(log_entries / longest, 1, resident);
    }
    const std::uint64_t tasks = std::min(wave, count - begin);
    if (is_cached) logs.resize(tasks);
    run_wave(blocks, begin, tasks, logs);
    if (is_cached) replay(logs, machine.l2(), counters);
  }
  for (const Block& block : blocks) {
    counters += block.counters;
    count_instructions(block, counters, by_line);
  }
  counters.launches = 1;
  counters.blocks = count;
  counters.threads = count * shape.block.count();
  counters.occupancy = held;
  return counters;
}

}  // namespace lacuna::sim
