// The frame of a kernel and its control flow.
#include "emit/ptx/kernel_writer.hpp"

#include <algorithm>

#include <lacuna/error.hpp>

#include "emit/ptx/emit.hpp"
#include "kernel/thread_statements.hpp"

namespace lacuna::emit::ptx {
using namespace kernel;

namespace {

constexpr std::size_t most_predicated = 2;  ///< statements of an If that is written without a branch

/// Whether the If is short enough to run its statements under a predicate: a branch costs one instruction itself.
bool can_be_predicated(const If& branch) {
  if (!branch.otherwise.empty()) return false;
  std::size_t count = 0;
  for (const Statement& statement : branch.then) {
    const auto& what = statement.what;
    if (std::holds_alternative<Note>(what)) continue;
    const bool is_simple = std::holds_alternative<Compute>(what) || std::holds_alternative<Compare>(what) || std::holds_alternative<Advance>(what) ||
                           std::holds_alternative<Load>(what) || std::holds_alternative<Store>(what) || std::holds_alternative<AtomicUpdate>(what);
    if (!is_simple || ++count > most_predicated) return false;
    if (const Compute* s = std::get_if<Compute>(&what))
      if (s->operation == Arithmetic::divide || s->operation == Arithmetic::remainder || s->operation == Arithmetic::square_root) return false;
    bool writes_flag = false;
    for_each_target(statement, [&](Register reg) { writes_flag = writes_flag || reg == branch.flag; });
    if (writes_flag) return false;
  }
  return true;
}

std::string_view param_type(Type type) { return type == Type::address ? ".u64" : type == Type::f32 ? ".f32" : ".u32"; }

}  // namespace

KernelWriter::KernelWriter(const ThreadProgram& program) : program_(program), places_(program) { name_registers(); }

std::string KernelWriter::write() {
  write_body(program_.body);
  const std::string body = text_.text();
  text_ = TextWriter(1);
  load_parameters();

  TextWriter out;
  out.comment(program_.name);
  if (!program_.comment.empty()) out.comment(program_.comment);
  if (program_.most_registers != 0) out.line("// registers: at most {}", program_.most_registers);
  out.line(".visible .entry {}(", program_.name);
  out.indent();
  for (const Parameter& parameter : program_.parameters)
    out.line(".param {} arg_{}{}", param_type(parameter.type), parameter.name, &parameter == &program_.parameters.back() ? "" : ",");
  out.outdent();
  out.line(")");
  out.line(".reqntid {}, 1, 1", program_.block_threads);
  if (program_.most_registers != 0) out.line(".maxnreg {}", program_.most_registers);
  out.line("{{");
  out.indent();
  declare(out);
  for (const auto& [offset, base] : shared_bases_) out.line("mov.u32 {}, {}{};", base, shared_name(), offset == 0 ? "" : fmt::format("+{}", offset));
  out.append(text_.text());
  out.append(body);
  out.line("ret;");
  out.outdent();
  out.line("}}");
  return out.text();
}

void KernelWriter::name_registers() {
  names_.resize(program_.registers);
  shadows_.resize(program_.registers);
  std::vector<bool> is_used(program_.registers);
  std::vector<Type> types(program_.registers);
  const auto use = [&](Register reg) { is_used[reg.number] = true, types[reg.number] = reg.type; };
  for (const Parameter& parameter : program_.parameters) use(parameter.reg);
  for_each_statement(program_.body, [&](const Statement& statement, const Body&, bool) { for_each_target(statement, use); });
  for (std::uint32_t i = 0; i < program_.registers; ++i) {
    const Register reg{i, types[i]};
    if (!is_used[i] || places_.is_folded(reg)) continue;
    const std::string_view prefix = reg.type == Type::u32 ? "%r" : reg.type == Type::f32 ? "%f" : reg.type == Type::flag ? "%p" : "%rd";
    names_[i] = fmt::format("{}{}", prefix, counts_[static_cast<std::size_t>(reg.type)]++);
    if (places_.has_shadow(reg)) shadows_[i] = fmt::format("%s{}", shared_registers_++);
  }
}

void KernelWriter::load_parameters() {
  for (const Parameter& parameter : program_.parameters) {
    if (!places_.is_read(parameter.reg)) continue;
    text_.line("ld.param{} {}, [arg_{}];", param_type(parameter.type), name(parameter.reg), parameter.name);
    follow(parameter.reg);
  }
}

void KernelWriter::declare(TextWriter& out) const {
  if (program_.shared_bytes > 0 && program_.shared_bytes <= most_static_shared_bytes) out.line(".shared .align 16 .b8 shared[{}];", program_.shared_bytes);
  const auto registers = [&](std::string_view type, std::string_view prefix, unsigned count) {
    if (count > 0) out.line(".reg {} {}<{}>;", type, prefix, count);
  };
  registers(".b32", "%r", counts_[static_cast<std::size_t>(Type::u32)]);
  registers(".f32", "%f", counts_[static_cast<std::size_t>(Type::f32)]);
  registers(".pred", "%p", counts_[static_cast<std::size_t>(Type::flag)]);
  registers(".b64", "%rd", counts_[static_cast<std::size_t>(Type::address)]);
  registers(".b32", "%s", shared_registers_);
  registers(".b32", "%t", temporaries_.most);
  registers(".b16", "%h", halves_.most);
  registers(".pred", "%q", conditions_.most);
  registers(".b64", "%w", wides_.most);
}

std::string KernelWriter::shared_name() const { return program_.shared_bytes > most_static_shared_bytes ? "lacuna_shared" : "shared"; }

std::string KernelWriter::shared_at(std::uint32_t offset) {
  std::string& base = shared_bases_[offset];
  if (base.empty()) base = fmt::format("%s{}", shared_registers_++);
  return base;
}

void KernelWriter::follow(Register target) {
  if (places_.is_shared_pointer(target)) {
    instruction("add.u32", {name(target), name(target), shared_at(0)});
  } else if (places_.has_shadow(target)) {
    instruction("add.u32", {shadows_[target.number], name(target), shared_at(0)});
  }
}

void KernelWriter::instruction(std::string_view opcode, std::initializer_list<std::string> operands) {
  text_.line("{}{} {};", predicate_, opcode, fmt::join(operands, ", "));
}

std::string KernelWriter::scratch(Scratch& kind, std::string_view prefix) {
  kind.most = std::max(kind.most, kind.used + 1);
  return fmt::format("{}{}", prefix, kind.used++);
}

std::string KernelWriter::operand(const Source& source) const {
  if (!source.is_constant) return name(source.reg);
  return source.type == Type::f32 ? fmt::format("0f{:08X}", source.bits) : fmt::format("{}", source.bits);
}

void KernelWriter::write_body(const Body& body) {
  for (const Statement& statement : body) write(statement);
}

void KernelWriter::write(const Statement& statement) {
  temporaries_.used = halves_.used = conditions_.used = wides_.used = 0;
  std::visit([&](const auto& what) { write(what); }, statement.what);
}

void KernelWriter::write(const Barrier&) { text_.line("bar.sync 0;"); }
void KernelWriter::write(const Note& s) { text_.comment(s.text); }
void KernelWriter::write(const ReturnIf& s) { text_.line("@{}{} ret;", s.when ? "" : "!", name(s.flag)); }
void KernelWriter::write(const BreakIf& s) {
  branch(loop_ends_.back().label, s.flag, s.when);
  loop_ends_.back().is_used = true;
}

void KernelWriter::branch(const std::string& label, Register flag, bool when) { text_.line("@{}{} bra {};", when ? "" : "!", name(flag), label); }

void KernelWriter::write(const If& s) {
  if (s.then.empty() && s.otherwise.empty()) return;
  if (can_be_predicated(s)) {
    predicate_ = fmt::format("@{} ", name(s.flag));
    write_body(s.then);
    predicate_.clear();
    return;
  }
  const unsigned number = ++labels_;
  const std::string end = fmt::format("end_{}", number), otherwise = fmt::format("else_{}", number);
  const Body& first = s.then.empty() ? s.otherwise : s.then;
  const bool has_two = !s.then.empty() && !s.otherwise.empty();
  branch(has_two ? otherwise : end, s.flag, s.then.empty());
  write_body(first);
  if (has_two) {
    text_.line("bra {};", end);
    text_.label(otherwise);
    write_body(s.otherwise);
  }
  text_.label(end);
}

/// A break at the very end turns around: one branch a round, not two.
void KernelWriter::write(const Loop& s) {
  const unsigned number = ++labels_;
  const std::string begin = fmt::format("loop_{}", number);
  loop_ends_.push_back({fmt::format("done_{}", number)});
  text_.label(begin);
  const BreakIf* last = s.body.empty() ? nullptr : std::get_if<BreakIf>(&s.body.back().what);
  for (const Statement& statement : s.body)
    if (last == nullptr || &statement != &s.body.back()) write(statement);
  if (last != nullptr) {
    branch(begin, last->flag, !last->when);
  } else {
    text_.line("bra {};", begin);
  }
  if (loop_ends_.back().is_used) text_.label(loop_ends_.back().label);
  loop_ends_.pop_back();
}

}  // namespace lacuna::emit::ptx
