// Thread instructions a second of the PTX simulator on a sparse layer: 256 inputs a block, activations staged in shared memory, (offset, weight) pairs read by all
// threads at once, eight multiply-adds a turn. The answer is checked before anything is printed. One JSON line for each setting of the checks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "devices/sim/launch.hpp"
#include "devices/sim/predict.hpp"

namespace {

using namespace lacuna;

constexpr unsigned inputs = 4096, neurons = 1024, nonzeros = 32, block_threads = 256, staged = 32;

/// y[row][input] = clip(sum of weight * x[source][input]); x in planes. A block has 256 inputs and walks over all rows; sources of a row lie in a stretch of 32 planes.
std::string kernel_text() {
  std::string text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry layer(.param .u64 x, .param .u64 y, .param .u64 pairs, .param .u32 rows)
.reqntid 256
{
  .reg .u32 %r<40>; .reg .u64 %rd<20>; .reg .f32 %f<60>; .reg .pred %p<4>;
  .shared .align 16 .b8 stage[32768];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [pairs];
  ld.param.u32 %r1, [rows];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 256, %r2;
  mul.wide.u32 %rd4, %r4, 4;
  add.u64 %rd1, %rd1, %rd4;
  add.u64 %rd2, %rd2, %rd4;
  shl.b32 %r5, %r2, 2;
  mov.u32 %r6, stage;
  add.u32 %r6, %r6, %r5;
  mov.u32 %r7, 0;
ROWS:
  and.b32 %r8, %r7, 31;
  setp.ne.u32 %p1, %r8, 0;
  @%p1 bra STAGED;
  bar.sync 0;
)";
  for (unsigned i = 0; i < staged; ++i) text += fmt::format("  ld.global.f32 %f{}, [%rd1+{}];\n  st.shared.f32 [%r6+{}], %f{};\n", 20 + i % 8, i * inputs * 4, i * block_threads * 4, 20 + i % 8);
  text += "  add.u64 %rd1, %rd1, " + std::to_string(staged * inputs * 4) + ";\n  bar.sync 0;\nSTAGED:\n  mov.f32 %f1, 0f00000000;\n  mov.u32 %r9, 0;\nNONZEROS:\n";
  for (unsigned i = 0; i < 8; ++i) text += fmt::format("  ld.global.nc.v2.b32 {{%r{}, %f{}}}, [%rd3+{}];\n  add.u32 %r{}, %r{}, %r6;\n  ld.shared.f32 %f{}, [%r{}];\n  fma.rn.f32 %f1, %f{}, %f{}, %f1;\n",
                                                       10 + i, 2 + i, 8 * i, 20 + i, 10 + i, 30 + i, 20 + i, 2 + i, 30 + i);
  text += R"(
  add.u64 %rd3, %rd3, 64;
  add.u32 %r9, %r9, 8;
  setp.lt.u32 %p2, %r9, 32;
  @%p2 bra NONZEROS;
  max.f32 %f1, %f1, 0f00000000;
  min.f32 %f1, %f1, 0f42000000;
  st.global.f32 [%rd2], %f1;
  add.u64 %rd2, %rd2, )" + std::to_string(inputs * 4) + R"(;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, %r1;
  @%p3 bra ROWS;
  ret;
}
)";
  return text;
}

struct Problem {
  std::vector<float> x = std::vector<float>(std::size_t{inputs} * neurons), y = x;
  std::vector<std::pair<std::uint32_t, float>> pairs;

  Problem() {
    std::mt19937 random(1);
    for (float& value : x) value = static_cast<float>(random() % 1000) / 1000;
    for (unsigned row = 0; row < neurons; ++row)
      for (unsigned k = 0; k < nonzeros; ++k) pairs.emplace_back(random() % staged * block_threads * 4, static_cast<float>(static_cast<int>(random() % 200) - 100) / 100);
  }
  float expected(unsigned row, unsigned input) const {
    float sum = 0;
    for (unsigned k = 0; k < nonzeros; ++k) {
      const auto& [offset, weight] = pairs[row * nonzeros + k];
      sum = std::fma(weight, x[(std::size_t{row} / staged * staged + offset / (block_threads * 4)) * inputs + input], sum);
    }
    return std::min(std::max(sum, 0.0f), 32.0f);
  }
};

void run(const sim::Kernel& kernel, Problem& problem, sim::Checks checks, const char* name) {
  sim::Memory memory(std::size_t{1} << 30);
  sim::Machine machine(sim::model_named("a100"), checks);
  const std::size_t bytes = problem.x.size() * 4, pair_bytes = problem.pairs.size() * 8;
  const sim::Address x = memory.allocate(bytes), y = memory.allocate(bytes), pairs = memory.allocate(pair_bytes);
  std::memcpy(memory.lookup(x, bytes), problem.x.data(), bytes);
  std::memcpy(memory.lookup(pairs, pair_bytes), problem.pairs.data(), pair_bytes);
  struct { sim::Address x, y, pairs; std::uint32_t rows; } parameters = {x, y, pairs, neurons};
  const sim::LaunchShape shape = {{inputs / block_threads}, {block_threads}, 0};
  double best = 1e9;
  sim::Counters counters;
  for (int repeat = 0; repeat < 3; ++repeat) {
    machine.forget_l2();
    const std::clock_t begin = std::clock();  // of all threads of this process: other programs do not disturb it
    counters = sim::launch(kernel, shape, std::as_bytes(std::span(&parameters, 1)), memory, machine);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::memcpy(problem.y.data(), memory.lookup(y, bytes), bytes);
  for (unsigned i = 0; i < 2000; ++i) {
    const unsigned row = i * 7919u % neurons, input = i * 104729u % inputs;
    if (problem.y[std::size_t{row} * inputs + input] != problem.expected(row, input)) throw InternalError(fmt::format("row {}, input {} is wrong", row, input));
  }
  const sim::Prediction time = sim::predict(counters, machine.model());
  fmt::print("{{\"bench\": \"sim\", \"checks\": \"{}\", \"threads\": {}, \"cpu_seconds\": {:.4f}, \"thread_instructions\": {}, \"million_a_core_second\": {:.0f}, \"warp_instructions\": {}, "
             "\"conflict_cycles\": {}, \"sectors_read\": {}, \"dram_bytes_read\": {}, \"predicted_a100_us\": {:.1f}, \"bound\": \"{}\", \"verified\": true}}\n",
             name, checks.threads, best, counters.thread_instructions, static_cast<double>(counters.thread_instructions) / best * 1e-6, counters.warp_instructions,
             counters.shared_conflict_cycles, counters.sectors_read, counters.dram_bytes_read, time.seconds * 1e6, time.bound());
}

}  // namespace

int main() {
  try {
    const sim::Module module = sim::Module::parse(kernel_text(), "layer.ptx");
    const sim::Kernel& kernel = *module.find("layer");
    Problem problem;
    run(kernel, problem, {.races = false, .caches = false, .threads = 1}, "bounds");
    run(kernel, problem, {.races = false, .caches = true, .threads = 1}, "bounds, caches");
    run(kernel, problem, {.races = true, .caches = true, .threads = 1}, "bounds, caches, races");
    run(kernel, problem, {.races = false, .caches = true, .threads = 0}, "bounds, caches");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
