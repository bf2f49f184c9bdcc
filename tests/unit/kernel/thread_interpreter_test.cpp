// The judge of emitted code, judged by hand.
#include "support/thread_interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernel/thread_builder.hpp"
#include "support/sample_thread_programs.hpp"

namespace lacuna::tests {
namespace {

using namespace kernel;

template <typename T>
std::span<std::byte> bytes(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

TEST(ThreadInterpreter, RunsEveryThreadOfEveryBlock) {
  std::vector<float> x(600), y(600, 1.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  interpret(scale_program(), 3, 1, {bytes(x), bytes(y), 500u, 2.0f});
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], i < 500 ? 2.0f * static_cast<float>(i) + 1 : 1.0f) << i;
}

TEST(ThreadInterpreter, ThreadsMeetInSharedMemory) {
  std::vector<std::uint16_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i % 10 * 1000);
  std::vector<std::uint32_t> counts(16384);
  interpret(bins_program(), 2, 1, {bytes(values), bytes(counts), 1000u});
  for (std::size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], i % 1000 == 0 && i < 10000 ? 200u : 0u) << i;
}

std::string complaint_about(const std::function<void(ThreadBuilder&, Register)>& make) {
  ThreadBuilder b("strict");
  const Register x = b.address_parameter("x");
  b.shared(64);
  make(b, x);
  std::vector<float> memory(8);
  try {
    interpret(b.finish(4), 1, 1, {bytes(memory)});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ThreadInterpreter, IsStrict) {
  EXPECT_EQ(complaint_about([](ThreadBuilder& b, Register x) { b.load_f32(x, 32); }), "strict: f1 = load f32 global [a0 + 32]: thread 0 reaches bytes 32 to 36 of 32");
  EXPECT_EQ(complaint_about([](ThreadBuilder& b, Register x) { b.load_f32(b.advance(x, 3u, 2)); }),
            "strict: f2 = load f32 global [a1]: thread 0 reaches byte 6, which is not aligned to 4");
  EXPECT_EQ(complaint_about([](ThreadBuilder& b, Register) {
              const Register value = b.variable(Type::u32), is_first = b.compare(Comparison::equal, b.special(Special::thread), 0u);
              b.when(is_first, [&] { b.set(value, 1u); });
              b.add(value, 1u);
            }),
            "strict: r4 = add r1 1: thread 1 reads r1, which holds nothing");
  EXPECT_EQ(complaint_about([](ThreadBuilder& b, Register) {
              b.when(b.compare(Comparison::less, b.special(Special::thread), 2u), [&] { b.barrier(); });
            }),
            "strict: barrier: some threads of the block do not reach the barrier");
}

TEST(ThreadInterpreter, NarrowElementsRoundToTheNearestEven) {
  const auto half = [](float value) { return narrow(Element::f16, std::bit_cast<std::uint32_t>(value)); };
  EXPECT_EQ(half(1.0f), 0x3C00u);
  EXPECT_EQ(half(-2.0f), 0xC000u);
  EXPECT_EQ(half(65519.0f), 0x7BFFu);
  EXPECT_EQ(half(65520.0f), 0x7C00u);
  EXPECT_EQ(half(1.0f + 0x1p-11f), 0x3C00u);
  EXPECT_EQ(half(1.0f + 0x3p-11f), 0x3C02u);
  EXPECT_EQ(half(0x1p-24f), 0x0001u);
  EXPECT_EQ(half(0x1p-25f), 0x0000u);
  for (std::uint32_t bits = 0; bits < 0x7C00u; ++bits) ASSERT_EQ(narrow(Element::f16, widen(Element::f16, bits)), bits);
  const auto brain = [](float value) { return narrow(Element::bf16, std::bit_cast<std::uint32_t>(value)); };
  EXPECT_EQ(brain(1.0f + 0x1p-8f), 0x3F80u);
  EXPECT_EQ(brain(1.0f + 0x3p-8f), 0x3F82u);
  EXPECT_EQ(brain(NAN), 0x7FFFu);
  EXPECT_EQ(narrow(Element::u8, 0x1FFu), 0xFFu);
}

}  // namespace
}  // namespace lacuna::tests
