// Thread program -> text, for people and golden tests.
#include <fmt/format.h>

#include <array>
#include <bit>

#include <lacuna/error.hpp>

#include "kernel/thread_statements.hpp"

namespace lacuna::kernel {
namespace {

using Form = ArithmeticRule::Form;

// In the order of Arithmetic.
constexpr std::array rules{
    ArithmeticRule{"copy", 1, "ufpa"},          ArithmeticRule{"add", 2, "uf"},          ArithmeticRule{"subtract", 2, "uf"},
    ArithmeticRule{"multiply", 2, "uf"},        ArithmeticRule{"multiply_add", 3, "uf"}, ArithmeticRule{"divide", 2, "uf"},
    ArithmeticRule{"remainder", 2, "u"},        ArithmeticRule{"minimum", 2, "uf"},      ArithmeticRule{"maximum", 2, "uf"},
    ArithmeticRule{"bit_and", 2, "up"},         ArithmeticRule{"bit_or", 2, "up"},       ArithmeticRule{"bit_xor", 2, "up"},
    ArithmeticRule{"bit_not", 1, "up"},         ArithmeticRule{"shift_left", 2, "u"},    ArithmeticRule{"shift_right", 2, "u"},
    ArithmeticRule{"population", 1, "u"},       ArithmeticRule{"negate", 1, "f"},        ArithmeticRule{"absolute", 1, "f"},
    ArithmeticRule{"floor", 1, "f"},            ArithmeticRule{"square_root", 1, "f"},   ArithmeticRule{"exp2", 1, "f"},
    ArithmeticRule{"log2", 1, "f"},             ArithmeticRule{"sine", 1, "f"},          ArithmeticRule{"cosine", 1, "f"},
    ArithmeticRule{"to_float", 1, "u", Form::converts, Type::f32}, ArithmeticRule{"to_integer", 1, "f", Form::converts, Type::u32},
    ArithmeticRule{"as_float", 1, "u", Form::converts, Type::f32}, ArithmeticRule{"as_integer", 1, "f", Form::converts, Type::u32},
    ArithmeticRule{"select", 3, "uf", Form::selects},
};
static_assert(rules.size() == static_cast<std::size_t>(Arithmetic::select) + 1);

template <typename Names, typename Value>
std::string_view entry(const Names& names, Value value) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= names.size()) throw InternalError("a thread program holds a value of no known kind");
  return names[index];
}

std::string offset_text(std::uint32_t offset) { return offset == 0 ? "" : fmt::format(" + {}", offset); }

std::string list_of(const auto& values) {
  std::string text;
  for (const auto& value : values) text += fmt::format("{}{}", text.empty() ? "" : " ", name_of(value));
  return text;
}

std::string place(GpuSpace space, const Source& at, std::uint32_t offset) {
  return fmt::format("{} [{}{}]", name_of(space), name_of(at), offset_text(offset));
}

void print_body(std::string& text, const Body& body, std::size_t depth) {
  for (const Statement& statement : body) {
    text += std::string(2 * depth, ' ') + describe(statement) + '\n';
    if (const If* branch = std::get_if<If>(&statement.what)) {
      print_body(text, branch->then, depth + 1);
      if (branch->otherwise.empty()) continue;
      text += std::string(2 * depth, ' ') + "else\n";
      print_body(text, branch->otherwise, depth + 1);
    } else if (const Loop* loop = std::get_if<Loop>(&statement.what)) {
      print_body(text, loop->body, depth + 1);
    }
  }
}

}  // namespace

const ArithmeticRule& rule_of(Arithmetic operation) {
  const auto index = static_cast<std::size_t>(operation);
  if (index >= rules.size()) throw InternalError("a thread program computes with an operation of no known kind");
  return rules[index];
}

std::string_view name_of(Comparison comparison) {
  return entry(std::array<std::string_view, 6>{"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}, comparison);
}
std::string_view name_of(Special special) {
  return entry(std::array<std::string_view, 5>{"thread", "block_x", "block_y", "blocks_x", "block_threads"}, special);
}
std::string_view name_of(Atomic atomic) { return entry(std::array<std::string_view, 4>{"add", "bit_or", "maximum", "exchange_if_equal"}, atomic); }
std::string_view name_of(Element element) { return entry(std::array<std::string_view, 6>{"u8", "u16", "u32", "f16", "bf16", "f32"}, element); }
std::string_view name_of(GpuSpace space) { return entry(std::array<std::string_view, 2>{"global", "shared"}, space); }
std::string_view name_of(Type type) { return entry(std::array<std::string_view, 4>{"u32", "f32", "flag", "address"}, type); }
char letter_of(Type type) { return entry(std::array<std::string_view, 4>{"u", "f", "p", "a"}, type)[0]; }

unsigned bytes_of(Element element) {
  switch (element) {
    case Element::u8: return 1;
    case Element::u16:
    case Element::f16:
    case Element::bf16: return 2;
    case Element::u32:
    case Element::f32: return 4;
  }
  throw InternalError("a thread program holds an element of no known kind");
}

std::string name_of(Register reg) { return fmt::format("{}{}", reg.type == Type::u32 ? 'r' : letter_of(reg.type), reg.number); }
std::string name_of(const Source& source) {
  if (!source.is_constant) return name_of(source.reg);
  if (source.type != Type::f32) return fmt::format("{}", source.bits);
  std::string text = fmt::format("{}", std::bit_cast<float>(source.bits));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // 2.0 is not the integer 2
  return text;
}

std::string describe(const Statement& statement) {
  return std::visit(
      Overloaded{
          [](const Compute& s) { return fmt::format("{} = {} {}", name_of(s.target), rule_of(s.operation).name, list_of(s.sources)); },
          [](const Compare& s) { return fmt::format("{} = {} {} {}", name_of(s.target), name_of(s.comparison), name_of(s.a), name_of(s.b)); },
          [](const ReadSpecial& s) { return fmt::format("{} = {}", name_of(s.target), name_of(s.special)); },
          [](const Advance& s) { return fmt::format("{} = advance {} + {} * {}", name_of(s.target), name_of(s.base), name_of(s.index), s.scale); },
          [](const Load& s) {
            return fmt::format("{} = load {} {}{}", list_of(s.targets), name_of(s.element), place(s.space, s.at, s.offset), s.is_constant ? " constant" : "");
          },
          [](const Store& s) { return fmt::format("store {} {} = {}", name_of(s.element), place(s.space, s.at, s.offset), list_of(s.sources)); },
          [](const AtomicUpdate& s) {
            const std::string second = s.operation == Atomic::exchange_if_equal ? " " + name_of(s.b) : "";
            return fmt::format("{} = atomic {} {} {}{}", name_of(s.old), name_of(s.operation), place(s.space, s.at, s.offset), name_of(s.a), second);
          },
          [](const Barrier&) { return std::string("barrier"); },
          [](const BreakIf& s) { return fmt::format("break if {}{}", s.when ? "" : "not ", name_of(s.flag)); },
          [](const ReturnIf& s) { return fmt::format("return if {}{}", s.when ? "" : "not ", name_of(s.flag)); },
          [](const Note& s) { return "# " + s.text; },
          [](const If& s) { return "if " + name_of(s.flag); },
          [](const Loop&) { return std::string("loop"); },
      },
      statement.what);
}

std::string print(const ThreadProgram& program) {
  std::string text = fmt::format("thread program {}: {} threads, {} bytes shared", program.name, program.block_threads, program.shared_bytes);
  if (program.most_registers != 0) text += fmt::format(", at most {} registers", program.most_registers);
  text += '\n';
  if (!program.comment.empty()) text += fmt::format("  # {}\n", program.comment);
  for (const Parameter& parameter : program.parameters) {
    text += fmt::format("  parameter {} {} = {}", name_of(parameter.reg), name_of(parameter.type), parameter.name);
    if (parameter.type == Type::address) text += fmt::format("{}{}", parameter.is_read ? ", read" : "", parameter.is_written ? ", written" : "");
    text += '\n';
  }
  print_body(text, program.body, 1);
  return text;
}

}  // namespace lacuna::kernel
