#include "kernel/thread_builder.hpp"

#include <bit>

#include <lacuna/error.hpp>

namespace lacuna::kernel {

Source::Source(float value) : is_constant(true), bits(std::bit_cast<std::uint32_t>(value)), type(Type::f32) {}

namespace {

Type result_type(Arithmetic operation, const std::vector<Source>& sources) {
  switch (operation) {
    case Arithmetic::to_float:
    case Arithmetic::as_float: return Type::f32;
    case Arithmetic::to_integer:
    case Arithmetic::as_integer: return Type::u32;
    case Arithmetic::select: return sources.at(1).type;
    default: return sources.at(0).type;
  }
}

}  // namespace

ThreadBuilder::ThreadBuilder(std::string name, std::string comment) {
  program_.name = std::move(name);
  program_.comment = std::move(comment);
  open_.push_back(&program_.body);
}

Register ThreadBuilder::address_parameter(std::string name, bool is_read, bool is_written) {
  program_.parameters.push_back({std::move(name), Type::address, variable(Type::address), is_read, is_written});
  return program_.parameters.back().reg;
}
Register ThreadBuilder::u32_parameter(std::string name) {
  program_.parameters.push_back({std::move(name), Type::u32, variable(Type::u32)});
  return program_.parameters.back().reg;
}
Register ThreadBuilder::f32_parameter(std::string name) {
  program_.parameters.push_back({std::move(name), Type::f32, variable(Type::f32)});
  return program_.parameters.back().reg;
}

std::uint32_t ThreadBuilder::shared(std::uint32_t bytes) {
  const std::uint32_t offset = program_.shared_bytes;
  program_.shared_bytes += (bytes + 15) / 16 * 16;
  return offset;
}

Register ThreadBuilder::variable(Type type) { return {program_.registers++, type}; }
Register ThreadBuilder::variable(Source value) {
  const Register target = variable(value.type);
  set(target, value);
  return target;
}
void ThreadBuilder::set(Register target, Source value) { compute_into(target, Arithmetic::copy, {value}); }

Register ThreadBuilder::compute(Arithmetic operation, std::initializer_list<Source> sources) {
  const Register target = variable(result_type(operation, sources));
  compute_into(target, operation, sources);
  return target;
}
void ThreadBuilder::compute_into(Register target, Arithmetic operation, std::initializer_list<Source> sources) {
  emit({Compute{operation, target, sources}});
}
Register ThreadBuilder::compare(Comparison comparison, Source a, Source b) {
  const Register target = variable(Type::flag);
  emit({Compare{comparison, target, a, b}});
  return target;
}
Register ThreadBuilder::special(Special special) {
  const Register target = variable(Type::u32);
  emit({ReadSpecial{special, target}});
  return target;
}
Register ThreadBuilder::advance(Register base, Source index, std::uint32_t scale) {
  const Register target = variable(Type::address);
  advance_into(target, base, index, scale);
  return target;
}
void ThreadBuilder::advance_into(Register target, Register base, Source index, std::uint32_t scale) { emit({Advance{target, base, index, scale}}); }

void ThreadBuilder::load(GpuSpace space, Element element, std::vector<Register> targets, Source at, std::uint32_t offset, bool is_constant) {
  emit({Load{space, element, std::move(targets), at, offset, is_constant}});
}
void ThreadBuilder::store(GpuSpace space, Element element, Source at, std::uint32_t offset, std::vector<Source> sources) {
  emit({Store{space, element, at, offset, std::move(sources)}});
}
Register ThreadBuilder::load_f32(Register address, std::uint32_t offset, bool is_constant) {
  const Register target = variable(Type::f32);
  load(GpuSpace::global, Element::f32, {target}, address, offset, is_constant);
  return target;
}
Register ThreadBuilder::load_u32(Register address, std::uint32_t offset, bool is_constant) {
  const Register target = variable(Type::u32);
  load(GpuSpace::global, Element::u32, {target}, address, offset, is_constant);
  return target;
}
Register ThreadBuilder::atomic(Atomic operation, GpuSpace space, Source at, std::uint32_t offset, Source a, Source b) {
  const Register old = variable(Type::u32);
  emit({AtomicUpdate{operation, space, old, at, offset, a, b}});
  return old;
}

void ThreadBuilder::barrier() { emit({Barrier{}}); }
void ThreadBuilder::note(std::string text) { emit({Note{std::move(text)}}); }
void ThreadBuilder::break_if(Register flag, bool when) { emit({BreakIf{flag, when}}); }
void ThreadBuilder::return_if(Register flag, bool when) { emit({ReturnIf{flag, when}}); }

void ThreadBuilder::when(Register flag, const std::function<void()>& then, const std::function<void()>& otherwise) {
  If branch{flag, {}, {}};
  open_.push_back(&branch.then);
  then();
  open_.back() = &branch.otherwise;
  if (otherwise) otherwise();
  open_.pop_back();
  emit({std::move(branch)});
}

void ThreadBuilder::loop(const std::function<void()>& body) {
  Loop loop;
  open_.push_back(&loop.body);
  body();
  open_.pop_back();
  emit({std::move(loop)});
}

void ThreadBuilder::count(Source begin, Source end, std::uint32_t step, const std::function<void(Register)>& body) {
  const Register counter = variable(begin);
  when(compare(Comparison::less, counter, end), [&] {
    loop([&] {
      body(counter);
      compute_into(counter, Arithmetic::add, {counter, step});
      break_if(compare(Comparison::greater_equal, counter, end));
    });
  });
}

ThreadProgram ThreadBuilder::finish(std::uint32_t block_threads, std::uint32_t most_registers) {
  program_.block_threads = block_threads;
  program_.most_registers = most_registers;
  verify(program_);
  return std::move(program_);
}

void ThreadBuilder::emit(Statement statement) { open_.back()->push_back(std::move(statement)); }

}  // namespace lacuna::kernel
