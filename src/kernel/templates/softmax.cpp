#include "kernel/templates/softmax.hpp"

#include <fmt/format.h>

#include <limits>

namespace lacuna::kernel {
namespace {

constexpr float log2_e = 1.44269504f;

/// The combination of all threads' values, in every thread.
Register meet(ThreadBuilder& b, Register value, Register thread, std::uint32_t block_threads, Arithmetic operation) {
  const std::uint32_t place = b.shared(block_threads * 4);
  const Register at = b.shift_left(thread, 2u);
  b.store(GpuSpace::shared, Element::f32, at, place, {value});
  b.barrier();
  for (std::uint32_t half = block_threads / 2; half > 0; half /= 2) {
    b.when(b.compare(Comparison::less, thread, half), [&] {
      const Register mine = b.variable(Type::f32), other = b.variable(Type::f32);
      b.load(GpuSpace::shared, Element::f32, {mine}, at, place);
      b.load(GpuSpace::shared, Element::f32, {other}, at, place + half * 4);
      b.store(GpuSpace::shared, Element::f32, at, place, {b.compute(operation, {mine, other})});
    });
    b.barrier();
  }
  const Register result = b.variable(Type::f32);
  b.load(GpuSpace::shared, Element::f32, {result}, b.variable(0u), place);
  return result;
}

}  // namespace

ThreadProgram build(const Softmax& softmax) {
  ThreadBuilder b(softmax.name, fmt::format("softmax: {} rows of {}", softmax.rows, softmax.width));
  const Register input = b.address_parameter("input", true, false), output = b.address_parameter("output", false, true);
  const Register row = b.special(Special::block_x), thread = b.special(Special::thread);
  const Register from = b.advance(input, b.multiply(row, softmax.width), 4), to = b.advance(output, b.multiply(row, softmax.width), 4);
  const auto for_each = [&](const auto& work) { b.count(thread, softmax.width, softmax.block_threads, work); };

  const Register largest = b.variable(-std::numeric_limits<float>::infinity());
  for_each([&](Register k) { b.compute_into(largest, Arithmetic::maximum, {largest, b.load_f32(b.advance(from, k, 4))}); });
  const Register top = meet(b, largest, thread, softmax.block_threads, Arithmetic::maximum);

  const Register sum = b.variable(0.0f);
  const auto power = [&](Register k) { return b.compute(Arithmetic::exp2, {b.multiply(b.subtract(b.load_f32(b.advance(from, k, 4)), top), log2_e)}); };
  for_each([&](Register k) { b.compute_into(sum, Arithmetic::add, {sum, power(k)}); });
  const Register total = meet(b, sum, thread, softmax.block_threads, Arithmetic::add);
  for_each([&](Register k) { b.store_f32(b.advance(to, k, 4), 0, b.compute(Arithmetic::divide, {power(k), total})); });
  return b.finish(softmax.block_threads, 40);
}

}  // namespace lacuna::kernel
