// Branches that part a warp, loops, barriers, and what lanes tell each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/sim_kernel.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using tests::sim_text;
using testing::HasSubstr;
using u32 = std::uint32_t;

/// Runs a body that leaves its result in %r1, for each of the threads.
std::vector<u32> results(const std::string& body, u32 threads, sim::Counters* counters = nullptr, const std::string& declarations = "") {
  SimKernel kernel(sim_text(1, body + "\nmul.wide.u32 %rd20, %r0, 4;\nadd.u64 %rd20, %rd20, %rd0;\nst.global.u32 [%rd20], %r1;\n", declarations));
  const sim::Address out = kernel.upload(std::vector<u32>(threads));
  const sim::Counters made = kernel.run({{1}, {threads}}, {out});
  if (counters != nullptr) *counters = made;
  return kernel.download<u32>(out, threads);
}

TEST(SimControl, BothSidesOfABranchRunAndMeetAgain) {
  sim::Counters counters;
  const auto got = results(R"(
    and.b32 %r2, %r0, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EVEN;
    mul.lo.u32 %r1, %r0, 3;
    bra.uni MEET;
  EVEN:
    add.u32 %r1, %r0, 1000;
  MEET:
    add.u32 %r1, %r1, 1;
  )", 40, &counters);
  for (u32 i = 0; i < 40; ++i) EXPECT_EQ(got[i], (i % 2 == 0 ? i + 1000 : 3 * i) + 1);
  EXPECT_EQ(counters.divergent_branches, 2u);
  EXPECT_EQ(counters.warp_instructions, 2u * 13u);  // both sides once for each warp, what follows once
  EXPECT_EQ(counters.thread_instructions, 40u * 9u + 20u * 4u);  // a branch counts the lanes that jump
}

TEST(SimControl, LanesLeaveALoopOneByOneAndNestedLoopsToo) {
  const auto got = results(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0;
  OUTER:
    setp.ge.u32 %p1, %r2, %r0;
    @%p1 bra DONE;
    mov.u32 %r3, 0;
  INNER:
    add.u32 %r1, %r1, 1;
    add.u32 %r3, %r3, 1;
    setp.le.u32 %p2, %r3, %r2;
    @%p2 bra INNER;
    add.u32 %r2, %r2, 1;
    bra OUTER;
  DONE:
    add.u32 %r1, %r1, 7;
  )", 33);
  for (u32 i = 0; i < 33; ++i) EXPECT_EQ(got[i], i * (i + 1) / 2 + 7);
}

TEST(SimControl, LanesThatReturnAreGone) {
  SimKernel kernel(sim_text(1, R"(
    setp.ge.u32 %p1, %r0, 5;
    @%p1 ret;
    bar.sync 0;
    setp.lt.u32 %p2, %r0, 2;
    @%p2 bra END;
    mul.wide.u32 %rd20, %r0, 4;
    add.u64 %rd20, %rd20, %rd0;
    st.global.u32 [%rd20], %r0;
    bar.sync 0;
  END:
  )"));
  const sim::Address out = kernel.upload(std::vector<u32>(64, 99));
  kernel.run({{1}, {64}}, {out});
  const auto got = kernel.download<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(got[i], i >= 2 && i < 5 ? i : 99u);
}

TEST(SimControl, BarriersLetWarpsSeeEachOther) {
  const auto got = results(R"(
    mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;
    mov.u32 %r5, 0;
  LOOP:
    add.u32 %r6, %r0, %r5;
    st.shared.u32 [%r4], %r6;
    bar.sync 0;
    xor.b32 %r7, %r3, 508;
    add.u32 %r7, %r7, %r2;
    ld.shared.u32 %r1, [%r7];
    bar.sync 0;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 10;
    @%p1 bra LOOP;
  )", 128, nullptr, ".shared .align 4 .b8 s[512];\n");
  for (u32 i = 0; i < 128; ++i) EXPECT_EQ(got[i], (i ^ 127u) + 9);
}

TEST(SimControl, ABarrierThatOnlySomeThreadsReachIsAnError) {
  try {
    results("setp.lt.u32 %p1, %r0, 7;\n@!%p1 bra SKIP;\nbar.sync 0;\nadd.u32 %r1, %r0, 1;\nSKIP:\n add.u32 %r1, %r0, 1;", 32);
    FAIL();
  } catch (const sim::KernelFault& fault) {
    EXPECT_EQ(fault.kind(), sim::FaultKind::barrier);
    EXPECT_THAT(fault.what(), HasSubstr("kernel k, line 11 (bar.sync 0), block (0,0,0), thread (0,0,0): only 7 of the warp's 32 threads come to the barrier"));
  }
}

TEST(SimControl, WarpsAtDifferentBarriersAreAnError) {
  try {
    results("setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra OTHER;\nbar.sync 0;\nbra END;\nOTHER:\nbar.sync 1;\nEND:\n mov.u32 %r1, 0;", 64);
    FAIL();
  } catch (const sim::KernelFault& fault) {
    EXPECT_EQ(fault.kind(), sim::FaultKind::barrier);
    EXPECT_THAT(fault.what(), HasSubstr("this warp waits at barrier 1, the one of thread (0,0,0) at barrier 0: neither will go on"));
  }
}

TEST(SimControl, AKernelThatNeverEndsIsStopped) {
  SimKernel kernel(sim_text(1, "LOOP: add.u32 %r1, %r1, 1;\nbra LOOP;"), {.threads = 1, .most_warp_instructions = 10000});
  try {
    kernel.run({{1}, {64}}, {0});
    FAIL();
  } catch (const sim::KernelFault& fault) {
    EXPECT_EQ(fault.kind(), sim::FaultKind::too_long);
    EXPECT_STREQ(fault.what(), "kernel k, block (0,0,0): more than 10000 warp instructions; it may never end");
  }
}

TEST(SimControl, ShufflesAndVotes) {
  const auto sums = results(R"(
    mov.u32 %r1, %r0;
    shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; add.u32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 8, 31, -1; add.u32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 4, 31, -1; add.u32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 2, 31, -1; add.u32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2;
  )", 64);
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(sums[i], i < 32 ? 496u : 496u + 32 * 32);
  const auto down = results("shfl.sync.down.b32 %r1|%p1, %r0, 3, 31, -1;\n@!%p1 add.u32 %r1, %r1, 100;", 32);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(down[i], i < 29 ? i + 3 : i + 100);
  const auto up = results("shfl.sync.up.b32 %r1|%p1, %r0, 2, 0, -1;\n@!%p1 add.u32 %r1, %r1, 100;", 32);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(up[i], i >= 2 ? i - 2 : i + 100);
  const auto index = results("shfl.sync.idx.b32 %r1, %r0, 5, 0x181f, -1;", 32);  // segments of eight lanes
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(index[i], i / 8 * 8 + 5);
  const auto ballot = results("and.b32 %r2, %r0, 3;\nsetp.eq.u32 %p1, %r2, 1;\nvote.sync.ballot.b32 %r1, %p1, -1;", 32);
  EXPECT_EQ(ballot[9], 0x22222222u);
  const auto any = results("setp.eq.u32 %p1, %r0, 40;\nvote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, !%p1, -1;\nselp.u32 %r1, 1, 0, %p2;\n@%p3 add.u32 %r1, %r1, 2;", 64);
  EXPECT_EQ(any[3], 2u);
  EXPECT_EQ(any[33], 1u);
  const auto active = results("mov.u32 %r1, 0;\nsetp.lt.u32 %p1, %r0, 5;\n@!%p1 bra END;\nactivemask.b32 %r1;\nEND:\nadd.u32 %r1, %r1, 0;", 32);
  EXPECT_EQ(active[2], 31u);
  EXPECT_EQ(active[9], 0u);
}

TEST(SimControl, AVoteWithoutAllItsMembersIsAnError) {
  EXPECT_THROW(results("mov.u32 %r1, 0;\nsetp.lt.u32 %p1, %r0, 5;\n@!%p1 bra END;\nvote.sync.ballot.b32 %r1, %p1, -1;\nEND:\nadd.u32 %r1, %r1, 0;", 32), sim::KernelFault);
}

TEST(SimControl, SpecialRegistersKnowTheirPlace) {
  SimKernel kernel(tests::sim_header + R"(
.visible .entry k(.param .u64 out)
{ .reg .u32 %r<20>; .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %nctaid.x; mov.u32 %r13, %ntid.y;
  mad.lo.u32 %r7, %r2, %r3, %r1;
  mad.lo.u32 %r8, %r5, %r6, %r4;
  mul.lo.u32 %r9, %r3, %r13;
  mad.lo.u32 %r10, %r8, %r9, %r7;
  mul.wide.u32 %rd2, %r10, 8;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r11, %laneid; mov.u32 %r12, %warpid;
  st.global.v2.u32 [%rd1], {%r11, %r12};
})");
  const u32 threads = 5 * 20, blocks = 3 * 2;
  const sim::Address out = kernel.upload(std::vector<u32>(threads * blocks * 2));
  kernel.run({{3, 2}, {5, 20}}, {out});
  const auto got = kernel.download<u32>(out, threads * blocks * 2);
  for (u32 i = 0; i < threads * blocks; ++i) {
    EXPECT_EQ(got[2 * i], i % threads % 32);
    EXPECT_EQ(got[2 * i + 1], i % threads / 32);
  }
}

TEST(SimControl, AtomicsAddUpAndThreadsDoNotMatter) {
  const std::string text = sim_text(3, R"(
    mov.u32 %r1, %ctaid.x;
    red.global.add.u32 [%rd0], 1;
    red.global.max.u32 [%rd0+4], %r0;
    red.global.or.b32 [%rd0+8], %r1;
    atom.global.add.u32 %r2, [%rd0+12], 1;
    mul.wide.u32 %rd20, %r2, 4;
    add.u64 %rd20, %rd20, %rd1;
    mad.lo.u32 %r3, %r1, 64, %r0;
    st.global.u32 [%rd20], %r3;
    cvt.rn.f32.u32 %f1, %r3;
    mul.f32 %f1, %f1, 0f3DCCCCCD;
    red.global.add.f32 [%rd2], %f1;
    atom.global.cas.b32 %r4, [%rd0+16], 7, %r3;
    atom.global.exch.b32 %r5, [%rd0+20], %r3;
  )");
  std::vector<u32> first_order;
  float first_sum = 0;
  for (const unsigned threads : {1u, 2u, 5u}) {
    SimKernel kernel(text, {.threads = threads});
    const sim::Address cells = kernel.upload(std::vector<u32>{0, 0, 0, 0, 7, 0}), order = kernel.upload(std::vector<u32>(640)), sum = kernel.upload(std::vector<float>{0});
    kernel.run({{10}, {64}}, {cells, order, sum});
    EXPECT_EQ(kernel.download<u32>(cells, 6), (std::vector<u32>{640, 63, 15, 640, 0, 639}));
    const auto slots = kernel.download<u32>(order, 640);
    auto sorted = slots;
    std::sort(sorted.begin(), sorted.end());
    std::vector<u32> all(640);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(sorted, all);
    const float total = kernel.download<float>(sum, 1)[0];
    if (threads == 1) first_order = slots, first_sum = total;
    EXPECT_EQ(slots, first_order);
    EXPECT_EQ(total, first_sum);
  }
}

}  // namespace
}  // namespace lacuna
