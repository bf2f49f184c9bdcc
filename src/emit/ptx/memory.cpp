// Loads, stores and atomics.
#include <limits>

#include <lacuna/error.hpp>

#include "emit/ptx/kernel_writer.hpp"
#include "kernel/thread_statements.hpp"

namespace lacuna::emit::ptx {
using namespace kernel;

namespace {

constexpr std::uint64_t most_offset = std::numeric_limits<std::int32_t>::max();

std::string vector_of(std::size_t count) { return count == 1 ? "" : fmt::format(".v{}", count); }

/// One operand as it is, several in braces.
std::string together(const std::vector<std::string>& operands) {
  return operands.size() == 1 ? operands[0] : fmt::format("{{{}}}", fmt::join(operands, ", "));
}

}  // namespace

std::string KernelWriter::place(GpuSpace space, const Source& at, std::uint32_t offset) {
  const auto with = [](const std::string& base, std::uint64_t distance) {
    return distance == 0 ? fmt::format("[{}]", base) : fmt::format("[{}+{}]", base, distance);
  };
  if (space == GpuSpace::shared) {
    if (at.is_constant) return with(shared_name(), std::uint64_t{at.bits} + offset);
    return with(places_.is_shared_pointer(at) ? name(at.reg) : shadows_[at.reg.number], offset);
  }
  const Places::Folded address = places_.resolve(at.reg);
  const std::uint64_t distance = address.distance + offset;
  if (distance <= most_offset) return with(name(address.base), distance);
  const std::string far = scratch(wides_, "%w");
  instruction("add.u64", {far, name(address.base), fmt::format("{}", distance)});
  return with(far, 0);
}

void KernelWriter::write(const Load& s) {
  const std::string where = place(s.space, s.at, s.offset);
  const std::string head = fmt::format("ld.{}{}", name_of(s.space), s.is_constant ? ".nc" : "");
  const std::size_t count = s.targets.size();
  std::vector<std::string> names;
  if (s.element == Element::f16) {
    for (std::size_t i = 0; i < count; ++i) names.push_back(half());
    instruction(fmt::format("{}{}.b16", head, vector_of(count)), {together(names), where});
    for (std::size_t i = 0; i < count; ++i) instruction("cvt.f32.f16", {name(s.targets[i]), names[i]});
  } else if (s.element == Element::bf16 && count == 1) {
    const std::string bits = temporary();
    instruction(head + ".u16", {bits, where});
    instruction("shl.b32", {name(s.targets[0]), bits, "16"});
  } else if (s.element == Element::bf16) {  // two to a register: the upper one stands where a float has its upper half already
    for (std::size_t i = 0; i < count / 2; ++i) names.push_back(temporary());
    instruction(fmt::format("{}{}.b32", head, vector_of(count / 2)), {together(names), where});
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 2 == 0) instruction("shl.b32", {name(s.targets[i]), names[i / 2], "16"});
      else instruction("and.b32", {name(s.targets[i]), names[i / 2], "0xFFFF0000"});
    }
  } else {  // narrow integers widen by themselves in a register of 32 bits
    for (const Register reg : s.targets) names.push_back(name(reg));
    instruction(fmt::format("{}{}.{}", head, vector_of(count), name_of(s.element)), {together(names), where});
    for (const Register reg : s.targets) follow(reg);
  }
}

/// The upper half, rounded to nearest, ties to even; NaN stays NaN.
std::string KernelWriter::narrow_to_bf16(const Source& value) {
  const std::string bits = temporary(), rounded = temporary(), is_nan = scratch(conditions_, "%q");
  instruction("mov.b32", {bits, operand(value)});
  instruction("bfe.u32", {rounded, bits, "16", "1"});
  instruction("add.u32", {rounded, rounded, bits});
  instruction("add.u32", {rounded, rounded, "32767"});
  instruction("shr.u32", {rounded, rounded, "16"});
  instruction("setp.nan.f32", {is_nan, operand(value), operand(value)});
  instruction("selp.u32", {rounded, "32767", rounded, is_nan});
  return rounded;
}

void KernelWriter::write(const Store& s) {
  const std::string where = place(s.space, s.at, s.offset);
  std::vector<std::string> values;
  std::string_view type = name_of(s.element);
  for (const Source& source : s.sources) {
    if (s.element == Element::f16) {
      values.push_back(half());
      instruction("cvt.rn.f16.f32", {values.back(), operand(source)});
      type = "b16";
    } else if (s.element == Element::bf16) {
      values.push_back(narrow_to_bf16(source));
      type = "u16";
    } else if (source.is_constant && bytes_of(s.element) < 4) {
      values.push_back(fmt::format("{}", source.bits & (s.element == Element::u8 ? 0xFFu : 0xFFFFu)));
    } else {
      values.push_back(operand(source));
    }
  }
  instruction(fmt::format("st.{}{}.{}", name_of(s.space), vector_of(values.size()), type), {where, together(values)});
}

void KernelWriter::write(const AtomicUpdate& s) {
  const std::string where = place(s.space, s.at, s.offset);
  const auto opcode = [&](std::string_view operation) { return fmt::format("atom.{}.{}", name_of(s.space), operation); };
  switch (s.operation) {
    case Atomic::add: instruction(opcode("add.u32"), {name(s.old), where, operand(s.a)}); break;
    case Atomic::bit_or: instruction(opcode("or.b32"), {name(s.old), where, operand(s.a)}); break;
    case Atomic::maximum: instruction(opcode("max.u32"), {name(s.old), where, operand(s.a)}); break;
    case Atomic::exchange_if_equal: instruction(opcode("cas.b32"), {name(s.old), where, operand(s.a), operand(s.b)}); break;
  }
  follow(s.old);
}

}  // namespace lacuna::emit::ptx
