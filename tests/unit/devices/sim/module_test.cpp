// PTX text: what a module says about its kernels, and what is said about text that is wrong or not simulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_kernel.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using tests::sim_header;
using tests::sim_text;
using u32 = std::uint32_t;

std::string error_of(const std::string& text) {
  try {
    sim::Module::parse(text, "a.ptx");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was found";
}

TEST(SimModule, KnowsItsKernels) {
  const sim::Module module = sim::Module::parse(sim_header + R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry first(.param .u32 n, .param .u64 .ptr .global .align 4 x, .param .f32 f, .param .align 8 .b8 s[12])
.maxntid 128, 2, 1
.maxnreg 40
{
  .reg .f32 %f<3>; .reg .pred %p<2>; .reg .u64 %rd<2>;
  .shared .align 4 .f32 buffer[10];
  ret;
}
.visible .entry second() .reqntid 32
{
  .reg .u32 %r<2>;
  mov.u32 %r1, dynamic;
  ret;
})");
  EXPECT_EQ(module.target(), "sm_70");
  const sim::Kernel& first = *module.find("first");
  ASSERT_EQ(first.parameters.size(), 4u);
  EXPECT_EQ(first.parameters[1].name, "x");
  EXPECT_EQ(first.parameters[1].type, "u64");
  EXPECT_EQ(first.parameters[1].offset, 8u);
  EXPECT_EQ(first.parameters[2].offset, 16u);
  EXPECT_EQ(first.parameters[3].offset, 24u);
  EXPECT_EQ(first.parameters[3].bytes, 12u);
  EXPECT_EQ(first.parameter_bytes, 36u);
  EXPECT_EQ(first.shared_bytes, 40u);
  EXPECT_EQ(first.most_threads, 256u);
  EXPECT_EQ(first.most_registers, 40u);
  EXPECT_EQ(first.declared_registers, 7u);
  EXPECT_FALSE(first.uses_dynamic_shared);
  EXPECT_TRUE(module.find("second")->uses_dynamic_shared);
  EXPECT_EQ(module.find("second")->required_threads[0], 32u);
  EXPECT_EQ(module.find("third"), nullptr);
}

TEST(SimModule, CountsRegistersThatAreAliveAtOnce) {
  const auto live = [](const std::string& body) { return sim::Module::parse(sim_text(1, "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n" + body)).find("k")->live_registers; };
  std::string one_by_one;  // one float at a time, however many names it has, and an address of two; the parameter costs nothing
  for (int i = 1; i < 60; ++i) one_by_one += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1];\nst.global.f32 [%rd1], %f" + std::to_string(i) + ";\n";
  EXPECT_EQ(live(one_by_one), 3u);
  std::string many;
  for (int i = 1; i < 41; ++i) many += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 1; i < 41; ++i) many += "st.global.f32 [%rd1], %f" + std::to_string(i) + ";\n";
  EXPECT_EQ(live(many), 42u);
}

TEST(SimModule, RegistersThatShareAPlaceKeepTheirValuesAroundLoops) {
  // %r1 lives through the loop, the others come and go in it; each lane leaves at its own turn.
  SimKernel kernel(sim_text(1, R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0; add.u32 %r9, %r0, 100;
  LOOP:
    add.u32 %r3, %r2, 5;
    mul.lo.u32 %r4, %r3, 3;
    setp.gt.u32 %p1, %r2, 3;
    @!%p1 bra SMALL;
    add.u32 %r5, %r4, 1;
    add.u32 %r1, %r1, %r5;
    bra NEXT;
  SMALL:
    sub.u32 %r6, %r4, 1;
    add.u32 %r1, %r1, %r6;
  NEXT:
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p2, %r2, %r0;
    @%p2 bra LOOP;
    add.u32 %r1, %r1, %r9;
    mul.wide.u32 %rd20, %r0, 4;
    add.u64 %rd20, %rd20, %rd0;
    st.global.u32 [%rd20], %r1;
  )"));
  const sim::Address out = kernel.upload(std::vector<u32>(64));
  kernel.run({{1}, {64}}, {out});
  const auto got = kernel.download<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) {
    u32 sum = i + 100;
    for (u32 k = 0; k <= i; ++k) sum += (k + 5) * 3 + (k > 3 ? 1 : -1u);
    EXPECT_EQ(got[i], sum) << i;
  }
}

TEST(SimModule, VariablesOfTheModule) {
  SimKernel kernel(sim_header + R"(
.const .align 4 .f32 scales[3] = {0f3F800000, 0f40000000, 0f40400000};
.global .align 4 .u32 counter = 41;
.global .align 8 .b8 space[64];
.visible .entry k(.param .u64 out)
{
  .reg .f32 %f<3>; .reg .u32 %r<3>; .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.const.f32 %f1, [scales+8];
  st.global.f32 [%rd1], %f1;
  mov.u64 %rd2, counter;
  ld.global.u32 %r1, [%rd2];
  add.u32 %r1, %r1, 1;
  st.global.u32 [counter], %r1;
  st.global.u32 [%rd1+4], %r1;
  mov.u64 %rd3, space;
  st.global.u32 [%rd3+60], %r1;
})");
  const sim::Address out = kernel.upload(std::vector<u32>(2));
  kernel.run({{1}, {1}}, {out});
  EXPECT_EQ(kernel.download<float>(out, 1)[0], 3.0f);
  EXPECT_EQ(kernel.download<u32>(out + 4, 1)[0], 42u);
  EXPECT_EQ(kernel.download<u32>(kernel.module.find_variable("counter")->address, 1)[0], 42u);
  kernel.module.remove(kernel.memory);
  EXPECT_THROW(kernel.run({{1}, {1}}, {out}), InputError);
}

TEST(SimModule, DynamicSharedMemoryFollowsTheStatic) {
  SimKernel kernel(sim_header + R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out)
{
  .reg .u32 %r<6>; .reg .u64 %rd<4>;
  .shared .align 4 .b8 fixed[20];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, dynamic;
  mov.u32 %r2, 7;
  st.shared.u32 [dynamic+12], %r2;
  st.shared.u32 [fixed], %r1;
  ld.shared.u32 %r3, [%r1+12];
  st.global.v2.u32 [%rd1], {%r1, %r3};
  mov.u64 %rd2, dynamic;
  cvta.shared.u64 %rd2, %rd2;
  ld.u32 %r4, [%rd2+12];
  st.global.u32 [%rd1+8], %r4;
})");
  const sim::Address out = kernel.upload(std::vector<u32>(3));
  kernel.run({{1}, {1}, 16}, {out});
  EXPECT_EQ(kernel.download<u32>(out, 3), (std::vector<u32>{32, 7, 7}));
  EXPECT_THROW(kernel.run({{1}, {1}, 12}, {out}), sim::KernelFault);
}

TEST(SimModule, LocalMemoryAndNestedScopes) {
  SimKernel kernel(sim_text(1, R"(
    mov.u64 %rd2, stack;
    cvta.local.u64 %rd3, %rd2;
    st.local.u32 [%rd2+4], %r0;
    { .reg .u32 %r0; mov.u32 %r0, 1000; st.local.u32 [%rd2], %r0; }
    ld.u32 %r1, [%rd3+4];
    ld.local.u32 %r2, [%rd2];
    add.u32 %r1, %r1, %r2;
    mul.wide.u32 %rd20, %r0, 4;
    add.u64 %rd20, %rd20, %rd0;
    st.global.u32 [%rd20], %r1;
  )", ".local .align 8 .b8 stack[16];\n"));
  const sim::Address out = kernel.upload(std::vector<u32>(40));
  kernel.run({{1}, {40}}, {out});
  for (u32 i = 0; i < 40; ++i) EXPECT_EQ(kernel.download<u32>(out, 40)[i], i + 1000);
}

TEST(SimModule, WhatIsNotSimulatedIsNamedWithItsLine) {
  EXPECT_EQ(error_of(sim_text(0, "tex.2d.v4.f32.s32 %f1, %r1;")), "a.ptx:8:1: the instruction \"tex.2d.v4.f32.s32\" is not simulated: tex.2d.v4.f32.s32 %f1, %r1");
  EXPECT_EQ(error_of(sim_text(0, "add.rz.f64 %d1, %d2, %d3;")), "a.ptx:8:1: the instruction \"add.rz.f64\" is not simulated: add.rz.f64 %d1, %d2, %d3");
  EXPECT_EQ(error_of(sim_text(0, "ld.global.v8.f32 %f1, [%rd0];")), "a.ptx:8:1: the instruction \"ld.global.v8.f32\" is not simulated: ld.global.v8.f32 %f1, [%rd0]");
  EXPECT_EQ(error_of(sim_header + ".visible .func f() { ret; }"), "a.ptx:4:10: functions (.func) are not simulated; have them inlined");
  EXPECT_EQ(error_of(sim_header + ".texref t;"), "a.ptx:4:1: \".texref\" is not simulated");
  EXPECT_EQ(error_of(sim_text(0, ".branchtargets A, B;")), "a.ptx:8:1: the directive \".branchtargets\" is not simulated");
}

TEST(SimModule, WrongTextIsToldWhere) {
  EXPECT_EQ(error_of(sim_text(0, "add.f32 %f1, %f2;")), "a.ptx:8:1: add.f32 takes 3 operands, not 2: add.f32 %f1, %f2");
  EXPECT_EQ(error_of(sim_text(0, "add.f32 %f1, %f2, %g3;")), "a.ptx:8:19: \"%g3\" is neither a register nor a variable of this kernel, nor a special register that is simulated");
  EXPECT_EQ(error_of(sim_text(0, "add.f32 %f1, %f2, %rd3;")), "a.ptx:8:19: register %rd3 has another size than add.f32 %f1, %f2, %rd3 reads");
  EXPECT_EQ(error_of(sim_text(0, "add.f32 %f1, %f2, 1;")), "a.ptx:8:19: a float is wanted here, write 0f and its eight hexadecimal digits");
  EXPECT_EQ(error_of(sim_text(0, "bra NOWHERE;")), "a.ptx:8:1: there is no label NOWHERE in kernel k");
  EXPECT_EQ(error_of(sim_text(0, "A: A: ret;")), "a.ptx:8:4: label A stands here a second time");
  EXPECT_EQ(error_of(sim_text(0, "@%f1 bra A; A:")), "a.ptx:8:6: \"%f1\" is no predicate of this kernel");
  EXPECT_EQ(error_of(sim_text(0, "add.f32 %f1, %f2, [%f3;")), "a.ptx:8:20: \"]\" was expected, but the instruction ends after \"%f3\"");
  EXPECT_EQ(error_of(sim_text(1, "ld.param.u64 %rd1, [p0+4];")), "a.ptx:9:1: ld.param.u64 %rd1, [p0+4] reads beyond the 8 bytes of parameters");
  EXPECT_EQ(error_of(sim_header + ".visible .entry k() { ret;"), "a.ptx:4:27: kernel k has no closing brace");
  EXPECT_EQ(error_of("/* never closed"), "a.ptx:1:1: a comment that begins with /* has no end");
}

}  // namespace
}  // namespace lacuna
