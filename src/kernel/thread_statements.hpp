// Looking at the statements of thread programs, for the verifier and the emitters: which registers one reads and writes, what an operation is
// called and which types it takes. Templates do not need this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

/// What an operation takes: every source is of one type, one of `types`; the result is of that type. Where it is not that simple, see `form`.
struct ArithmeticRule {
  enum class Form : std::uint8_t { same, converts, selects };

  std::string_view name;
  unsigned sources;
  std::string_view types;      ///< a letter each: u(32), f(32), p (flag), a(ddress)
  Form form = Form::same;
  Type result = Type::u32;     ///< of `converts`
};

const ArithmeticRule& rule_of(Arithmetic operation);
std::string_view name_of(Comparison comparison);
std::string_view name_of(Special special);
std::string_view name_of(Atomic atomic);
std::string_view name_of(Element element);
std::string_view name_of(GpuSpace space);
std::string_view name_of(Type type);
char letter_of(Type type);

unsigned bytes_of(Element element);
inline Type register_type_of(Element element) { return element >= Element::f16 ? Type::f32 : Type::u32; }

/// A letter for the type and the number: r4, f5, p6, a7.
std::string name_of(Register reg);
std::string name_of(const Source& source);

/// One line of print(), without what If and Loop have inside.
std::string describe(const Statement& statement);

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

/// Calls read(Source) for every source of the statement itself, constants too; not for what stands inside of If and Loop.
template <typename Read>
void for_each_source(const Statement& statement, Read&& read) {
  std::visit(Overloaded{[&](const Compute& s) { for (const Source& source : s.sources) read(source); },
                        [&](const Compare& s) { read(s.a), read(s.b); },
                        [&](const Advance& s) { read(Source(s.base)), read(s.index); },
                        [&](const Load& s) { read(s.at); },
                        [&](const Store& s) {
                          read(s.at);
                          for (const Source& source : s.sources) read(source);
                        },
                        [&](const AtomicUpdate& s) {
                          read(s.at), read(s.a);
                          if (s.operation == Atomic::exchange_if_equal) read(s.b);
                        },
                        [&](const BreakIf& s) { read(Source(s.flag)); }, [&](const ReturnIf& s) { read(Source(s.flag)); },
                        [&](const If& s) { read(Source(s.flag)); }, [](const auto&) {}},
             statement.what);
}

/// Calls write(Register) for every register that the statement itself writes.
template <typename Write>
void for_each_target(const Statement& statement, Write&& write) {
  std::visit(Overloaded{[&](const Compute& s) { write(s.target); }, [&](const Compare& s) { write(s.target); },
                        [&](const ReadSpecial& s) { write(s.target); }, [&](const Advance& s) { write(s.target); },
                        [&](const Load& s) { for (const Register reg : s.targets) write(reg); },
                        [&](const AtomicUpdate& s) { write(s.old); }, [](const auto&) {}},
             statement.what);
}

/// Calls visit(statement, body it stands in, whether that is inside of a loop) in the order of the text, outer before inner.
template <typename Visit>
void for_each_statement(const Body& body, Visit&& visit, bool is_in_loop = false) {
  for (const Statement& statement : body) {
    visit(statement, body, is_in_loop);
    if (const If* branch = std::get_if<If>(&statement.what)) {
      for_each_statement(branch->then, visit, is_in_loop);
      for_each_statement(branch->otherwise, visit, is_in_loop);
    } else if (const Loop* loop = std::get_if<Loop>(&statement.what)) {
      for_each_statement(loop->body, visit, true);
    }
  }
}

}  // namespace lacuna::kernel
