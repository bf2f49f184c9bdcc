// What must hold in every thread program, so that emitters need not ask: types fit, registers are written before they are read (on some path to
// there, in the order of the text), breaks stand in loops, memory is used as the parameters say.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <lacuna/error.hpp>

#include "kernel/thread_statements.hpp"

namespace lacuna::kernel {
namespace {

constexpr std::uint32_t most_threads = 1024;

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  for (const char c : name)
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

class Verifier {
 public:
  explicit Verifier(const ThreadProgram& program) : program_(program), types_(program.registers), is_written_(program.registers, false), origins_(program.registers) {}

  void run() {
    check_frame();
    find_origins();
    walk(program_.body, false);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    if (statement_ == nullptr) throw InternalError(fmt::format("thread program {}: {}", program_.name, sentence));
    throw InternalError(fmt::format("thread program {}, statement {} ({}): {}", program_.name, number_, describe(*statement_), sentence));
  }

  void check_frame() {
    if (!is_identifier(program_.name)) fail(fmt::format("its name \"{}\" must be letters, digits and underscores", program_.name));
    if (program_.block_threads == 0 || program_.block_threads > most_threads)
      fail(fmt::format("a block of {} threads; it must be 1 to {}", program_.block_threads, most_threads));
    for (const Parameter& parameter : program_.parameters) {
      if (!is_identifier(parameter.name)) fail(fmt::format("parameter \"{}\" must be called by letters, digits and underscores", parameter.name));
      for (const Parameter& other : program_.parameters)
        if (&other != &parameter && other.name == parameter.name) fail(fmt::format("two parameters are called {}", parameter.name));
      if (parameter.type == Type::flag || parameter.type != parameter.reg.type)
        fail(fmt::format("parameter {} is of type {} in a register of type {}", parameter.name, name_of(parameter.type), name_of(parameter.reg.type)));
      know(parameter.reg);
      is_written_[parameter.reg.number] = true;
    }
  }

  /// A register has one type wherever it stands.
  void know(Register reg) {
    if (reg.number >= program_.registers) fail(fmt::format("register {} is beyond the {} that the program has", name_of(reg), program_.registers));
    std::optional<Type>& type = types_[reg.number];
    if (type && *type != reg.type) fail(fmt::format("register {} is of type {} here and {} elsewhere", reg.number, name_of(reg.type), name_of(*type)));
    type = reg.type;
  }

  void expect(const Source& source, Type type) const {
    if (source.type != type) fail(fmt::format("{} is of type {} where {} is needed", name_of(source), name_of(source.type), name_of(type)));
  }

  /// For every address: by which parameters it may have begun. Loops carry it backwards, so until nothing changes.
  void find_origins() {
    for (const Parameter& parameter : program_.parameters)
      if (parameter.type == Type::address) origins_[parameter.reg.number].push_back(&parameter);
    bool has_changed = true;
    const auto flow = [&](Register target, Register source) {
      if (target.number >= program_.registers || source.number >= program_.registers) return;
      for (const Parameter* parameter : std::vector(origins_[source.number])) {
        auto& known = origins_[target.number];
        if (std::find(known.begin(), known.end(), parameter) != known.end()) continue;
        known.push_back(parameter);
        has_changed = true;
      }
    };
    while (has_changed) {
      has_changed = false;
      for_each_statement(program_.body, [&](const Statement& statement, const Body&, bool) {
        if (const Advance* s = std::get_if<Advance>(&statement.what)) flow(s->target, s->base);
        if (const Compute* s = std::get_if<Compute>(&statement.what))
          if (s->operation == Arithmetic::copy && s->target.type == Type::address && s->sources.size() == 1) flow(s->target, s->sources[0].reg);
      });
    }
  }

  void walk(const Body& body, bool is_in_loop) {
    for (const Statement& statement : body) {
      statement_ = &statement;
      ++number_;
      for_each_source(statement, [&](const Source& source) {
        if (source.is_constant) return;
        know(source.reg);
        if (source.type != source.reg.type) fail(fmt::format("source {} says it is of type {}", name_of(source), name_of(source.type)));
        if (!is_written_[source.reg.number]) fail(fmt::format("nobody wrote {} before", name_of(source.reg)));
      });
      for_each_target(statement, [&](Register reg) { know(reg); });
      std::visit([&](const auto& what) { check(what, is_in_loop); }, statement.what);
      for_each_target(statement, [&](Register reg) { is_written_[reg.number] = true; });
    }
  }

  void check(const Compute& s, bool) const {
    const ArithmeticRule& rule = rule_of(s.operation);
    if (s.sources.size() != rule.sources) fail(fmt::format("{} sources where {} takes {}", s.sources.size(), rule.name, rule.sources));
    const bool selects = rule.form == ArithmeticRule::Form::selects;
    if (selects) expect(s.sources[0], Type::flag);
    const Type type = s.sources[selects ? 1 : 0].type;
    if (rule.types.find(letter_of(type)) == std::string_view::npos) fail(fmt::format("{} does not take the type {}", rule.name, name_of(type)));
    for (std::size_t i = selects ? 1 : 0; i < s.sources.size(); ++i) expect(s.sources[i], type);
    const Type result = rule.form == ArithmeticRule::Form::converts ? rule.result : type;
    if (s.target.type != result) fail(fmt::format("the result is of type {}, {} is not", name_of(result), name_of(s.target)));
    const bool is_shift = s.operation == Arithmetic::shift_left || s.operation == Arithmetic::shift_right;
    if (is_shift && s.sources[1].is_constant && s.sources[1].bits >= 32) fail(fmt::format("a shift by {}; 31 is the most", s.sources[1].bits));
    const bool divides = s.operation == Arithmetic::remainder || (s.operation == Arithmetic::divide && type == Type::u32);
    if (divides && s.sources[1].is_constant && s.sources[1].bits == 0) fail("a division of integers by 0");
  }

  void check(const Compare& s, bool) const {
    if (s.target.type != Type::flag) fail(fmt::format("the result is a flag, {} is not", name_of(s.target)));
    if (s.a.type != Type::u32 && s.a.type != Type::f32) fail(fmt::format("the type {} cannot be compared", name_of(s.a.type)));
    expect(s.b, s.a.type);
  }

  void check(const ReadSpecial& s, bool) const { expect(s.target, Type::u32); }

  void check(const Advance& s, bool) const {
    expect(s.target, Type::address);
    expect(s.base, Type::address);
    expect(s.index, Type::u32);
  }

  void check_place(GpuSpace space, const Source& at, std::uint64_t offset, std::uint64_t bytes) const {
    expect(at, space == GpuSpace::global ? Type::address : Type::u32);
    if (space == GpuSpace::global) return;
    const std::uint64_t begin = at.is_constant ? at.bits + offset : offset;
    if (begin + bytes > program_.shared_bytes) fail(fmt::format("bytes {} to {} of {} that are shared", begin, begin + bytes, program_.shared_bytes));
    if (at.is_constant && begin % bytes != 0) fail(fmt::format("byte {} of shared memory is not aligned to {}", begin, bytes));
  }
  void check_origin(GpuSpace space, const Source& at, bool Parameter::* is_allowed, const char* done) const {
    if (space != GpuSpace::global) return;
    for (const Parameter* parameter : origins_[at.reg.number])
      if (!(parameter->*is_allowed)) fail(fmt::format("parameter {} is {} here, and says that it is not", parameter->name, done));
  }
  void check_count(std::size_t count) const {
    if (count != 1 && count != 2 && count != 4) fail(fmt::format("{} elements side by side; it must be 1, 2 or 4", count));
  }

  void check(const Load& s, bool) const {
    check_count(s.targets.size());
    for (std::size_t i = 0; i < s.targets.size(); ++i) {
      expect(s.targets[i], register_type_of(s.element));
      for (std::size_t j = 0; j < i; ++j)
        if (s.targets[i] == s.targets[j]) fail(fmt::format("{} is loaded twice", name_of(s.targets[i])));
    }
    check_place(s.space, s.at, s.offset, s.targets.size() * bytes_of(s.element));
    check_origin(s.space, s.at, &Parameter::is_read, "read");
    if (s.is_constant && s.space == GpuSpace::shared) fail("shared memory is never constant");
  }

  void check(const Store& s, bool) const {
    check_count(s.sources.size());
    for (const Source& source : s.sources) expect(source, register_type_of(s.element));
    check_place(s.space, s.at, s.offset, s.sources.size() * bytes_of(s.element));
    check_origin(s.space, s.at, &Parameter::is_written, "written");
  }

  void check(const AtomicUpdate& s, bool) const {
    expect(s.old, Type::u32);
    expect(s.a, Type::u32);
    expect(s.b, Type::u32);
    check_place(s.space, s.at, s.offset, 4);
    check_origin(s.space, s.at, &Parameter::is_written, "written");
  }

  void check(const Barrier&, bool) const {}
  void check(const Note& s, bool) const {
    if (s.text.find('\n') != std::string::npos) fail("a note is one line");
  }
  void check(const BreakIf& s, bool is_in_loop) {
    expect(s.flag, Type::flag);
    if (!is_in_loop) fail("a break outside of a loop");
    loop_can_end_ = true;
  }
  void check(const ReturnIf& s, bool) {
    expect(s.flag, Type::flag);
    can_return_ = true;
  }

  void check(const If& s, bool is_in_loop) {
    expect(s.flag, Type::flag);
    const std::vector<bool> before = is_written_;
    walk(s.then, is_in_loop);
    const std::vector<bool> after_then = std::exchange(is_written_, before);
    walk(s.otherwise, is_in_loop);
    for (std::size_t i = 0; i < is_written_.size(); ++i) is_written_[i] = is_written_[i] || after_then[i];
  }

  void check(const Loop& s, bool) {
    const Statement* loop = statement_;
    const std::size_t number = number_;
    const bool outer_can_end = std::exchange(loop_can_end_, false), could_return = std::exchange(can_return_, false);
    walk(s.body, true);
    statement_ = loop;
    const std::size_t inside = std::exchange(number_, number);
    if (!loop_can_end_ && !can_return_) fail("a loop without an end");
    number_ = inside;
    loop_can_end_ = outer_can_end;
    can_return_ = can_return_ || could_return;
  }

  const ThreadProgram& program_;
  std::vector<std::optional<Type>> types_;
  std::vector<bool> is_written_;
  std::vector<std::vector<const Parameter*>> origins_;
  const Statement* statement_ = nullptr;
  std::size_t number_ = 0;
  bool loop_can_end_ = false;  ///< a break of the innermost loop was seen
  bool can_return_ = false;    ///< a return was seen, in this loop or one inside
};

}  // namespace

void verify(const ThreadProgram& program) { Verifier(program).run(); }

}  // namespace lacuna::kernel
