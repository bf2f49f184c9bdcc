// What is counted, on patterns whose figures are known; occupancy and predictions against cases worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/sim/cache.hpp"
#include "devices/sim/predict.hpp"
#include "support/sim_kernel.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using tests::sim_text;
using u32 = std::uint32_t;

/// Counters of one warp that loads [p0 + tid * stride + offset].
sim::Counters load_with(u32 stride, u32 offset, const std::string& load = "ld.global.f32 %f0", u32 threads = 32) {
  SimKernel kernel(sim_text(1, "mul.wide.u32 %rd1, %r0, " + std::to_string(stride) + ";\nadd.u64 %rd1, %rd1, %rd0;\n" + load + ", [%rd1+" + std::to_string(offset) + "];"));
  return kernel.run({{1}, {threads}}, {kernel.upload(std::vector<u32>(32 * 64 + 64))});
}

TEST(SimCounters, SectorsOfGlobalMemory) {
  EXPECT_EQ(load_with(4, 0).sectors_read, 4u);      // 128 bytes side by side
  EXPECT_EQ(load_with(4, 16).sectors_read, 5u);     // not at the border of a sector
  EXPECT_EQ(load_with(8, 0).sectors_read, 8u);      // every other word
  EXPECT_EQ(load_with(0, 0).sectors_read, 1u);      // all the same
  EXPECT_EQ(load_with(32, 0).sectors_read, 32u);    // a sector each
  EXPECT_EQ(load_with(256, 0).sectors_read, 32u);
  EXPECT_EQ(load_with(4, 0, "ld.global.f32 %f0", 8).sectors_read, 1u);
  EXPECT_EQ(load_with(16, 0, "ld.global.v4.f32 {%f0, %f1, %f2, %f3}").sectors_read, 16u);
  const sim::Counters one = load_with(4, 0);
  EXPECT_EQ(one.global_requests, 1u);
  EXPECT_EQ(one.sectors_written, 0u);
  EXPECT_EQ(one.of(sim::Kind::load_global), 1u);
  EXPECT_EQ(one.of(sim::Kind::load_constant), 1u);
}

/// Counters of one warp that reads shared memory at tid * stride (or what `address` computes from %r0 into %r1).
sim::Counters shared_with(const std::string& address, const std::string& load = "ld.shared.f32 %f0, [%r1];") {
  SimKernel kernel(sim_text(0, address + "\n" + load, ".shared .align 16 .b8 s[16384];\n"));
  return kernel.run({{1}, {32}}, {});
}

TEST(SimCounters, BankConflicts) {
  const auto stride = [](u32 bytes) { return "mul.lo.u32 %r1, %r0, " + std::to_string(bytes) + ";"; };
  EXPECT_EQ(shared_with(stride(4)).shared_conflict_cycles, 0u);
  EXPECT_EQ(shared_with(stride(0)).shared_conflict_cycles, 0u);    // all the same word
  EXPECT_EQ(shared_with(stride(8)).shared_conflict_cycles, 1u);
  EXPECT_EQ(shared_with(stride(16)).shared_conflict_cycles, 3u);
  EXPECT_EQ(shared_with(stride(128)).shared_conflict_cycles, 31u);
  EXPECT_EQ(shared_with(stride(132)).shared_conflict_cycles, 0u);  // a word of padding
  EXPECT_EQ(shared_with("and.b32 %r1, %r0, 15; shl.b32 %r1, %r1, 2;").shared_conflict_cycles, 0u);  // pairs of lanes at one word
  EXPECT_EQ(shared_with("xor.b32 %r1, %r0, 21; shl.b32 %r1, %r1, 2;").shared_conflict_cycles, 0u);
}

TEST(SimCounters, WideSharedAccessesTakePhases) {
  const sim::Counters quads = shared_with("mul.lo.u32 %r1, %r0, 16;", "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r1];");
  EXPECT_EQ(quads.shared_cycles, 4u);
  EXPECT_EQ(quads.shared_conflict_cycles, 0u);
  const sim::Counters pairs = shared_with("mul.lo.u32 %r1, %r0, 16;", "ld.shared.v2.f32 {%f0, %f1}, [%r1];");  // half a warp: 16 lanes, 8 different bank pairs
  EXPECT_EQ(pairs.shared_cycles, 4u);
  EXPECT_EQ(pairs.shared_conflict_cycles, 2u);
  const sim::Counters same = shared_with("mov.u32 %r1, 32;", "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r1];");
  EXPECT_EQ(same.shared_cycles, 1u);
}

const std::string copy = R"(
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r1, %r1, %r2, %r0;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd2, %rd0;
  ld.global.f32 %f0, [%rd3];
  ld.global.f32 %f1, [%rd3];
  add.u64 %rd3, %rd2, %rd1;
  st.global.f32 [%rd3], %f0;
)";

TEST(SimCounters, CachesRememberWhatWasRead) {
  SimKernel kernel(sim_text(2, copy));
  constexpr u32 bytes = 64 * 256 * 4;
  const sim::Address in = kernel.upload(std::vector<u32>(bytes / 4)), out = kernel.upload(std::vector<u32>(bytes / 4));
  const sim::Counters first = kernel.run({{64}, {256}}, {in, out});
  EXPECT_EQ(first.sectors_read * 32, 2u * bytes);
  EXPECT_EQ(first.l1_hit_bytes, bytes);           // the second load
  EXPECT_EQ(first.dram_bytes_read, bytes);
  EXPECT_EQ(first.l2_miss_bytes, 2u * bytes);     // read once, written once
  EXPECT_EQ(first.dram_bytes_written, 0u);        // still in the L2
  const sim::Counters second = kernel.run({{64}, {256}}, {in, out});
  EXPECT_EQ(second.l2_hit_bytes, 2u * bytes);
  EXPECT_EQ(second.dram_bytes_read, 0u);
  kernel.machine.forget_l2();
  EXPECT_EQ(kernel.run({{64}, {256}}, {in, out}).dram_bytes_read, bytes);
  kernel.machine.checks.caches = false;
  const sim::Counters without = kernel.run({{64}, {256}}, {in, out});
  EXPECT_EQ(without.sectors_read, first.sectors_read);
  EXPECT_EQ(without.dram_bytes_read, 0u);
}

TEST(SimCounters, WhatDoesNotFitTheL2IsWrittenBack) {
  SimKernel kernel(sim_text(2, copy));
  constexpr u32 bytes = 16384 * 256 * 4;  // 16 MiB in, 16 out; the L2 of a V100 has 6
  const sim::Address in = kernel.upload(std::vector<u32>(bytes / 4)), out = kernel.upload(std::vector<u32>(bytes / 4));
  const sim::Counters counters = kernel.run({{16384}, {256}}, {in, out});
  EXPECT_EQ(counters.dram_bytes_read, bytes);
  EXPECT_GT(counters.dram_bytes_written, bytes - (7u << 20));
  EXPECT_LE(counters.dram_bytes_written, bytes);
}

TEST(SimCounters, NothingDependsOnTheNumberOfThreads) {
  std::vector<sim::Counters> counters;
  std::vector<std::vector<float>> results;
  for (const unsigned threads : {1u, 2u, 3u}) {
    SimKernel kernel(sim_text(2, copy), {.threads = threads});
    std::vector<float> values(1000 * 96);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const sim::Address in = kernel.upload(values), out = kernel.upload(std::vector<u32>(values.size()));
    counters.push_back(kernel.run({{1000}, {96}}, {in, out}));
    results.push_back(kernel.download<float>(out, values.size()));
    EXPECT_EQ(results.back(), values);
  }
  for (const sim::Counters& other : counters) {
    EXPECT_EQ(other.warp_instructions_by_kind, counters[0].warp_instructions_by_kind);
    EXPECT_EQ(other.thread_instructions, counters[0].thread_instructions);
    EXPECT_EQ(other.l2_hit_bytes, counters[0].l2_hit_bytes);
    EXPECT_EQ(other.l2_miss_bytes, counters[0].l2_miss_bytes);
    EXPECT_EQ(other.dram_bytes_written, counters[0].dram_bytes_written);
  }
}

TEST(SimCounters, LinesTellHowOftenTheyWereIssued) {
  SimKernel kernel(sim_text(0, "mov.u32 %r1, 0;\nLOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra LOOP;"));
  kernel.run({{3}, {64}}, {});
  EXPECT_EQ(kernel.by_line[8], 6u);
  EXPECT_EQ(kernel.by_line[9], 60u);
}

TEST(SimCache, LeastRecentlyUsedLeavesFirst) {
  sim::Cache cache(2 * 128, 2);  // one set of two lines
  EXPECT_EQ(cache.access(1, 15, false).missed_sectors, 4u);
  EXPECT_EQ(cache.access(2, 1, true).missed_sectors, 1u);
  EXPECT_EQ(cache.access(1, 15, false).hit_sectors, 4u);
  const sim::CacheOutcome third = cache.access(3, 3, false);  // line 2 leaves
  EXPECT_EQ(third.missed_sectors, 2u);
  EXPECT_EQ(third.evicted_dirty_sectors, 1u);
  EXPECT_EQ(cache.access(1, 15, false).hit_sectors, 4u);
  EXPECT_EQ(cache.access(3, 7, false).hit_sectors, 2u);
}

sim::Occupancy occupancy_of(unsigned registers, std::size_t shared, u32 threads, const char* model) {
  sim::Kernel kernel;
  kernel.registers = registers;
  kernel.shared_bytes = shared;
  return sim::occupancy(kernel, {{1}, {threads}}, sim::model_named(model));
}

TEST(SimOccupancy, IsLimitedByWhatRunsOutFirst) {
  EXPECT_EQ(occupancy_of(32, 0, 256, "v100").blocks, 8u);
  EXPECT_EQ(occupancy_of(32, 0, 256, "v100").limit, "threads");
  EXPECT_EQ(occupancy_of(32, 0, 256, "v100").of_most, 1.0);
  EXPECT_EQ(occupancy_of(64, 0, 256, "v100").blocks, 4u);
  EXPECT_EQ(occupancy_of(64, 0, 256, "v100").limit, "registers");
  EXPECT_EQ(occupancy_of(32, 24 * 1024, 256, "v100").blocks, 4u);
  EXPECT_EQ(occupancy_of(32, 24 * 1024, 256, "v100").limit, "shared memory");
  EXPECT_EQ(occupancy_of(32, 24 * 1024, 256, "a100").blocks, 6u);  // 164 / (24 + 1)
  EXPECT_EQ(occupancy_of(16, 0, 32, "v100").blocks, 32u);
  EXPECT_EQ(occupancy_of(16, 0, 32, "v100").limit, "blocks");
  EXPECT_EQ(occupancy_of(255, 0, 1024, "v100").blocks, 0u);
  EXPECT_EQ(occupancy_of(40, 0, 256, "rtx3090").blocks, 6u);       // 1536 threads
}

TEST(SimPrediction, TheBusiestPartDecides) {
  const sim::Model& a100 = sim::model_named("a100");
  sim::Counters counters;
  counters.launches = 1;
  counters.blocks = 108 * 4;
  counters.warp_instructions = 108ull * 4 * 1'410'000;  // a millisecond of four issues a clock everywhere
  counters.of(sim::Kind::integer) = counters.warp_instructions / 4;
  sim::Prediction time = sim::predict(counters, a100);
  EXPECT_NEAR(time.issue, 1e-3, 1e-9);
  EXPECT_EQ(time.bound(), "issue");
  EXPECT_NEAR(time.seconds, 1e-3 + a100.launch_us * 1e-6, 1e-9);
  counters.of(sim::Kind::multiply_add) = counters.warp_instructions * 3 / 4;
  time = sim::predict(counters, a100);
  EXPECT_NEAR(time.fp32, 1.5e-3, 1e-9);  // 64 lanes are two warps a clock
  EXPECT_EQ(time.bound(), "fp32");
  counters.dram_bytes_read = 1'555'000'000ull * 4;
  time = sim::predict(counters, a100);
  EXPECT_NEAR(time.dram, 4e-3, 1e-9);
  EXPECT_EQ(time.bound(), "dram");
}

TEST(SimPrediction, FewBlocksKeepFewMultiprocessorsBusy) {
  const sim::Model& v100 = sim::model_named("v100");
  sim::Counters counters;
  counters.warp_instructions = 80'000'000;
  counters.blocks = 80;
  const double full = sim::predict(counters, v100).issue;
  counters.blocks = 20;
  EXPECT_NEAR(sim::predict(counters, v100).issue, 4 * full, 1e-12);
  counters.blocks = 81;  // two waves, the second one nearly empty
  EXPECT_NEAR(sim::predict(counters, v100).issue, full * 2 * 80 / 81, 1e-12);
}

TEST(SimModels, AnUnknownNameListsTheOthers) {
  EXPECT_EQ(sim::model_named("h100").multiprocessors, 132u);
  try {
    sim::model_named("b200");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no simulated GPU is called \"b200\"; there are v100, a100, h100, rtx3090");
  }
}

}  // namespace
}  // namespace lacuna
