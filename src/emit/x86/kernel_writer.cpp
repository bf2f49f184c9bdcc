#include "emit/x86/kernel_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna::emit::x86 {

using kernel::Op;
using kernel::Step;

namespace {

/// A bound can blank lanes with what it writes; only where there is none, an instruction does just that.
std::optional<Op> op_that_blanks(std::span<const Step> steps) {
  const auto blank = std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.op == Op::blank; });
  if (blank == steps.end()) return std::nullopt;
  const bool is_after_bound = blank != steps.begin() && ((blank - 1)->op == Op::maximum || (blank - 1)->op == Op::minimum);
  return is_after_bound ? (blank - 1)->op : Op::blank;
}

bool uses_hand(Op op) { return op == Op::multiply_add || op == Op::add; }

}  // namespace

KernelWriter::KernelWriter(Assembler& code, Target target, unsigned vectors, std::optional<std::uint32_t> into_line, bool spreads)
    : code_(code),
      target_(target),
      vectors_(vectors),
      registers_(vector_registers(target)),
      vector_bytes_(vector_lanes(target) * static_cast<std::int64_t>(sizeof(float))),
      into_line_(into_line),
      spreads_(spreads),
      load_(Pointer::load, target == Target::avx512 ? vector_bytes_ : 1),
      store_(Pointer::store, target == Target::avx512 ? vector_bytes_ : 1),
      constant_(Pointer::constant, target == Target::avx512 ? static_cast<std::int64_t>(sizeof(float)) : 1),
      skip_(Pointer::skip, target == Target::avx512 ? vector_bytes_ : 1),
      partial_(Pointer::partial, target == Target::avx512 ? vector_bytes_ : 1) {
  if (into_line && (target != Target::avx512 || vectors != 1)) throw InternalError("only single vectors of AVX-512 come by lines");
  if (spreads && (target != Target::avx512 || vectors != 1)) throw InternalError("weights are spread for single vectors of AVX-512 only");
}

/// The operand of a constant; they are used in ascending order, so the pointer only ever moves on.
Place KernelWriter::constant(std::int64_t index) {
  const std::int64_t place = constants_begin_ + index * static_cast<std::int64_t>(sizeof(float));
  constexpr std::int64_t quad_bytes = 4 * sizeof(float);
  if (!constant_.reaches(place, sizeof(float))) constant_.move(code_, constant_.best_for(spreads_ ? place / quad_bytes * quad_bytes : place));
  return constant_.place(place);
}

void KernelWriter::load_weight(unsigned target, const Step& step) {
  if (!comes_in_quad(step)) {
    code_.broadcast(target, constant(step.index));
    return;
  }
  if (quad_in_hand_ != step.index / 4) {
    quad_in_hand_ = step.index / 4;
    code_.broadcast_four(quad(), constant(quad_in_hand_ * 4));
  }
  code_.spread(target, quad(), step.index % 4);
}

NearPointer& KernelWriter::pointer_of(const Step& step) {
  switch (step.space) {
    case kernel::Space::memory: return step.op == Op::store ? store_ : load_;
    case kernel::Space::destination: return store_;
    case kernel::Space::skip: return skip_;
    case kernel::Space::partial: return partial_;
  }
  throw InternalError("a kernel step in no known space");
}

KernelWriter::Access KernelWriter::access_of(const Step& step) const {
  const auto place = static_cast<std::int64_t>(step.offset);
  if (!comes_by_lines(step)) return {place, vectors_ * vector_bytes_};
  const std::int64_t beyond = (place + *into_line_) % vector_bytes_;
  return {place - beyond, beyond == 0 ? vector_bytes_ : 2 * vector_bytes_};
}

/// Moves the pointer to the place of step `at` if the shorter displacements of this and the following accesses pay for it.
void KernelWriter::approach(Steps steps, std::size_t at) {
  const Op op = steps[at].op;
  NearPointer& pointer = pointer_of(steps[at]);
  const auto [place, bytes] = access_of(steps[at]);
  if (pointer.reaches(place, bytes)) return;
  const std::int64_t target = pointer.best_for(place);
  constexpr std::int64_t saved_bytes = 3;  // 8 instead of 32 bits
  std::int64_t gain = 0;
  const std::int64_t cost = pointer.move_cost(target);
  for (std::size_t k = at; k < steps.size() && gain <= cost; ++k) {
    if (steps[k].op != op || steps[k].space != steps[at].space) continue;
    if (const Access next = access_of(steps[k]); !pointer.reaches_from(target, next.place, next.bytes)) break;
    gain += saved_bytes * vectors_;
  }
  if (gain > cost) pointer.move(code_, target);
}

void KernelWriter::write(const kernel::Kernel& kernel, std::size_t ahead) {
  if (kernel.rows * vectors_ + (has_quad() ? 3 : 2) > registers_)
    throw InternalError(fmt::format("{} sums of {} vectors do not fit {} registers", kernel.rows, vectors_, registers_));
  spares_ = registers_ - kernel.rows * vectors_ - (has_quad() ? 1 : 0);
  quad_in_hand_ = -1;
  if (into_line_) lines_.forget(spares_ - (spreads_ ? 2 : 1));  // one is for what is joined
  const Steps steps(kernel.steps);
  blanks_ = op_that_blanks(steps);
  std::size_t lines = 0;
  for (std::size_t k = 0; k < steps.size();) {
    for (; lines * steps.size() < ahead * (k + 1) && lines < ahead; ++lines) code_.bring_near(lines);
    switch (steps[k].op) {
      case Op::load: k = write_source(steps, k); break;
      case Op::store: write_store(steps, k++); break;
      case Op::resume: write_resume(steps, k++); break;
      case Op::hold: k = write_held(steps, k); break;
      default: write_with_constants(steps[k++]); break;
    }
  }
}

std::size_t KernelWriter::write_source(Steps steps, std::size_t at) {
  std::size_t end = at + 1;
  while (end < steps.size() && uses_hand(steps[end].op)) ++end;
  const auto source = static_cast<std::int64_t>(steps[at].offset);
  const Steps uses = steps.subspan(at + 1, end - at - 1);
  if (comes_by_lines(steps[at])) {
    multiply_add_joined(steps, at, uses);
    return end;
  }
  approach(steps, at);
  if (!uses.empty() && uses[0].op == Op::add)
    add_shared(uses, steps[at]);
  else if (uses.size() == 1)
    multiply_add_from_memory(uses[0], source);
  else
    multiply_add_shared(uses, source);
  return end;
}

/// The sum's own registers are the hand.
std::size_t KernelWriter::write_held(Steps steps, std::size_t at) {
  std::size_t use = at + 1;
  for (; use < steps.size() && uses_hand(steps[use].op); ++use) {
    if (steps[use].op == Op::multiply_add) load_weight(spare(0), steps[use]);
    for (unsigned v = 0; v < vectors_; ++v) {
      if (steps[use].op == Op::add)
        code_.add(sum(steps[use].row, v), sum(steps[at].row, v));
      else
        code_.multiply_add(sum(steps[use].row, v), spare(0), sum(steps[at].row, v));
    }
  }
  return use;
}

void KernelWriter::multiply_add_one(const Step& use, unsigned source) {
  if (!comes_in_quad(use)) return code_.multiply_add_broadcast(sum(use.row, 0), source, constant(use.index));
  load_weight(spare(0), use);
  code_.multiply_add(sum(use.row, 0), spare(0), source);
}

void KernelWriter::multiply_add_from_memory(const Step& use, std::int64_t source) {
  load_weight(spare(0), use);
  for (unsigned v = 0; v < vectors_; ++v) code_.multiply_add(sum(use.row, v), spare(0), load_.place(source + v * vector_bytes_));
}

/// One load of the source for all rows, as far as the spare registers allow: all vectors of the source and one weight, or all weights and
/// one vector of the source.
void KernelWriter::multiply_add_shared(Steps uses, std::int64_t source) {
  if (vectors_ + 1 <= spares_) {
    for (unsigned v = 0; v < vectors_; ++v) code_.load(spare(1 + v), load_.place(source + v * vector_bytes_));
    for (const Step& use : uses) {
      if (target_ == Target::avx512 && vectors_ == 1) {
        multiply_add_one(use, spare(1));
        continue;
      }
      load_weight(spare(0), use);
      for (unsigned v = 0; v < vectors_; ++v) code_.multiply_add(sum(use.row, v), spare(0), spare(1 + v));
    }
  } else if (uses.size() + 1 <= spares_) {
    for (unsigned u = 0; u < uses.size(); ++u) load_weight(spare(1 + u), uses[u]);
    for (unsigned v = 0; v < vectors_; ++v) {
      code_.load(spare(0), load_.place(source + v * vector_bytes_));
      for (unsigned u = 0; u < uses.size(); ++u) code_.multiply_add(sum(uses[u].row, v), spare(1 + u), spare(0));
    }
  } else {
    for (const Step& use : uses) multiply_add_from_memory(use, source);
  }
}

void KernelWriter::multiply_add_joined(Steps steps, std::size_t at, Steps uses) {
  const auto [line, bytes] = access_of(steps[at]);
  unsigned source = bring_line(steps, at, line);
  if (bytes > vector_bytes_) {
    const unsigned low = source, high = bring_line(steps, at, line + vector_bytes_);
    source = joined();
    code_.join(source, low, high, static_cast<unsigned>((static_cast<std::int64_t>(steps[at].offset) - line) / static_cast<std::int64_t>(sizeof(float))));
  }
  for (const Step& use : uses) {
    if (use.op != Op::multiply_add) throw InternalError("sources by lines are multiplied");
    multiply_add_one(use, source);
  }
}

/// The register that has it; loads it if there is none.
unsigned KernelWriter::bring_line(Steps steps, std::size_t at, std::int64_t place) {
  const auto [number, is_there] = lines_.take(place);
  if (!is_there) {
    approach(steps, at);
    code_.load(line(number), load_.place(place));
  }
  return line(number);
}

void KernelWriter::add_shared(Steps uses, const Step& load) {
  for (unsigned v = 0; v < vectors_; ++v) {
    const Place place = pointer_of(load).place(static_cast<std::int64_t>(load.offset) + v * vector_bytes_);
    if (uses.size() == 1) {
      code_.add(sum(uses[0].row, v), place);
      continue;
    }
    code_.load(spare(0), place);
    for (const Step& use : uses) code_.add(sum(use.row, v), spare(0));
  }
}

/// Steps without memory: x, where they read it, is a constant in spare(0).
void KernelWriter::write_with_constants(const Step& step) {
  switch (step.op) {
    case Op::clear:
      for (unsigned v = 0; v < vectors_; ++v) code_.clear(sum(step.row, v));
      break;
    case Op::set:
      code_.broadcast(sum(step.row, 0), constant(step.index));
      for (unsigned v = 1; v < vectors_; ++v) code_.copy(sum(step.row, v), sum(step.row, 0));
      break;
    case Op::take: code_.broadcast(spare(0), constant(step.index)); break;
    case Op::scale:
      code_.broadcast(spare(1), constant(step.index));
      for (unsigned v = 0; v < vectors_; ++v) code_.scale_add(sum(step.row, v), spare(0), spare(1));
      break;
    case Op::maximum:
    case Op::minimum:
    case Op::blank: write_bound(step); break;
    default: throw InternalError("a kernel uses x before it loads it");
  }
}

void KernelWriter::write_bound(const Step& step) {
  for (unsigned v = 0; v < vectors_; ++v) {
    const Assembler::Blank blank = blanks_ == step.op ? Assembler::Blank(v) : std::nullopt;
    if (step.op == Op::maximum) code_.maximum(sum(step.row, v), spare(0), blank);
    if (step.op == Op::minimum) code_.minimum(sum(step.row, v), spare(0), blank);
    if (step.op == Op::blank && blank) code_.blank(sum(step.row, v), v);
  }
}

void KernelWriter::write_store(Steps steps, std::size_t at) {
  approach(steps, at);
  const auto place = static_cast<std::int64_t>(steps[at].offset);
  for (unsigned v = 0; v < vectors_; ++v) code_.store(pointer_of(steps[at]).place(place + v * vector_bytes_), sum(steps[at].row, v));
}

void KernelWriter::write_resume(Steps steps, std::size_t at) {
  approach(steps, at);
  const auto place = static_cast<std::int64_t>(steps[at].offset);
  for (unsigned v = 0; v < vectors_; ++v) code_.load(sum(steps[at].row, v), pointer_of(steps[at]).place(place + v * vector_bytes_));
}

void KernelWriter::return_to(const Places& places, std::int64_t step, std::int64_t partial_step) {
  load_.move(code_, places.load + step);
  store_.move(code_, places.store + step);
  constant_.move(code_, places.constant);
  skip_.move(code_, places.skip);
  partial_.move(code_, places.partial + partial_step);
}

/// The last round ends like all others: memory pointers `step` beyond, whatever the number of rounds; only the emitter's idea of zero moved.
void KernelWriter::moved_by(std::int64_t step) {
  load_.moved_by(step);
  store_.moved_by(step);
}

}  // namespace lacuna::emit::x86
