#include "kernel/thread_simplify.hpp"

#include <utility>

#include "kernel/thread_statements.hpp"

namespace lacuna::kernel {
namespace {

struct Uses {
  unsigned reads = 0, writes = 0;
};

/// The one register that the statement makes, if it makes nothing else and reads all its sources before.
Register* only_target(Statement& statement) {
  return std::visit(Overloaded{[](Compute& s) { return &s.target; }, [](Compare& s) { return &s.target; }, [](ReadSpecial& s) { return &s.target; },
                               [](Advance& s) { return &s.target; }, [](Load& s) { return s.targets.size() == 1 ? &s.targets[0] : nullptr; },
                               [](AtomicUpdate& s) { return &s.old; }, [](auto&) { return static_cast<Register*>(nullptr); }},
                    statement.what);
}

void simplify(Body& body, const std::vector<Uses>& uses) {
  Body kept;
  kept.reserve(body.size());
  for (Statement& statement : body) {
    if (If* branch = std::get_if<If>(&statement.what)) simplify(branch->then, uses), simplify(branch->otherwise, uses);
    if (Loop* loop = std::get_if<Loop>(&statement.what)) simplify(loop->body, uses);
    const Compute* copy = std::get_if<Compute>(&statement.what);
    if (copy != nullptr && copy->operation == Arithmetic::copy && !copy->sources[0].is_constant && !kept.empty()) {
      const Uses& of_source = uses[copy->sources[0].reg.number];
      Register* target = only_target(kept.back());
      if (target != nullptr && *target == copy->sources[0].reg && of_source.reads == 1 && of_source.writes == 1) {
        *target = copy->target;
        continue;
      }
    }
    kept.push_back(std::move(statement));
  }
  body = std::move(kept);
}

}  // namespace

ThreadProgram drop_copies(ThreadProgram program) {
  std::vector<Uses> uses(program.registers);
  for (const Parameter& parameter : program.parameters) ++uses[parameter.reg.number].writes;
  for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
    for_each_source(statement, [&](const Source& source) {
      if (!source.is_constant) ++uses[source.reg.number].reads;
    });
    for_each_target(statement, [&](Register reg) { ++uses[reg.number].writes; });
  });
  simplify(program.body, uses);
  return program;
}

}  // namespace lacuna::kernel
