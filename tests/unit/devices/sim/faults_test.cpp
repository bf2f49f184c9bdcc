// What kernels do wrong is found and told: where, what, and next to what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_kernel.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using tests::sim_text;
using testing::HasSubstr;
using testing::MatchesRegex;
using u32 = std::uint32_t;

/// The fault of a kernel with one buffer of 1024 bytes.
std::string fault_of(const std::string& body, u32 threads, sim::FaultKind kind, const std::string& declarations = "", sim::Checks checks = {.threads = 1}) {
  SimKernel kernel(sim_text(1, body, declarations), checks);
  const sim::Address out = kernel.upload(std::vector<u32>(256));
  try {
    kernel.run({{2}, {threads}}, {out});
  } catch (const sim::KernelFault& fault) {
    EXPECT_EQ(fault.kind(), kind);
    return fault.what();
  }
  return "nothing was found";
}

TEST(SimFaults, OutOfBoundsNamesTheThreadAndTheNearestAllocation) {
  EXPECT_THAT(fault_of("mul.wide.u32 %rd1, %r0, 16;\nadd.u64 %rd1, %rd1, %rd0;\nst.global.f32 [%rd1+8], %f0;", 96, sim::FaultKind::out_of_bounds),
              MatchesRegex("kernel k, line 11 \\(st.global.f32 \\[%rd1\\+8\\], %f0\\), block \\(0,0,0\\), thread \\(64,0,0\\): 4 bytes at 0x[0-9a-f]+ are not allocated: 8 bytes after the end of the allocation of "
                           "1024 bytes at 0x[0-9a-f]+"));
  EXPECT_THAT(fault_of("ld.global.f32 %f0, [%rd0+-4];", 1, sim::FaultKind::out_of_bounds), HasSubstr("4 bytes before the allocation of 1024 bytes at 0x"));
  EXPECT_THAT(fault_of("ld.global.v2.f32 {%f0, %f1}, [%rd0+1024];", 1, sim::FaultKind::out_of_bounds), HasSubstr("0 bytes after the end of the allocation"));
  EXPECT_THAT(fault_of("mov.u64 %rd1, 0;\nld.global.f32 %f0, [%rd1];", 1, sim::FaultKind::out_of_bounds), HasSubstr("4 bytes at 0x0 are not allocated"));
}

TEST(SimFaults, MemoryThatWasFreedIsNotThere) {
  SimKernel kernel(sim_text(1, "ld.global.f32 %f0, [%rd0];"));
  const sim::Address out = kernel.upload(std::vector<u32>(256));
  kernel.memory.free(out);
  EXPECT_THROW(kernel.run({{1}, {1}}, {out}), sim::KernelFault);
}

TEST(SimFaults, LanesMayPointIntoDifferentAllocations) {
  SimKernel kernel(sim_text(3, "setp.lt.u32 %p1, %r0, 7;\nselp.b64 %rd10, %rd0, %rd1, %p1;\nmul.wide.u32 %rd11, %r0, 4;\nadd.u64 %rd10, %rd10, %rd11;\nld.global.u32 %r1, [%rd10];\nadd.u64 %rd12, %rd11, %rd2;\nst.global.u32 [%rd12], %r1;"));
  const sim::Address a = kernel.upload(std::vector<u32>(32, 5)), b = kernel.upload(std::vector<u32>(32, 6)), out = kernel.upload(std::vector<u32>(32));
  kernel.run({{1}, {32}}, {a, b, out});
  const auto got = kernel.download<u32>(out, 32);
  EXPECT_EQ(got[6], 5u);
  EXPECT_EQ(got[7], 6u);
}

TEST(SimFaults, MisalignedAccess) {
  EXPECT_THAT(fault_of("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0+8];", 1, sim::FaultKind::misaligned), MatchesRegex(".*the address 0x[0-9a-f]+8 is no multiple of the 16 bytes of the access"));
  EXPECT_THAT(fault_of("mov.u32 %r1, s;\nld.shared.f32 %f0, [%r1+2];", 1, sim::FaultKind::misaligned, ".shared .align 4 .b8 s[64];\n"), HasSubstr("0x2 is no multiple of the 4 bytes"));
}

TEST(SimFaults, SharedMemoryHasAnEnd) {
  EXPECT_THAT(fault_of("shl.b32 %r1, %r0, 2;\nld.shared.f32 %f0, [%r1];", 32, sim::FaultKind::out_of_bounds, ".shared .align 4 .b8 s[64];\n"),
              HasSubstr("thread (16,0,0): 4 bytes at 64 are outside of the block's 64 bytes of shared memory"));
  EXPECT_THAT(fault_of("mov.u32 %r1, 0;\nld.shared.f32 %f0, [%r1+-4];", 1, sim::FaultKind::out_of_bounds, ".shared .align 4 .b8 s[64];\n"), HasSubstr("outside of the block's 64 bytes"));
}

const std::string neighbour = R"(
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, s;
  add.u32 %r1, %r1, %r2;
  st.shared.u32 [%r1], %r0;
BARRIER
  xor.b32 %r3, %r1, 128;
  ld.shared.u32 %r4, [%r3];
)";

std::string with_barrier(const std::string& barrier) {
  std::string text = neighbour;
  return text.replace(text.find("BARRIER"), 7, barrier);
}

TEST(SimFaults, AMissingBarrierIsARaceWithBothLines) {
  const std::string shared = ".shared .align 4 .b8 s[256];\n";
  EXPECT_EQ(fault_of(with_barrier("bar.sync 0;"), 64, sim::FaultKind::race, shared), "nothing was found");
  EXPECT_EQ(fault_of(with_barrier(""), 64, sim::FaultKind::race, shared),
            "kernel k, line 14 (st.shared.u32 [%r1], %r0), block (0,0,0), thread (32,0,0): a race at 128 of shared memory with thread (0,0,0), which read it at line 17 (ld.shared.u32 %r4, [%r3]) without a "
            "barrier in between");  // the first warp has run on when the second one writes
  EXPECT_EQ(fault_of(with_barrier(""), 64, sim::FaultKind::race, shared, {.races = false, .threads = 1}), "nothing was found");
}

TEST(SimFaults, WritingWhatOthersReadIsARaceToo) {
  EXPECT_THAT(fault_of("mov.u32 %r1, s;\nld.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p1, %r0, 5;\n@%p1 st.shared.u32 [%r1], %r0;", 32, sim::FaultKind::race, ".shared .align 4 .b8 s[256];\n"),
              HasSubstr("thread (5,0,0): a race at 0 of shared memory with thread (0,0,0), which read it at line 11"));
}

TEST(SimFaults, LanesOfAWarpNeedAWarpBarrier) {
  const std::string shared = ".shared .align 4 .b8 s[256];\n", head = "shl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r0;\n", tail = "xor.b32 %r3, %r1, 4;\nld.shared.u32 %r4, [%r3];";
  EXPECT_THAT(fault_of(head + tail, 32, sim::FaultKind::race, shared), HasSubstr("a race at 4 of shared memory"));
  EXPECT_EQ(fault_of(head + "bar.warp.sync -1;\n" + tail, 32, sim::FaultKind::race, shared), "nothing was found");
}

TEST(SimFaults, NeighboursInOneWordDoNotRace) {
  EXPECT_EQ(fault_of("shl.b32 %r1, %r0, 1;\ncvt.u16.u32 %h0, %r0;\nst.shared.u16 [%r1], %h0;\nld.shared.u16 %h1, [%r1];", 64, sim::FaultKind::race, ".shared .align 4 .b8 s[256];\n"), "nothing was found");
}

TEST(SimFaults, AtomicsDoNotRaceWithEachOtherButWithReads) {
  const std::string shared = ".shared .align 4 .b8 s[256];\n";
  EXPECT_EQ(fault_of("mov.u32 %r1, 0;\natom.shared.add.u32 %r2, [%r1], 1;", 64, sim::FaultKind::race, shared), "nothing was found");
  EXPECT_THAT(fault_of("mov.u32 %r1, 0;\natom.shared.add.u32 %r2, [%r1], 1;\nld.shared.u32 %r3, [%r1];", 64, sim::FaultKind::race, shared), HasSubstr("a race at 0"));
}

TEST(SimFaults, TheFirstBlockThatFailsIsToldHoweverManyThreads) {
  const std::string text = sim_text(1, "mov.u32 %r1, %ctaid.x;\nsetp.gt.u32 %p1, %r1, 20;\n@%p1 trap;");
  for (const unsigned threads : {1u, 2u, 7u}) {
    SimKernel kernel(text, {.threads = threads});
    try {
      kernel.run({{500}, {32}}, {0});
      FAIL();
    } catch (const sim::KernelFault& fault) {
      EXPECT_EQ(fault.kind(), sim::FaultKind::trap);
      EXPECT_THAT(fault.what(), HasSubstr("block (21,0,0), thread (0,0,0): the kernel gave up"));
    }
  }
}

TEST(SimFaults, ShapesThatDoNotFit) {
  SimKernel kernel(tests::sim_header + ".visible .entry k(.param .u64 p) .reqntid 64 { .shared .b8 s[40000]; ret; }");
  const auto message = [&](sim::LaunchShape shape, const std::vector<std::uint64_t>& parameters) {
    try {
      kernel.run(shape, parameters);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{1}, {32}}, {0}), "kernel k: launched with blocks of 32 x 1 x 1 threads, but .reqntid wants 64 x 1 x 1");
  EXPECT_EQ(message({{1}, {64}}, {}), "kernel k: 0 bytes of parameters were given, 8 are needed");
  EXPECT_EQ(message({{1}, {2048}}, {0}), "kernel k: 2048 threads in a block, at most 1024 are possible");
  EXPECT_EQ(message({{1}, {64}, 60000}, {0}), "kernel k: 100000 bytes of shared memory for a block, Tesla V100-SXM2-16GB (simulated) has 98304");
}

TEST(SimMemory, CapacityAndAddresses) {
  sim::Memory memory(1000);
  const sim::Address a = memory.allocate(600);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_NE(a, 0u);
  EXPECT_EQ(memory.used_bytes(), 600u);
  try {
    memory.allocate(401);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "simulated GPU: 401 bytes wanted, 400 of 1000 are free");
  }
  memory.free(a);
  EXPECT_EQ(memory.allocations(), 0u);
  EXPECT_NE(memory.allocate(600), a);
  EXPECT_THROW(memory.free(a), DeviceError);
  EXPECT_THROW(memory.lookup(a, 1), sim::KernelFault);
}

}  // namespace
}  // namespace lacuna
