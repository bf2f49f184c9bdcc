// What registers are made of, and memory.
#include <array>

#include <lacuna/error.hpp>

#include "emit/opencl/kernel_writer.hpp"
#include "kernel/thread_statements.hpp"

namespace lacuna::emit::opencl {
using namespace kernel;

namespace {

struct Formulas {
  std::string_view u32, f32, flag;
};

// In the order of Arithmetic.
constexpr std::array formulas{
    Formulas{"{0}", "{0}", "{0}"},
    Formulas{"{0} + {1}", "{0} + {1}", ""},
    Formulas{"{0} - {1}", "{0} - {1}", ""},
    Formulas{"{0} * {1}", "{0} * {1}", ""},
    Formulas{"{0} * {1} + {2}", "fma({0}, {1}, {2})", ""},
    Formulas{"{0} / {1}", "{0} / {1}", ""},
    Formulas{"{0} % {1}", "", ""},
    Formulas{"min({0}, {1})", "fmin({0}, {1})", ""},
    Formulas{"max({0}, {1})", "fmax({0}, {1})", ""},
    Formulas{"{0} & {1}", "", "{0} && {1}"},
    Formulas{"{0} | {1}", "", "{0} || {1}"},
    Formulas{"{0} ^ {1}", "", "{0} != {1}"},
    Formulas{"~{0}", "", "!{0}"},
    Formulas{"{0} << {1}", "", ""},
    Formulas{"{0} >> {1}", "", ""},
    Formulas{"popcount({0})", "", ""},
    Formulas{"", "-{0}", ""},
    Formulas{"", "fabs({0})", ""},
    Formulas{"", "floor({0})", ""},
    Formulas{"", "sqrt({0})", ""},
    Formulas{"", "exp2({0})", ""},
    Formulas{"", "log2({0})", ""},
    Formulas{"", "sin({0})", ""},
    Formulas{"", "cos({0})", ""},
    Formulas{"convert_float_rte({0})", "", ""},
    Formulas{"", "convert_uint_sat_rtz({0})", ""},
    Formulas{"as_float({0})", "", ""},
    Formulas{"", "as_uint({0})", ""},
    Formulas{"{0} ? {1} : {2}", "{0} ? {1} : {2}", ""},
};
static_assert(formulas.size() == static_cast<std::size_t>(Arithmetic::select) + 1);

std::string_view sign(Comparison comparison) {
  switch (comparison) {
    case Comparison::equal: return "==";
    case Comparison::not_equal: return "!=";
    case Comparison::less: return "<";
    case Comparison::less_equal: return "<=";
    case Comparison::greater: return ">";
    case Comparison::greater_equal: return ">=";
  }
  throw InternalError("a comparison of no known kind");
}

std::string integer_of(Element element, std::size_t count) {
  const unsigned bytes = bytes_of(element);
  return fmt::format("{}{}", bytes == 1 ? "uchar" : bytes == 2 ? "ushort" : "uint", count == 1 ? "" : std::to_string(count));
}

/// One number as it stands in memory -> the register's value.
std::string widened(Element element, const std::string& bits) {
  switch (element) {
    case Element::f32: return fmt::format("as_float({})", bits);
    case Element::bf16: return fmt::format("as_float((uint){} << 16)", bits);
    default: return bits;
  }
}

}  // namespace

void KernelWriter::write(const Compute& s) {
  const Formulas& of_operation = formulas[static_cast<std::size_t>(s.operation)];
  const Type type = s.operation == Arithmetic::select ? s.sources[1].type : s.sources[0].type;
  const std::string_view formula = type == Type::f32 ? of_operation.f32 : type == Type::flag ? of_operation.flag : of_operation.u32;
  const auto source = [&](std::size_t i) { return i < s.sources.size() ? operand(s.sources[i]) : std::string(); };
  assign(s.target, fmt::format(fmt::runtime(formula), source(0), source(1), source(2)));
}

void KernelWriter::write(const Compare& s) { assign(s.target, fmt::format("{} {} {}", operand(s.a), sign(s.comparison), operand(s.b))); }

void KernelWriter::write(const ReadSpecial& s) {
  switch (s.special) {
    case Special::thread: return assign(s.target, "(uint)get_local_id(0)");
    case Special::block_x: return assign(s.target, "(uint)get_group_id(0)");
    case Special::block_y: return assign(s.target, "(uint)get_group_id(1)");
    case Special::blocks_x: return assign(s.target, "(uint)get_num_groups(0)");
    case Special::block_threads: return assign(s.target, fmt::format("{}u", program_.block_threads));
  }
  throw InternalError("a special register of no known kind");
}

void KernelWriter::write(const Advance& s) {
  if (s.index.is_constant) return assign(s.target, fmt::format("{} + {}ul", name(s.base), std::uint64_t{s.index.bits} * s.scale));
  assign(s.target, fmt::format("{} + (ulong){} * {}u", name(s.base), operand(s.index), s.scale));
}

std::string KernelWriter::place(GpuSpace space, const Source& at, std::uint32_t offset) const {
  const std::string tail = offset == 0 ? "" : fmt::format(" + {}u", offset);
  return space == GpuSpace::global ? name(at.reg) + tail : fmt::format("shared + {}{}", operand(at), tail);
}

std::string KernelWriter::pointer(GpuSpace space, const std::string& type, const Source& at, std::uint32_t offset, bool is_constant) const {
  return fmt::format("({} {}{}*)({})", space == GpuSpace::global ? "__global" : "__local", is_constant ? "const " : "", type, place(space, at, offset));
}

void KernelWriter::write(const Load& s) {
  const std::size_t count = s.targets.size();
  const bool is_half = s.element == Element::f16;
  std::string value;
  if (is_half) {
    value = fmt::format("vload_half{}(0, {})", count == 1 ? "" : std::to_string(count), pointer(s.space, "half", s.at, s.offset, true));
  } else {
    value = "*" + pointer(s.space, integer_of(s.element, count), s.at, s.offset, true);
  }
  const Element element = is_half ? Element::u32 : s.element;  // vload_half has widened it
  if (count == 1) return assign(s.targets[0], widened(element, value));
  const std::string vector = fmt::format("v{}", vectors_++);
  text_.line("const {} {} = {};", is_half ? fmt::format("float{}", count) : integer_of(s.element, count), vector, value);
  for (std::size_t i = 0; i < count; ++i) assign(s.targets[i], widened(element, fmt::format("{}.s{}", vector, i)));
}

void KernelWriter::write(const Store& s) {
  const std::size_t count = s.sources.size();
  const std::string type = integer_of(s.element, count);
  std::vector<std::string> values;
  for (const Source& source : s.sources) {
    const std::string value = operand(source);
    switch (s.element) {
      case Element::f32: values.push_back(fmt::format("as_uint({})", value)); break;
      case Element::bf16: values.push_back(fmt::format("to_bf16({})", value)); break;
      case Element::u8: values.push_back(fmt::format("(uchar){}", value)); break;
      case Element::u16: values.push_back(fmt::format("(ushort){}", value)); break;
      default: values.push_back(value);
    }
  }
  const std::string joined = fmt::format("{}", fmt::join(values, ", "));
  if (s.element == Element::f16) {
    const std::string many = count == 1 ? "" : std::to_string(count);
    const std::string value = count == 1 ? joined : fmt::format("(float{})({})", many, joined);
    return text_.line("vstore_half{}_rte({}, 0, {});", many, value, pointer(s.space, "half", s.at, s.offset, false));
  }
  text_.line("*{} = {};", pointer(s.space, type, s.at, s.offset, false), count == 1 ? joined : fmt::format("({})({})", type, joined));
}

void KernelWriter::write(const AtomicUpdate& s) {
  const std::string where = pointer(s.space, "volatile uint", s.at, s.offset, false);
  switch (s.operation) {
    case Atomic::add: return assign(s.old, fmt::format("atomic_add({}, {})", where, operand(s.a)));
    case Atomic::bit_or: return assign(s.old, fmt::format("atomic_or({}, {})", where, operand(s.a)));
    case Atomic::maximum: return assign(s.old, fmt::format("atomic_max({}, {})", where, operand(s.a)));
    case Atomic::exchange_if_equal: return assign(s.old, fmt::format("atomic_cmpxchg({}, {}, {})", where, operand(s.a), operand(s.b)));
  }
  throw InternalError("an atomic of no known kind");
}

}  // namespace lacuna::emit::opencl
