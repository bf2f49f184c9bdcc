// Writes one thread program as a PTX kernel.
//
// Registers: %r (u32), %f (f32), %p (flags), %rd (addresses), numbered in the order of the program's own numbers. Besides them %s: the place where
// shared memory begins and what follows it (see places.hpp); %t (32 bits), %h (16 bits), %q (flags) and %w (64 bits) live for one statement.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emit/ptx/places.hpp"
#include "emit/text_writer.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::emit::ptx {

class KernelWriter {
 public:
  explicit KernelWriter(const kernel::ThreadProgram& program);

  std::string write();

 private:
  struct Scratch {
    unsigned used = 0, most = 0;
  };

  struct LoopEnd {
    std::string label;
    bool is_used = false;
  };

  // Frame (kernel_writer.cpp).
  void name_registers();
  void load_parameters();
  void declare(TextWriter& out) const;

  // Control flow (kernel_writer.cpp).
  void write_body(const kernel::Body& body);
  void write(const kernel::Statement& statement);
  void write(const kernel::Barrier&);
  void write(const kernel::BreakIf& s);
  void write(const kernel::ReturnIf& s);
  void write(const kernel::Note& s);
  void write(const kernel::If& s);
  void write(const kernel::Loop& s);
  void branch(const std::string& label, kernel::Register flag, bool when);

  // Registers (arithmetic.cpp).
  void write(const kernel::Compute& s);
  void write(const kernel::Compare& s);
  void write(const kernel::ReadSpecial& s);
  void write(const kernel::Advance& s);
  bool write_pointer(const kernel::Compute& s);

  // Memory (memory.cpp).
  void write(const kernel::Load& s);
  void write(const kernel::Store& s);
  void write(const kernel::AtomicUpdate& s);
  std::string place(kernel::GpuSpace space, const kernel::Source& at, std::uint32_t offset);
  std::string narrow_to_bf16(const kernel::Source& value);

  /// What a register needs after something that knows nothing of shared memory wrote it.
  void follow(kernel::Register target);
  /// The register that holds the place `offset` bytes after the beginning of shared memory.
  std::string shared_at(std::uint32_t offset);

  void instruction(std::string_view opcode, std::initializer_list<std::string> operands);
  std::string scratch(Scratch& kind, std::string_view prefix);
  std::string temporary() { return scratch(temporaries_, "%t"); }
  std::string half() { return scratch(halves_, "%h"); }
  const std::string& name(kernel::Register reg) const { return names_[reg.number]; }
  std::string operand(const kernel::Source& source) const;
  std::string shared_name() const;

  const kernel::ThreadProgram& program_;
  const Places places_;
  std::vector<std::string> names_;
  unsigned counts_[4] = {};                            ///< registers of each type
  std::vector<std::string> shadows_;                   ///< of each register that has one
  std::map<std::uint32_t, std::string> shared_bases_;  ///< by offset, as shared_at() made them
  unsigned shared_registers_ = 0;
  Scratch temporaries_, halves_, conditions_, wides_;
  TextWriter text_{1};
  std::string predicate_;                              ///< before every instruction, while an If is written without branches
  std::vector<LoopEnd> loop_ends_;                     ///< innermost last
  unsigned labels_ = 0;
};

}  // namespace lacuna::emit::ptx
