// What the PTX emitter saves, each in a program as small as possible. That the code computes what it should is shown by thread_devices_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "emit/ptx/emit.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::emit::ptx {
namespace {

using namespace kernel;
using testing::HasSubstr;
using testing::Not;

std::string emit_one(ThreadBuilder& b, std::uint32_t most_registers = 0) {
  const ThreadProgram program = b.finish(64, most_registers);
  return emit(std::span(&program, 1));
}

/// Between the declarations and the last ret.
std::string body_of(const std::string& ptx) {
  std::string body;
  for (std::size_t at = ptx.find('{'); at != std::string::npos && at + 1 < ptx.size(); at = ptx.find('\n', at + 1)) {
    const std::string line = ptx.substr(at + 1, ptx.find('\n', at + 1) - at - 1);
    const std::size_t text = line.find_first_not_of(' ');
    if (text == std::string::npos || line.starts_with("    .") || line == "}" || line == "    ret;") continue;
    body += line.substr(text) + '\n';
  }
  return body;
}

TEST(Ptx, ConstantDistancesGoIntoTheOperand) {
  ThreadBuilder b("fold");
  const Register x = b.address_parameter("x"), next = b.advance(b.advance(x, 2u, 8), 1u, 4);
  b.store_f32(next, 4, b.load_f32(next));
  EXPECT_EQ(body_of(emit_one(b)), "ld.param.u64 %rd0, [arg_x];\nld.global.f32 %f0, [%rd0+20];\nst.global.f32 [%rd0+24], %f0;\n");
}

TEST(Ptx, AnAddressThatMovesIsNotFolded) {
  ThreadBuilder b("walk");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n");
  const Register walker = b.variable(Source(x)), fixed = b.advance(walker, 3u, 4);
  b.count(0u, n, 1, [&](Register) {
    b.store_f32(fixed, 0, b.load_f32(walker));
    b.advance_into(walker, walker, 1u, 4);
  });
  const std::string body = body_of(emit_one(b));
  EXPECT_THAT(body, HasSubstr("mov.u64 %rd1, %rd0;\nadd.u64 %rd2, %rd1, 12;\n"));
  EXPECT_THAT(body, HasSubstr("ld.global.f32 %f0, [%rd1];\nst.global.f32 [%rd2], %f0;\nadd.u64 %rd1, %rd1, 4;\n"));
}

TEST(Ptx, AnAddressOfALoopIsFoldedInsideOfItOnly) {
  ThreadBuilder b("inside");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), after = b.variable(Type::address);
  b.count(0u, n, 1, [&](Register i) {
    const Register base = b.advance(x, i, 4), near = b.advance(base, 1u, 4);
    b.store_f32(near, 0, 1.0f);
    b.advance_into(after, base, 2u, 4);
  });
  b.store_f32(after, 0, 2.0f);
  const std::string body = body_of(emit_one(b));
  EXPECT_THAT(body, HasSubstr("st.global.f32 [%rd2+4], 0f3F800000;\n"));
  EXPECT_THAT(body, HasSubstr("add.u64 %rd1, %rd2, 8;\n"));
  EXPECT_THAT(body, HasSubstr("st.global.f32 [%rd1], 0f40000000;\n"));
}

TEST(Ptx, FarOffsetsAreAdded) {
  ThreadBuilder b("far");
  const Register x = b.address_parameter("x");
  b.store_u32(x, 0x90000000u, 1u);
  EXPECT_THAT(body_of(emit_one(b)), HasSubstr("add.u64 %w0, %rd0, 2415919104;\nst.global.u32 [%w0], 1;\n"));
}

TEST(Ptx, PlacesInSharedMemoryTakeTheBeginningOnce) {
  ThreadBuilder b("pointer");
  const Register n = b.u32_parameter("n");
  b.shared(1024);
  const Register place = b.shift_left(b.special(Special::thread), 2u);
  b.count(0u, n, 1, [&](Register) {
    b.store(GpuSpace::shared, Element::u32, place, 8, {1u});
    b.compute_into(place, Arithmetic::add, {place, 16u});
  });
  const std::string body = body_of(emit_one(b));
  EXPECT_THAT(body, HasSubstr("mov.u32 %s0, shared;\n"));
  EXPECT_THAT(body, HasSubstr("mad.lo.u32 %r2, %r1, 4, %s0;\n"));
  EXPECT_THAT(body, HasSubstr("loop_2:\nst.shared.u32 [%r2+8], 1;\nadd.u32 %r2, %r2, 16;\n"));
}

TEST(Ptx, APlaceThatIsANumberTooHasAShadow) {
  ThreadBuilder b("shadow");
  const Register out = b.address_parameter("out");
  b.shared(1024);
  const Register place = b.multiply(b.special(Special::thread), 4u), value = b.variable(Type::u32);
  b.load(GpuSpace::shared, Element::u32, {value}, place);
  b.load(GpuSpace::shared, Element::u32, {value}, place, 64);
  b.store_u32(b.advance(out, place, 1), 0, value);
  EXPECT_EQ(body_of(emit_one(b)), R"(mov.u32 %s1, shared;
ld.param.u64 %rd0, [arg_out];
mov.u32 %r0, %tid.x;
mul.lo.u32 %r1, %r0, 4;
add.u32 %s0, %r1, %s1;
ld.shared.u32 %r2, [%s0];
ld.shared.u32 %r2, [%s0+64];
mad.wide.u32 %rd1, %r1, 1, %rd0;
st.global.u32 [%rd1], %r2;
)");
}

TEST(Ptx, LargeSharedMemoryIsAskedForByTheLaunch) {
  ThreadBuilder small("small"), large("large");
  for (ThreadBuilder* b : {&small, &large}) {
    b->shared(b == &small ? most_static_shared_bytes : most_static_shared_bytes + 16);
    b->store(GpuSpace::shared, Element::u32, 16u, 0, {1u});
  }
  const std::vector<ThreadProgram> programs{small.finish(32), large.finish(32)};
  const std::string text = emit(programs);
  EXPECT_THAT(text, HasSubstr(".address_size 64\n.extern .shared .align 16 .b8 lacuna_shared[];\n"));
  EXPECT_THAT(text, HasSubstr(".shared .align 16 .b8 shared[49152];\n    st.shared.u32 [shared+16], 1;"));
  EXPECT_THAT(text, HasSubstr("{\n    st.shared.u32 [lacuna_shared+16], 1;"));
  EXPECT_THAT(emit(std::span(programs).first(1)), Not(HasSubstr("lacuna_shared")));
}

TEST(Ptx, ALoopBranchesOnceARound) {
  ThreadBuilder b("turn");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), i = b.variable(Source(0u));
  b.loop([&] {
    b.store_u32(x, 0, i);
    b.break_if(b.compare(Comparison::less, i, n), false);
  });
  EXPECT_THAT(body_of(emit_one(b)), HasSubstr("loop_1:\nst.global.u32 [%rd0], %r1;\nsetp.lt.u32 %p0, %r1, %r0;\n@%p0 bra loop_1;\n"));
}

TEST(Ptx, ShortBranchesArePredicatedLongOnesAreNot) {
  ThreadBuilder b("branch");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), flag = b.compare(Comparison::equal, n, 3u);
  b.when(flag, [&] { b.store_u32(x, 0, n); });
  b.when(flag, [&] {
    for (std::uint32_t i = 0; i < 3; ++i) b.store_u32(x, i * 4, i);
  }, [&] { b.store_u32(x, 12, 7u); });
  b.when(flag, [] {}, [&] { b.store_u32(x, 16, 8u); });
  const std::string body = body_of(emit_one(b));
  EXPECT_THAT(body, HasSubstr("@%p0 st.global.u32 [%rd0], %r0;\n@!%p0 bra else_1;\n"));
  EXPECT_THAT(body, HasSubstr("bra end_1;\nelse_1:\nst.global.u32 [%rd0+12], 7;\nend_1:\n@%p0 bra end_2;\nst.global.u32 [%rd0+16], 8;\nend_2:\n"));
}

TEST(Ptx, ABranchThatChangesItsOwnFlagIsNotPredicated) {
  ThreadBuilder b("own");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), flag = b.compare(Comparison::equal, n, 3u);
  b.when(flag, [&] {
    b.compute_into(flag, Arithmetic::bit_not, {flag});
    b.store_u32(x, 0, n);
  });
  EXPECT_THAT(body_of(emit_one(b)), HasSubstr("@!%p0 bra end_1;\nnot.pred %p0, %p0;\nst.global.u32 [%rd0], %r0;\nend_1:\n"));
}

TEST(Ptx, WhatIsMadeToBeCopiedIsMadeInPlace) {
  ThreadBuilder b("copies");
  const Register x = b.address_parameter("x"), a = b.f32_parameter("a"), sum = b.variable(Source(a));
  b.set(sum, b.maximum(sum, 0.0f));
  const Register kept = b.add(sum, 1.0f);
  b.set(sum, kept);
  b.store_f32(x, 0, sum);
  b.store_f32(x, 4, kept);
  EXPECT_THAT(body_of(emit_one(b)), HasSubstr("mov.f32 %f1, %f0;\nmax.f32 %f1, %f1, 0f00000000;\nadd.rn.f32 %f2, %f1, 0f3F800000;\nmov.f32 %f1, %f2;\n"));
}

TEST(Ptx, ThePromisedRegistersAreInTheHeader) {
  ThreadBuilder b("promise", "a template\nand its parameters"), none("none");
  EXPECT_THAT(emit_one(b, 40), HasSubstr("// promise\n// a template\n// and its parameters\n// registers: at most 40\n.visible .entry promise(\n)\n.reqntid 64, 1, 1\n.maxnreg 40\n{\n"));
  EXPECT_THAT(emit_one(none), Not(HasSubstr("maxnreg")));
}

TEST(Ptx, TwoKernelsOfOneNameAreRefused) {
  ThreadBuilder a("same"), b("same");
  const std::vector<ThreadProgram> programs{a.finish(32), b.finish(32)};
  try {
    emit(programs);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "internal error: two kernels of one PTX module are called same");
  }
}

}  // namespace
}  // namespace lacuna::emit::ptx
