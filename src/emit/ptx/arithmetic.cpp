// What registers are made of.
#include <array>

#include <lacuna/error.hpp>

#include "emit/ptx/kernel_writer.hpp"
#include "kernel/thread_statements.hpp"

namespace lacuna::emit::ptx {
using namespace kernel;

namespace {

struct Opcodes {
  std::string_view u32, f32, flag;
};

// In the order of Arithmetic. f32 is rounded to nearest wherever PTX has a choice, and never contracted.
constexpr std::array opcodes{
    Opcodes{"mov.u32", "mov.f32", "mov.pred"},
    Opcodes{"add.u32", "add.rn.f32", ""},
    Opcodes{"sub.u32", "sub.rn.f32", ""},
    Opcodes{"mul.lo.u32", "mul.rn.f32", ""},
    Opcodes{"mad.lo.u32", "fma.rn.f32", ""},
    Opcodes{"div.u32", "div.rn.f32", ""},
    Opcodes{"rem.u32", "", ""},
    Opcodes{"min.u32", "min.f32", ""},
    Opcodes{"max.u32", "max.f32", ""},
    Opcodes{"and.b32", "", "and.pred"},
    Opcodes{"or.b32", "", "or.pred"},
    Opcodes{"xor.b32", "", "xor.pred"},
    Opcodes{"not.b32", "", "not.pred"},
    Opcodes{"shl.b32", "", ""},
    Opcodes{"shr.u32", "", ""},
    Opcodes{"popc.b32", "", ""},
    Opcodes{"", "neg.f32", ""},
    Opcodes{"", "abs.f32", ""},
    Opcodes{"", "cvt.rmi.f32.f32", ""},
    Opcodes{"", "sqrt.rn.f32", ""},
    Opcodes{"", "ex2.approx.f32", ""},
    Opcodes{"", "lg2.approx.f32", ""},
    Opcodes{"", "sin.approx.f32", ""},
    Opcodes{"", "cos.approx.f32", ""},
    Opcodes{"cvt.rn.f32.u32", "", ""},
    Opcodes{"", "cvt.rzi.u32.f32", ""},
    Opcodes{"mov.b32", "", ""},
    Opcodes{"", "mov.b32", ""},
    Opcodes{"selp.u32", "selp.f32", ""},
};
static_assert(opcodes.size() == static_cast<std::size_t>(Arithmetic::select) + 1);

std::string_view condition(Comparison comparison, Type type) {
  switch (comparison) {
    case Comparison::equal: return "eq";
    case Comparison::not_equal: return type == Type::f32 ? "neu" : "ne";  // true where one is NaN
    case Comparison::less: return "lt";
    case Comparison::less_equal: return "le";
    case Comparison::greater: return "gt";
    case Comparison::greater_equal: return "ge";
  }
  throw InternalError("a comparison of no known kind");
}

}  // namespace

void KernelWriter::write(const Compute& s) {
  if (s.target.type == Type::address) return instruction("mov.u64", {name(s.target), operand(s.sources[0])});
  if (places_.is_shared_pointer(s.target) && write_pointer(s)) return;
  const Opcodes& of_operation = opcodes[static_cast<std::size_t>(s.operation)];
  const Type type = s.operation == Arithmetic::select ? s.sources[1].type : s.sources[0].type;
  const std::string_view opcode = type == Type::f32 ? of_operation.f32 : type == Type::flag ? of_operation.flag : of_operation.u32;
  if (s.operation == Arithmetic::select) {
    instruction(opcode, {name(s.target), operand(s.sources[1]), operand(s.sources[2]), operand(s.sources[0])});
  } else if (s.sources.size() == 1) {
    instruction(opcode, {name(s.target), operand(s.sources[0])});
  } else if (s.sources.size() == 2) {
    instruction(opcode, {name(s.target), operand(s.sources[0]), operand(s.sources[1])});
  } else {
    instruction(opcode, {name(s.target), operand(s.sources[0]), operand(s.sources[1]), operand(s.sources[2])});
  }
  follow(s.target);
}

/// Where the beginning of shared memory comes in without an instruction of its own. False: it does not.
bool KernelWriter::write_pointer(const Compute& s) {
  const auto& sources = s.sources;
  const std::string& target = name(s.target);
  const auto is_pointer = [&](std::size_t i) { return places_.is_shared_pointer(sources[i]); };
  switch (s.operation) {
    case Arithmetic::copy:
      if (is_pointer(0)) return instruction("mov.u32", {target, operand(sources[0])}), true;
      if (sources[0].is_constant) return instruction("mov.u32", {target, fmt::format("{}+{}", shared_name(), sources[0].bits)}), true;
      return instruction("add.u32", {target, operand(sources[0]), shared_at(0)}), true;
    case Arithmetic::add:
      if (is_pointer(0) || is_pointer(1)) return instruction("add.u32", {target, operand(sources[0]), operand(sources[1])}), true;
      for (const std::size_t i : {0u, 1u})
        if (sources[i].is_constant) return instruction("add.u32", {target, operand(sources[1 - i]), shared_at(sources[i].bits)}), true;
      return false;
    case Arithmetic::subtract:
      if (is_pointer(0)) return instruction("sub.u32", {target, operand(sources[0]), operand(sources[1])}), true;
      return false;
    case Arithmetic::multiply: return instruction("mad.lo.u32", {target, operand(sources[0]), operand(sources[1]), shared_at(0)}), true;
    case Arithmetic::multiply_add: {
      const bool is_plain = !is_pointer(2) && !sources[2].is_constant;
      const std::string last = sources[2].is_constant ? shared_at(sources[2].bits) : operand(sources[2]);
      instruction("mad.lo.u32", {target, operand(sources[0]), operand(sources[1]), last});
      if (is_plain) follow(s.target);
      return true;
    }
    case Arithmetic::shift_left:
      if (!sources[1].is_constant) return false;
      return instruction("mad.lo.u32", {target, operand(sources[0]), fmt::format("{}", 1u << sources[1].bits), shared_at(0)}), true;
    default: return false;
  }
}

void KernelWriter::write(const Compare& s) {
  instruction(fmt::format("setp.{}.{}", condition(s.comparison, s.a.type), name_of(s.a.type)), {name(s.target), operand(s.a), operand(s.b)});
}

void KernelWriter::write(const ReadSpecial& s) {
  const auto text = [&]() -> std::string {
    switch (s.special) {
      case Special::thread: return "%tid.x";
      case Special::block_x: return "%ctaid.x";
      case Special::block_y: return "%ctaid.y";
      case Special::blocks_x: return "%nctaid.x";
      case Special::block_threads: return fmt::format("{}", program_.block_threads);
    }
    throw InternalError("a special register of no known kind");
  };
  instruction("mov.u32", {name(s.target), text()});
  follow(s.target);
}

void KernelWriter::write(const Advance& s) {
  if (places_.is_folded(s.target)) return;
  if (s.index.is_constant) {
    const Places::Folded base = places_.resolve(s.base);
    const std::uint64_t distance = base.distance + std::uint64_t{s.index.bits} * s.scale;
    if (distance == 0) return instruction("mov.u64", {name(s.target), name(base.base)});
    return instruction("add.u64", {name(s.target), name(base.base), fmt::format("{}", distance)});
  }
  instruction("mad.wide.u32", {name(s.target), operand(s.index), fmt::format("{}", s.scale), name(s.base)});
}

}  // namespace lacuna::emit::ptx
