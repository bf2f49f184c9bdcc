// Writes one thread program as an OpenCL C kernel. Registers become variables of the same name as in kernel::print(): r (uint), f (float), p (bool),
// a (address); parameters keep their own names after arg_. Memory is always accessed as integers of the element's size, because the same bytes may
// be floats here and integers there, and C would be free to think that they are not the same.
#pragma once

#include <string>
#include <vector>

#include "emit/text_writer.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::emit::opencl {

class KernelWriter {
 public:
  explicit KernelWriter(const kernel::ThreadProgram& program);

  std::string write();

 private:
  // Frame and control flow (kernel_writer.cpp).
  void name_registers();
  void find_constant_addresses();
  void find_declarations();
  void declare_the_rest();
  void write_body(const kernel::Body& body);
  void write(const kernel::Barrier&);
  void write(const kernel::BreakIf& s);
  void write(const kernel::ReturnIf& s);
  void write(const kernel::Note& s);
  void write(const kernel::If& s);
  void write(const kernel::Loop& s);

  // Registers and memory (statements.cpp).
  void write(const kernel::Compute& s);
  void write(const kernel::Compare& s);
  void write(const kernel::ReadSpecial& s);
  void write(const kernel::Advance& s);
  void write(const kernel::Load& s);
  void write(const kernel::Store& s);
  void write(const kernel::AtomicUpdate& s);
  std::string place(kernel::GpuSpace space, const kernel::Source& at, std::uint32_t offset) const;
  std::string pointer(kernel::GpuSpace space, const std::string& type, const kernel::Source& at, std::uint32_t offset, bool is_constant) const;

  /// target = value; with the type in front where this is the register's declaration.
  void assign(kernel::Register target, const std::string& value);
  std::string type_name(kernel::Register reg) const;
  const std::string& name(kernel::Register reg) const { return names_[reg.number]; }
  std::string operand(const kernel::Source& source) const;

  const kernel::ThreadProgram& program_;
  std::vector<std::string> names_;
  std::vector<bool> is_constant_address_;            ///< leads only to memory that the kernel does not write
  std::vector<const kernel::Statement*> declared_;   ///< by which statement, nullptr: at the beginning
  const kernel::Statement* current_ = nullptr;
  TextWriter text_{1};
  unsigned vectors_ = 0;
};

}  // namespace lacuna::emit::opencl
