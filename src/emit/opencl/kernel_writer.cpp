// The frame of a kernel, where its variables are declared, and its control flow.
#include "emit/opencl/kernel_writer.hpp"

#include <bit>
#include <cmath>
#include <map>

#include <lacuna/error.hpp>

#include "kernel/thread_statements.hpp"

namespace lacuna::emit::opencl {
using namespace kernel;

KernelWriter::KernelWriter(const ThreadProgram& program)
    : program_(program), names_(program.registers), is_constant_address_(program.registers, true), declared_(program.registers, nullptr) {
  name_registers();
  find_constant_addresses();
  find_declarations();
}

std::string KernelWriter::write() {
  declare_the_rest();
  write_body(program_.body);

  TextWriter out;
  out.comment(program_.name);
  if (!program_.comment.empty()) out.comment(program_.comment);
  out.line("__kernel __attribute__((reqd_work_group_size({}, 1, 1)))", program_.block_threads);
  std::string parameters;
  for (const Parameter& parameter : program_.parameters)
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type_name(parameter.reg), name(parameter.reg));
  out.line("void {}({}) {{", program_.name, parameters);
  out.indent();
  if (program_.shared_bytes > 0) out.line("__local uchar shared[{}] __attribute__((aligned(16)));", program_.shared_bytes);
  out.append(text_.text());
  out.outdent();
  out.line("}}");
  return out.text();
}

void KernelWriter::name_registers() {
  for_each_statement(program_.body, [&](const Statement& statement, const Body&, bool) {
    for_each_target(statement, [&](Register reg) { names_[reg.number] = name_of(reg); });
  });
  for (const Parameter& parameter : program_.parameters) names_[parameter.reg.number] = "arg_" + parameter.name;
}

void KernelWriter::find_constant_addresses() {
  for (const Parameter& parameter : program_.parameters)
    if (parameter.is_written) is_constant_address_[parameter.reg.number] = false;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    const auto flow = [&](Register target, Register source) {
      if (is_constant_address_[source.number] || !is_constant_address_[target.number]) return;
      is_constant_address_[target.number] = false;
      has_changed = true;
    };
    for_each_statement(program_.body, [&](const Statement& statement, const Body&, bool) {
      if (const Advance* s = std::get_if<Advance>(&statement.what)) flow(s->target, s->base);
      const Compute* s = std::get_if<Compute>(&statement.what);
      if (s != nullptr && s->target.type == Type::address) flow(s->target, s->sources[0].reg);
    });
  }
}

/// A variable is declared by the first statement that writes it, if everything else that names it stands in the same body, there or further in.
/// Otherwise it must live longer than that body, and is declared at the beginning.
void KernelWriter::find_declarations() {
  std::vector<const Body*> homes(program_.registers, nullptr);
  std::vector<bool> is_known(program_.registers), is_outside(program_.registers);
  for (const Parameter& parameter : program_.parameters) is_known[parameter.reg.number] = true;
  std::vector<const Body*> around;
  const auto look = [&](const auto& self, const Body& body) -> void {
    around.push_back(&body);
    for (const Statement& statement : body) {
      const auto see = [&](Register reg, bool is_target) {
        if (!is_known[reg.number]) {
          is_known[reg.number] = true;
          homes[reg.number] = &body;
          if (is_target) declared_[reg.number] = &statement;
        } else if (homes[reg.number] != nullptr) {
          bool is_inside = false;
          for (const Body* outer : around) is_inside = is_inside || outer == homes[reg.number];
          is_outside[reg.number] = is_outside[reg.number] || !is_inside;
        }
      };
      for_each_source(statement, [&](const Source& source) { if (!source.is_constant) see(source.reg, false); });
      for_each_target(statement, [&](Register reg) { see(reg, true); });
      if (const If* branch = std::get_if<If>(&statement.what)) self(self, branch->then), self(self, branch->otherwise);
      if (const Loop* loop = std::get_if<Loop>(&statement.what)) self(self, loop->body);
    }
    around.pop_back();
  };
  look(look, program_.body);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (is_outside[i]) declared_[i] = nullptr;
}

void KernelWriter::declare_the_rest() {
  std::map<std::string, std::vector<std::string>> by_type;
  std::vector<bool> is_seen(program_.registers);
  for (const Parameter& parameter : program_.parameters) is_seen[parameter.reg.number] = true;
  for_each_statement(program_.body, [&](const Statement& statement, const Body&, bool) {
    for_each_target(statement, [&](Register reg) {
      if (is_seen[reg.number] || declared_[reg.number] != nullptr) return;
      is_seen[reg.number] = true;
      by_type[type_name(reg)].push_back(name(reg));
    });
  });
  for (const auto& [type, names] : by_type)
    for (const std::string& variable : names) text_.line("{} {};", type, variable);
}

std::string KernelWriter::type_name(Register reg) const {
  switch (reg.type) {
    case Type::u32: return "uint";
    case Type::f32: return "float";
    case Type::flag: return "bool";
    case Type::address: return is_constant_address_[reg.number] ? "__global const uchar*" : "__global uchar*";
  }
  throw InternalError("a register of no known type");
}

void KernelWriter::assign(Register target, const std::string& value) {
  const bool declares = declared_[target.number] == current_;
  text_.line("{}{}{} = {};", declares ? type_name(target) : "", declares ? " " : "", name(target), value);
}

std::string KernelWriter::operand(const Source& source) const {
  if (!source.is_constant) return name(source.reg);
  if (source.type != Type::f32) return fmt::format("{}u", source.bits);
  const float value = std::bit_cast<float>(source.bits);
  if (!std::isnormal(value) && source.bits != 0) return fmt::format("as_float(0x{:08X}u)", source.bits);
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0.0f ? fmt::format("({}f)", text) : text + "f";
}

void KernelWriter::write_body(const Body& body) {
  for (const Statement& statement : body) {
    current_ = &statement;
    std::visit([&](const auto& what) { write(what); }, statement.what);
  }
}

void KernelWriter::write(const Barrier&) { text_.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"); }
void KernelWriter::write(const Note& s) { text_.comment(s.text); }
void KernelWriter::write(const BreakIf& s) { text_.line("if ({}{}) break;", s.when ? "" : "!", name(s.flag)); }
void KernelWriter::write(const ReturnIf& s) { text_.line("if ({}{}) return;", s.when ? "" : "!", name(s.flag)); }

void KernelWriter::write(const If& s) {
  text_.line("if ({}) {{", name(s.flag));
  text_.indent();
  write_body(s.then);
  text_.outdent();
  if (!s.otherwise.empty()) {
    text_.line("}} else {{");
    text_.indent();
    write_body(s.otherwise);
    text_.outdent();
  }
  text_.line("}}");
}

void KernelWriter::write(const Loop& s) {
  text_.line("for (;;) {{");
  text_.indent();
  write_body(s.body);
  text_.outdent();
  text_.line("}}");
}

}  // namespace lacuna::emit::opencl
