#include "support/sample_thread_programs.hpp"

#include "kernel/thread_builder.hpp"

namespace lacuna::tests {

using namespace kernel;

ThreadProgram scale_program() {
  ThreadBuilder b("scale", "y = x * factor + y: 256 threads a block, 1 value a thread");
  const Register x = b.address_parameter("x", true, false), y = b.address_parameter("y");
  const Register n = b.u32_parameter("n"), factor = b.f32_parameter("factor");
  const Register thread = b.special(Special::thread), block = b.special(Special::block_x);  // one after the other: C++ does not order arguments
  const Register i = b.multiply_add(block, 256u, thread);
  b.return_if(b.compare(Comparison::less, i, n), false);
  const Register to = b.advance(y, i, 4), old = b.load_f32(to), value = b.load_f32(b.advance(x, i, 4), 0, true);
  b.store_f32(to, 0, b.multiply_add(value, factor, old));
  return b.finish(256, 24);
}

ThreadProgram staged_rows_program() {
  constexpr std::uint32_t threads = 128, sources = 512;
  ThreadBuilder b("staged_rows", "clip(sum of weights * staged inputs + bias, 0, 32)\n128 rows a block, 2 inputs a thread, 512 sources staged");
  const Register x = b.address_parameter("x", true, false), rows = b.address_parameter("rows", true, false), y = b.address_parameter("y", false, true);
  const Register nonzeros = b.u32_parameter("nonzeros");
  const std::uint32_t stage = b.shared(sources * 8);
  const Register thread = b.special(Special::thread), block = b.special(Special::block_x);
  b.note("stage the inputs");
  const Register from = b.advance(x, thread, 8), to = b.multiply(thread, 8u);
  for (std::uint32_t i = 0; i < sources / threads; ++i) {
    const Register first = b.variable(Type::f32), second = b.variable(Type::f32);
    b.load(GpuSpace::global, Element::f32, {first, second}, from, i * threads * 8, true);
    b.store(GpuSpace::shared, Element::f32, to, stage + i * threads * 8, {first, second});
  }
  b.barrier();
  b.note("one position and weight after the other, those of all rows side by side");
  const Register row = b.multiply_add(block, threads, thread);
  const Register position = b.advance(rows, row, 2), weight = b.advance(b.advance(rows, row, 4), nonzeros, threads * 2);
  const Register sums[2] = {b.variable(Source(0.5f)), b.variable(Source(0.5f))};
  b.count(0u, nonzeros, 1, [&](Register) {
    const Register source = b.variable(Type::u32), inputs[2] = {b.variable(Type::f32), b.variable(Type::f32)};
    b.load(GpuSpace::global, Element::u16, {source}, position, 0, true);
    b.load(GpuSpace::shared, Element::f32, {inputs[0], inputs[1]}, b.shift_left(source, 3u), stage);
    const Register value = b.load_f32(weight, 0, true);
    for (int i = 0; i < 2; ++i) b.compute_into(sums[i], Arithmetic::multiply_add, {inputs[i], value, sums[i]});
    b.advance_into(position, position, threads, 2);
    b.advance_into(weight, weight, threads, 4);
  });
  for (const Register sum : sums) b.set(sum, b.minimum(b.maximum(sum, 0.0f), 32.0f));
  const Register out = b.advance(y, row, 4);
  b.store(GpuSpace::global, Element::f16, out, 0, {sums[0], sums[1]});
  b.when(b.compare(Comparison::equal, sums[0], 0.0f), [&] { b.store(GpuSpace::global, Element::bf16, b.advance(out, 1u, 1 << 20), 0, {sums[1]}); },
         [&] {
           const Register blocks = b.special(Special::blocks_x);
           b.store(GpuSpace::global, Element::u8, b.advance(out, 2u, 1 << 20), 0, {1u, 0u, blocks, thread});
         });
  return b.finish(threads, 40);
}

ThreadProgram bins_program() {
  constexpr std::uint32_t threads = 64, bins = 16384;
  ThreadBuilder b("bins", "counts of 16-bit values in 64 KiB of bins");
  const Register values = b.address_parameter("values", true, false), counts = b.address_parameter("counts"), n = b.u32_parameter("n");
  const std::uint32_t table = b.shared(bins * 4);
  const Register thread = b.special(Special::thread);
  b.count(thread, bins, threads, [&](Register bin) { b.store(GpuSpace::shared, Element::u32, b.multiply(bin, 4u), table, {0u}); });
  b.barrier();
  b.count(thread, n, threads, [&](Register i) {
    const Register value = b.variable(Type::u32);
    b.load(GpuSpace::global, Element::u16, {value}, b.advance(values, i, 2));
    b.atomic(Atomic::add, GpuSpace::shared, b.multiply(b.bit_and(value, bins - 1), 4u), table, 1u);
  });
  b.barrier();
  b.count(thread, bins, threads, [&](Register bin) {
    const Register count = b.variable(Type::u32);
    b.load(GpuSpace::shared, Element::u32, {count}, b.multiply(bin, 4u), table);
    b.when(b.compare(Comparison::not_equal, count, 0u), [&] { b.atomic(Atomic::add, GpuSpace::global, b.advance(counts, bin, 4), 0, count); });
  });
  return b.finish(threads, 24);
}

std::vector<ThreadProgram> sample_thread_programs() { return {scale_program(), staged_rows_program(), bins_program()}; }

}  // namespace lacuna::tests
