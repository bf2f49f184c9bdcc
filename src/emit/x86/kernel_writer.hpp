// Writes the steps of one kernel for one tile of vectors.
//
// Registers: sums first, `vectors` for each row; what is left over holds the hand x and weights for a moment. rdi walks through what is
// loaded, rdx through what is stored, rsi through the constants; where spaces are apart, rcx and rax
// through skip connections and partial sums.
//
// Sources may come by whole lines: those that lie across two are joined in a register. Neighbouring taps of a row are in the same lines, so
// that there are not more loads than sources.
//
// AVX2 takes weights four at a time: one load brings them into both halves of the last register, and a shuffle spreads one of them. A
// multiply-add needs a source from memory anyway, and loads are what such code has too many of. With AVX-512 a multiply-add broadcasts its own operand from
// memory; on CPUs whose shuffles do not compete with multiply-adds, four of twelve weights may come the other way, so that fewer loads are left. More of
// them are more code, which gains nothing (decision 0026).
#pragma once

#include <optional>
#include <span>

#include "emit/x86/assembler.hpp"
#include "emit/x86/lines_in_registers.hpp"
#include "emit/x86/near_pointer.hpp"

namespace lacuna::emit::x86 {

class KernelWriter {
 public:
  /// `into_line`, `spreads`: as in SweepForm.
  KernelWriter(Assembler& code, Target target, unsigned vectors, std::optional<std::uint32_t> into_line = std::nullopt, bool spreads = false);

  /// Between the steps `ahead` lines of other memory are brought near.
  void write(const kernel::Kernel& kernel, std::size_t ahead = 0);

  /// Byte position of the next kernel's first constant.
  void begin_constants(std::int64_t position) { constants_begin_ = position; }

  std::int64_t vector_bytes() const { return vector_bytes_; }

  struct Places {
    std::int64_t load, store, constant, skip, partial;
  };
  Places places() const { return {load_.at(), store_.at(), constant_.at(), skip_.at(), partial_.at()}; }

  /// Emits the moves that bring the constants back to where they were, memory `step` bytes beyond, and partial sums `partial_step`.
  void return_to(const Places& places, std::int64_t step, std::int64_t partial_step = 0);
  void moved_by(std::int64_t step);

 private:
  using Steps = std::span<const kernel::Step>;

  // Numbers of registers.
  unsigned sum(unsigned row, unsigned vector) const { return row * vectors_ + vector; }
  bool has_quad() const { return target_ == Target::avx2 || spreads_; }
  unsigned quad() const { return registers_ - 1; }
  unsigned spare(unsigned number) const { return registers_ - 1 - (has_quad() ? 1 : 0) - number; }
  unsigned joined() const { return spare(spreads_ ? 1 : 0); }  ///< of two lines; weights that are spread have spare(0)
  unsigned line(unsigned number) const { return joined() - 1 - number; }

  /// What a load or store touches.
  struct Access {
    std::int64_t place, bytes;
  };
  Access access_of(const kernel::Step& step) const;
  bool comes_by_lines(const kernel::Step& step) const { return into_line_ && step.op == kernel::Op::load && step.space == kernel::Space::memory; }

  bool comes_in_quad(const kernel::Step& use) const { return target_ == Target::avx2 || (spreads_ && use.index % 12 < 4); }
  Place constant(std::int64_t index);
  void load_weight(unsigned target, const kernel::Step& step);
  NearPointer& pointer_of(const kernel::Step& step);
  void approach(Steps steps, std::size_t at);

  /// Handles the load at `at` and all steps that use it; returns the step after them.
  std::size_t write_source(Steps steps, std::size_t at);
  /// Handles the hold at `at` and all steps that use it; returns the step after them.
  std::size_t write_held(Steps steps, std::size_t at);
  void write_resume(Steps steps, std::size_t at);
  /// AVX-512 and one vector: the multiply-add broadcasts the weight itself, or has it spread.
  void multiply_add_one(const kernel::Step& use, unsigned source);
  void multiply_add_from_memory(const kernel::Step& use, std::int64_t source);
  void multiply_add_shared(Steps uses, std::int64_t source);
  void multiply_add_joined(Steps steps, std::size_t at, Steps uses);
  unsigned bring_line(Steps steps, std::size_t at, std::int64_t place);
  void add_shared(Steps uses, const kernel::Step& load);
  void write_with_constants(const kernel::Step& step);
  void write_bound(const kernel::Step& step);
  void write_store(Steps steps, std::size_t at);

  Assembler& code_;
  const Target target_;
  const unsigned vectors_;
  const unsigned registers_;
  const std::int64_t vector_bytes_;
  const std::optional<std::uint32_t> into_line_;
  const bool spreads_;
  unsigned spares_ = 0;             ///< without the one for the quad
  std::optional<kernel::Op> blanks_;  ///< the step that also zeroes lanes that are not wanted: a bound, or blank itself
  std::int64_t quad_in_hand_ = -1;  ///< which four constants the quad register holds
  std::int64_t constants_begin_ = 0;
  LinesInRegisters lines_;
  NearPointer load_;
  NearPointer store_;
  NearPointer constant_;
  NearPointer skip_;
  NearPointer partial_;
};

}  // namespace lacuna::emit::x86
