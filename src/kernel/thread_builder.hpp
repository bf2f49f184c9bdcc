// ThreadBuilder: writes thread programs. Values are registers; operators of this class make new ones, set() changes one that is there.
//
//   ThreadBuilder b("scale");
//   const Register x = b.address_parameter("x"), n = b.u32_parameter("n");
//   const Register i = b.multiply_add(b.special(Special::block_x), 256u, b.special(Special::thread));
//   b.when(b.compare(Comparison::less, i, n), [&] {
//     const Register at = b.advance(x, i, 4);
//     b.store_f32(at, 0, b.multiply(b.load_f32(at), 2.0f));
//   });
//   ThreadProgram program = b.finish(256);
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

class ThreadBuilder {
 public:
  explicit ThreadBuilder(std::string name, std::string comment = {});

  Register address_parameter(std::string name, bool is_read = true, bool is_written = true);
  Register u32_parameter(std::string name);
  Register f32_parameter(std::string name);

  /// Reserves bytes of shared memory, aligned to 16; returns the offset of the first.
  std::uint32_t shared(std::uint32_t bytes);

  Register variable(Type type);              ///< a new register that holds nothing yet
  Register variable(Source value);           ///< a new register with a value
  void set(Register target, Source value);   ///< copy

  Register compute(Arithmetic operation, std::initializer_list<Source> sources);
  void compute_into(Register target, Arithmetic operation, std::initializer_list<Source> sources);
  Register add(Source a, Source b) { return compute(Arithmetic::add, {a, b}); }
  Register subtract(Source a, Source b) { return compute(Arithmetic::subtract, {a, b}); }
  Register multiply(Source a, Source b) { return compute(Arithmetic::multiply, {a, b}); }
  Register multiply_add(Source a, Source b, Source c) { return compute(Arithmetic::multiply_add, {a, b, c}); }
  Register minimum(Source a, Source b) { return compute(Arithmetic::minimum, {a, b}); }
  Register maximum(Source a, Source b) { return compute(Arithmetic::maximum, {a, b}); }
  Register bit_and(Source a, Source b) { return compute(Arithmetic::bit_and, {a, b}); }
  Register shift_left(Source a, Source b) { return compute(Arithmetic::shift_left, {a, b}); }
  Register shift_right(Source a, Source b) { return compute(Arithmetic::shift_right, {a, b}); }
  Register select(Register flag, Source if_set, Source if_not) { return compute(Arithmetic::select, {flag, if_set, if_not}); }
  Register compare(Comparison comparison, Source a, Source b);
  Register special(Special special);
  Register advance(Register base, Source index, std::uint32_t scale);
  void advance_into(Register target, Register base, Source index, std::uint32_t scale);

  void load(GpuSpace space, Element element, std::vector<Register> targets, Source at, std::uint32_t offset = 0, bool is_constant = false);
  void store(GpuSpace space, Element element, Source at, std::uint32_t offset, std::vector<Source> sources);
  Register load_f32(Register address, std::uint32_t offset = 0, bool is_constant = false);
  Register load_u32(Register address, std::uint32_t offset = 0, bool is_constant = false);
  void store_f32(Register address, std::uint32_t offset, Source value) { store(GpuSpace::global, Element::f32, address, offset, {value}); }
  void store_u32(Register address, std::uint32_t offset, Source value) { store(GpuSpace::global, Element::u32, address, offset, {value}); }
  Register atomic(Atomic operation, GpuSpace space, Source at, std::uint32_t offset, Source a, Source b = Source(0u));

  void barrier();
  void note(std::string text);
  void when(Register flag, const std::function<void()>& then, const std::function<void()>& otherwise = {});
  void loop(const std::function<void()>& body);
  void break_if(Register flag, bool when = true);
  void return_if(Register flag, bool when = true);

  /// counter = begin; while (counter < end) { body(counter); counter += step; }
  void count(Source begin, Source end, std::uint32_t step, const std::function<void(Register)>& body);

  /// Verified. `most_registers`: what the template promises.
  ThreadProgram finish(std::uint32_t block_threads, std::uint32_t most_registers = 0);

 private:
  void emit(Statement statement);

  ThreadProgram program_;
  std::vector<Body*> open_;  ///< where statements go, innermost last
};

}  // namespace lacuna::kernel
