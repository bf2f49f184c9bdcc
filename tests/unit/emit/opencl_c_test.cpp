// How thread programs are written in OpenCL C. That the code computes what it should is shown by thread_devices_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "emit/opencl/emit.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::emit::opencl {
namespace {

using namespace kernel;
using testing::HasSubstr;
using testing::Not;

std::string emit_one(ThreadBuilder& b) {
  const ThreadProgram program = b.finish(64);
  return emit(std::span(&program, 1));
}

TEST(OpenClC, VariablesAreDeclaredWhereTheyAreUsed) {
  ThreadBuilder b("declare");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), late = b.variable(Type::u32);
  b.when(b.compare(Comparison::less, n, 3u), [&] {
    const Register next = b.add(n, 1u);
    b.set(late, b.multiply(next, next));
  }, [&] { b.set(late, 0u); });
  b.store_u32(x, 0, late);
  EXPECT_THAT(emit_one(b), HasSubstr(R"(void declare(__global uchar* arg_x, uint arg_n) {
    uint r2;
    bool p3 = arg_n < 3u;
    if (p3) {
        uint r4 = arg_n + 1u;
        r2 = r4 * r4;
    } else {
        r2 = 0u;
    }
    *(__global uint*)(arg_x) = r2;
}
)"));
}

TEST(OpenClC, AVariableThatOneRoundLeavesForTheNextIsDeclaredOutside) {
  ThreadBuilder b("carry");
  const Register x = b.address_parameter("x"), n = b.u32_parameter("n"), carried = b.variable(Type::u32);
  const Register is_first = b.compare(Comparison::equal, n, 0u);
  b.loop([&] {
    b.when(is_first, [&] { b.set(carried, n); });
    b.store_u32(x, 0, carried);
    b.break_if(is_first);
  });
  EXPECT_THAT(emit_one(b), HasSubstr("    uint r2;\n    bool p3 = arg_n == 0u;\n    for (;;) {\n        if (p3) {\n            r2 = arg_n;\n        }\n"));
}

TEST(OpenClC, AddressesOfWhatIsOnlyReadAreConstant) {
  ThreadBuilder b("constant");
  const Register in = b.address_parameter("in", true, false), out = b.address_parameter("out", false, true), n = b.u32_parameter("n");
  const Register value = b.load_f32(b.advance(in, n, 4), 4);
  b.store_f32(b.advance(out, n, 4), 0, value);
  const std::string text = emit_one(b);
  EXPECT_THAT(text, HasSubstr("void constant(__global const uchar* arg_in, __global uchar* arg_out, uint arg_n) {\n"));
  EXPECT_THAT(text, HasSubstr("__global const uchar* a3 = arg_in + (ulong)arg_n * 4u;\n    float f4 = as_float(*(__global const uint*)(a3 + 4u));\n"));
  EXPECT_THAT(text, HasSubstr("__global uchar* a5 = arg_out + (ulong)arg_n * 4u;\n"));
}

TEST(OpenClC, NumbersKeepTheirBits) {
  ThreadBuilder b("numbers");
  const Register x = b.address_parameter("x");
  for (const float value : {0.1f, -2.0f, -0.0f, 1e30f, 1e-42f, std::numeric_limits<float>::infinity()}) b.store_f32(x, 0, b.compute(Arithmetic::negate, {value}));
  const std::string text = emit_one(b);
  for (const std::string line : {"= -0.1f;", "= -(-2.0f);", "= -as_float(0x80000000u);", "= -1e+30f;", "= -as_float(0x000002CAu);", "= -as_float(0x7F800000u);"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(OpenClC, BrainFloatsComeWithTheirRounding) {
  ThreadBuilder with("with"), without("without");
  with.store(GpuSpace::global, Element::bf16, with.address_parameter("x"), 0, {1.0f, 2.0f});
  const std::string text = emit_one(with);
  EXPECT_THAT(text, HasSubstr("ushort to_bf16(float value) {"));
  EXPECT_THAT(text, HasSubstr("*(__global ushort2*)(arg_x) = (ushort2)(to_bf16(1.0f), to_bf16(2.0f));"));
  EXPECT_THAT(emit_one(without), Not(HasSubstr("to_bf16")));
}

TEST(OpenClC, TwoKernelsOfOneNameAreRefused) {
  ThreadBuilder a("same"), b("same");
  const std::vector<ThreadProgram> programs{a.finish(32), b.finish(32)};
  try {
    emit(programs);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "internal error: two kernels of one OpenCL program are called same");
  }
}

}  // namespace
}  // namespace lacuna::emit::opencl
