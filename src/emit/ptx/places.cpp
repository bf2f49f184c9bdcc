#include "emit/ptx/places.hpp"

#include <limits>

#include "kernel/thread_statements.hpp"

namespace lacuna::emit::ptx {
namespace {

using namespace kernel;

constexpr std::uint64_t most_distance = std::numeric_limits<std::int32_t>::max();

/// Where a register is written: by how many statements, and in which body the first of them stands.
struct Writes {
  unsigned count = 0;
  const Body* body = nullptr;
  bool is_in_loop = false;
};

std::vector<Writes> find_writes(const ThreadProgram& program) {
  std::vector<Writes> writes(program.registers);
  for (const Parameter& parameter : program.parameters) writes[parameter.reg.number] = {1, &program.body, false};
  for_each_statement(program.body, [&](const Statement& statement, const Body& body, bool is_in_loop) {
    for_each_target(statement, [&](Register reg) {
      Writes& of_register = writes[reg.number];
      if (of_register.count++ == 0) of_register.body = &body, of_register.is_in_loop = is_in_loop;
    });
  });
  return writes;
}

/// Calls visit(statement, bodies around it, outermost first).
template <typename Visit>
void for_each_nested(const Body& body, std::vector<const Body*>& around, Visit&& visit) {
  around.push_back(&body);
  for (const Statement& statement : body) {
    visit(statement, around);
    if (const If* branch = std::get_if<If>(&statement.what)) {
      for_each_nested(branch->then, around, visit);
      for_each_nested(branch->otherwise, around, visit);
    } else if (const Loop* loop = std::get_if<Loop>(&statement.what)) {
      for_each_nested(loop->body, around, visit);
    }
  }
  around.pop_back();
}

const Source* place_of(const Statement& statement, GpuSpace space) {
  if (const Load* s = std::get_if<Load>(&statement.what)) return s->space == space ? &s->at : nullptr;
  if (const Store* s = std::get_if<Store>(&statement.what)) return s->space == space ? &s->at : nullptr;
  if (const AtomicUpdate* s = std::get_if<AtomicUpdate>(&statement.what)) return s->space == space ? &s->at : nullptr;
  return nullptr;
}

bool is_constant_advance(const Advance& s) { return s.index.is_constant && std::uint64_t{s.index.bits} * s.scale <= most_distance / 2; }

}  // namespace

Places::Places(const ThreadProgram& program)
    : is_folded_(program.registers), is_pointer_(program.registers), has_shadow_(program.registers), is_read_(program.registers), folds_(program.registers) {
  find_reads(program);
  find_folds(program);
  find_pointers(program);
}

Places::Folded Places::resolve(Register address) const {
  Folded place{address, 0};
  while (is_folded_[place.base.number]) {
    const Folded& fold = folds_[place.base.number];
    place = {fold.base, place.distance + fold.distance};
  }
  return place;
}

void Places::find_reads(const ThreadProgram& program) {
  for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
    for_each_source(statement, [&](const Source& source) {
      if (!source.is_constant) is_read_[source.reg.number] = true;
    });
  });
}

/// An address may be folded if it is made once, by a constant advance, from a base that still holds the same wherever the address is used: one that
/// is made once outside of loops, or directly beside it, where both are made anew together.
void Places::find_folds(const ThreadProgram& program) {
  const std::vector<Writes> writes = find_writes(program);
  for_each_statement(program.body, [&](const Statement& statement, const Body& body, bool) {
    const Advance* s = std::get_if<Advance>(&statement.what);
    if (s == nullptr || !is_constant_advance(*s) || writes[s->target.number].count != 1 || writes[s->base.number].count != 1) return;
    const Writes& base = writes[s->base.number];
    if (base.is_in_loop && base.body != &body) return;
    is_folded_[s->target.number] = true;
    folds_[s->target.number] = {s->base, std::uint64_t{s->index.bits} * s->scale};
  });
  // Anything but a memory access or another folded address needs the register itself.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    std::vector<const Body*> around;
    for_each_nested(program.body, around, [&](const Statement& statement, const std::vector<const Body*>& bodies) {
      const Source* place = place_of(statement, GpuSpace::global);
      const Advance* advance = std::get_if<Advance>(&statement.what);
      for_each_source(statement, [&](const Source& source) {
        if (source.is_constant || source.type != Type::address || !is_folded_[source.reg.number]) return;
        const Writes& base = writes[folds_[source.reg.number].base.number];
        bool may_fold = place != nullptr || (advance != nullptr && is_folded_[advance->target.number]);
        if (base.is_in_loop) {
          bool is_inside = false;
          for (const Body* body : bodies) is_inside = is_inside || body == base.body;
          may_fold = may_fold && is_inside;
        }
        if (!may_fold) is_folded_[source.reg.number] = false, has_changed = true;
      });
    });
    // Chains only as far as an operand reaches.
    for (std::size_t i = 0; i < folds_.size(); ++i)
      if (is_folded_[i] && resolve({static_cast<std::uint32_t>(i), Type::address}).distance > most_distance) is_folded_[i] = false, has_changed = true;
  }
}

void Places::find_pointers(const ThreadProgram& program) {
  std::vector<bool> is_place(program.registers);  // somewhere used as a place in shared memory
  for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
    const Source* place = place_of(statement, GpuSpace::shared);
    if (place != nullptr && !place->is_constant) is_place[place->reg.number] = true;
  });
  std::vector<bool> reaches = is_place;  // ... or a sum that leads there is made of it
  // The source that a pointer in the target would come from, if the statement makes pointers of pointers.
  const auto origins = [](const Compute& s) -> std::vector<const Source*> {
    switch (s.operation) {
      case Arithmetic::copy:
      case Arithmetic::subtract: return {&s.sources[0]};
      case Arithmetic::add: return {&s.sources[0], &s.sources[1]};
      case Arithmetic::multiply_add: return {&s.sources[2]};
      default: return {};
    }
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
      const Compute* s = std::get_if<Compute>(&statement.what);
      if (s == nullptr || s->target.type != Type::u32 || !reaches[s->target.number]) return;
      for (const Source* origin : origins(*s))
        if (!origin->is_constant && origin->type == Type::u32 && !reaches[origin->reg.number]) reaches[origin->reg.number] = true, has_changed = true;
    });
  }
  is_pointer_ = reaches;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    const auto drop = [&](const Source& source) {
      if (source.is_constant || source.type != Type::u32 || !is_pointer_[source.reg.number]) return;
      is_pointer_[source.reg.number] = false;
      has_changed = true;
    };
    for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
      const Source* place = place_of(statement, GpuSpace::shared);
      const Compute* compute = std::get_if<Compute>(&statement.what);
      const Source* from = nullptr;  // the one source that may be a pointer here
      if (compute != nullptr && is_shared_pointer(compute->target))
        for (const Source* origin : origins(*compute))
          if (from == nullptr && is_shared_pointer(*origin)) from = origin;
      if (compute != nullptr) {
        for (const Source& source : compute->sources)
          if (&source != from) drop(source);
      } else {
        for_each_source(statement, [&](const Source& source) {
          if (place == nullptr || &source != place) drop(source);
        });
      }
    });
    // A pointer that leads nowhere any more is a plain number again.
    std::vector<bool> leads(program.registers);
    for (std::size_t i = 0; i < leads.size(); ++i) leads[i] = is_place[i] && is_pointer_[i];
    for (bool grows = true; grows;) {
      grows = false;
      for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
        const Compute* s = std::get_if<Compute>(&statement.what);
        if (s == nullptr || s->target.type != Type::u32 || !leads[s->target.number]) return;
        for (const Source* origin : origins(*s))
          if (is_shared_pointer(*origin) && !leads[origin->reg.number]) leads[origin->reg.number] = true, grows = true;
      });
    }
    if (leads != is_pointer_) is_pointer_ = leads, has_changed = true;
  }
  for (std::size_t i = 0; i < has_shadow_.size(); ++i) has_shadow_[i] = is_place[i] && !is_pointer_[i];
}

}  // namespace lacuna::emit::ptx
