#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

/// What verify() says about a program with this body, made of two addresses, a u32 (r2), an f32 (f3) and a flag (p4) that are written.
std::string complaint_about(const std::function<void(ThreadBuilder&)>& make, std::uint32_t threads = 32) {
  ThreadBuilder b("broken");
  b.address_parameter("x", true, false), b.address_parameter("y", false, true);
  b.u32_parameter("n"), b.f32_parameter("a");
  b.compare(Comparison::less, Register{2, Type::u32}, 5u);
  b.shared(64);
  try {
    make(b);
    b.finish(threads);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "nothing";
}

constexpr Register x{0, Type::address}, y{1, Type::address}, n{2, Type::u32}, a{3, Type::f32}, flag{4, Type::flag};

struct Case {
  std::string name;
  std::function<void(ThreadBuilder&)> make;
  std::string complaint;
};

class BrokenThreadProgram : public testing::TestWithParam<Case> {};

TEST_P(BrokenThreadProgram, IsRefusedByWhatIsWrong) {
  EXPECT_EQ(complaint_about(GetParam().make), "internal error: thread program broken, statement " + GetParam().complaint);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenThreadProgram,
    testing::Values(
        Case{"TypesDiffer", [](ThreadBuilder& b) { b.add(n, a); }, "2 (r5 = add r2 f3): f3 is of type f32 where u32 is needed"},
        Case{"TypeDoesNotFit", [](ThreadBuilder& b) { b.compute(Arithmetic::floor, {n}); }, "2 (r5 = floor r2): floor does not take the type u32"},
        Case{"SourcesAreMissing", [](ThreadBuilder& b) { b.compute(Arithmetic::add, {n}); }, "2 (r5 = add r2): 1 sources where add takes 2"},
        Case{"ResultDoesNotFit", [](ThreadBuilder& b) { b.compute_into(a, Arithmetic::add, {n, 1u}); },
             "2 (f3 = add r2 1): the result is of type u32, f3 is not"},
        Case{"SelectWithoutAFlag", [](ThreadBuilder& b) { b.compute(Arithmetic::select, {n, n, n}); },
             "2 (r5 = select r2 r2 r2): r2 is of type u32 where flag is needed"},
        Case{"NobodyWroteIt", [](ThreadBuilder& b) { b.add(b.variable(Type::u32), 1u); }, "2 (r6 = add r5 1): nobody wrote r5 before"},
        Case{"OnlyTheOtherBranchWroteIt",
             [](ThreadBuilder& b) {
               const Register v = b.variable(Type::u32);
               b.when(flag, [&] { b.set(v, 1u); }, [&] { b.add(v, 1u); });
             },
             "4 (r6 = add r5 1): nobody wrote r5 before"},
        Case{"TwoTypes", [](ThreadBuilder& b) { b.add(Register{3, Type::u32}, 1u); }, "2 (r5 = add r3 1): register 3 is of type u32 here and f32 elsewhere"},
        Case{"BeyondTheRegisters", [](ThreadBuilder& b) { b.set(Register{99, Type::u32}, 1u); }, "2 (r99 = copy 1): register r99 is beyond the 5 that the program has"},
        Case{"ShiftTooFar", [](ThreadBuilder& b) { b.shift_left(n, 32u); }, "2 (r5 = shift_left r2 32): a shift by 32; 31 is the most"},
        Case{"DivisionByZero", [](ThreadBuilder& b) { b.compute(Arithmetic::remainder, {n, 0u}); }, "2 (r5 = remainder r2 0): a division of integers by 0"},
        Case{"FlagsAreNotCompared", [](ThreadBuilder& b) { b.compare(Comparison::equal, flag, flag); },
             "2 (p5 = equal p4 p4): the type flag cannot be compared"},
        Case{"BreakOutside", [](ThreadBuilder& b) { b.break_if(flag); }, "2 (break if p4): a break outside of a loop"},
        Case{"LoopForEver", [](ThreadBuilder& b) { b.loop([&] { b.barrier(); }); }, "2 (loop): a loop without an end"},
        Case{"BreakOfAnotherLoop", [](ThreadBuilder& b) { b.loop([&] { b.loop([&] { b.break_if(flag, false); }); }); }, "2 (loop): a loop without an end"},
        Case{"ThreeElements",
             [](ThreadBuilder& b) { b.store(GpuSpace::global, Element::f32, y, 0, {a, a, a}); },
             "2 (store f32 global [a1] = f3 f3 f3): 3 elements side by side; it must be 1, 2 or 4"},
        Case{"LoadedTwice", [](ThreadBuilder& b) { b.load(GpuSpace::global, Element::f32, {a, a}, x); }, "2 (f3 f3 = load f32 global [a0]): f3 is loaded twice"},
        Case{"ElementDoesNotFit", [](ThreadBuilder& b) { b.load(GpuSpace::global, Element::f16, {n}, x); },
             "2 (r2 = load f16 global [a0]): r2 is of type u32 where f32 is needed"},
        Case{"GlobalByNumber", [](ThreadBuilder& b) { b.load(GpuSpace::global, Element::u32, {n}, n); },
             "2 (r2 = load u32 global [r2]): r2 is of type u32 where address is needed"},
        Case{"BeyondSharedMemory", [](ThreadBuilder& b) { b.load(GpuSpace::shared, Element::u32, {n}, n, 64); },
             "2 (r2 = load u32 shared [r2 + 64]): bytes 64 to 68 of 64 that are shared"},
        Case{"NotAligned", [](ThreadBuilder& b) { b.load(GpuSpace::shared, Element::u32, {n}, 2u, 4); },
             "2 (r2 = load u32 shared [2 + 4]): byte 6 of shared memory is not aligned to 4"},
        Case{"SharedIsNotConstant", [](ThreadBuilder& b) { b.load(GpuSpace::shared, Element::u32, {n}, n, 0, true); },
             "2 (r2 = load u32 shared [r2] constant): shared memory is never constant"},
        Case{"WritesWhatIsRead", [](ThreadBuilder& b) { b.store_f32(b.advance(b.advance(x, n, 4), 1u, 4), 0, a); },
             "4 (store f32 global [a6] = f3): parameter x is written here, and says that it is not"},
        Case{"ReadsWhatIsWritten", [](ThreadBuilder& b) { b.load_f32(b.variable(Source(y))); },
             "3 (f6 = load f32 global [a5]): parameter y is read here, and says that it is not"},
        Case{"NoteOfTwoLines", [](ThreadBuilder& b) { b.note("a\nb"); }, "2 (# a\nb): a note is one line"}),
    [](const auto& info) { return info.param.name; });

TEST(ThreadProgram, FramesThatAreWrongAreRefused) {
  EXPECT_EQ(complaint_about([](ThreadBuilder&) {}, 0), "internal error: thread program broken: a block of 0 threads; it must be 1 to 1024");
  EXPECT_EQ(complaint_about([](ThreadBuilder&) {}, 1025), "internal error: thread program broken: a block of 1025 threads; it must be 1 to 1024");
  EXPECT_EQ(complaint_about([](ThreadBuilder& b) { b.u32_parameter("n"); }), "internal error: thread program broken: two parameters are called n");
  EXPECT_THAT(complaint_about([](ThreadBuilder& b) { b.u32_parameter("m n"); }), testing::HasSubstr("parameter \"m n\" must be called by letters"));
  EXPECT_THROW(ThreadBuilder("9lives").finish(32), InternalError);
  EXPECT_EQ(complaint_about([](ThreadBuilder&) {}), "nothing");
}

TEST(ThreadProgram, ALoopMayEndByAReturnAndCarryRegistersAround) {
  EXPECT_EQ(complaint_about([](ThreadBuilder& b) {
              const Register sum = b.variable(Source(0u));
              b.loop([&] {
                b.loop([&] { b.return_if(b.compare(Comparison::greater, sum, 5u)); });
                b.compute_into(sum, Arithmetic::add, {sum, 1u});
              });
            }),
            "nothing");
}

TEST(ThreadProgram, PrintsOneStatementALine) {
  ThreadBuilder b("all", "every kind");
  const Register from = b.address_parameter("from", true, false), count = b.u32_parameter("count");
  b.shared(20);
  const Register is_last = b.compare(Comparison::equal, b.special(Special::thread), count);
  b.when(is_last, [&] { b.note("here"); }, [&] { b.barrier(); });
  b.loop([&] { b.break_if(is_last, false); });
  const Register value = b.load_f32(b.advance(from, count, 4), 8, true);
  b.store(GpuSpace::shared, Element::bf16, 4u, 0, {b.select(is_last, value, 2.0f), -0.5f});
  b.atomic(Atomic::exchange_if_equal, GpuSpace::shared, count, 8, 1u, count);
  b.return_if(is_last);
  EXPECT_EQ(print(b.finish(64, 32)), R"(thread program all: 64 threads, 32 bytes shared, at most 32 registers
  # every kind
  parameter a0 address = from, read
  parameter r1 u32 = count
  r2 = thread
  p3 = equal r2 r1
  if p3
    # here
  else
    barrier
  loop
    break if not p3
  a4 = advance a0 + r1 * 4
  f5 = load f32 global [a4 + 8] constant
  f6 = select p3 f5 2.0
  store bf16 shared [4] = f6 -0.5
  r7 = atomic exchange_if_equal shared [r1 + 8] 1 r1
  return if p3
)");
}

}  // namespace
}  // namespace lacuna::kernel
