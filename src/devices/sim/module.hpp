// Modules of PTX text, and the kernels in them: parsed, checked and decoded for the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/sim/memory.hpp"

namespace lacuna::sim {

struct Parameter {
  std::string name;
  std::string type;             ///< as in the text: "u64", "f32", "b8" (an array of `bytes`)
  std::size_t offset = 0;       ///< in the block of parameters
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};

struct Program;  // decoded instructions: program.hpp, for the executor only

/// A kernel. Belongs to its module.
class Kernel {
 public:
  Kernel();
  ~Kernel();
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;

  std::string name;
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0;       ///< of all parameters, with gaps
  std::size_t shared_bytes = 0;          ///< static
  bool uses_dynamic_shared = false;
  std::size_t local_bytes = 0;           ///< of a thread
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid; 0: any
  std::uint32_t most_threads = 0;        ///< .maxntid (product); 0: the device's limit
  std::uint32_t most_registers = 0;      ///< .maxnreg; 0: not said
  unsigned declared_registers = 0;       ///< virtual registers of all types
  unsigned live_registers = 0;           ///< of 32 bits that are alive at once: what the kernel needs at least
  unsigned registers = 0;                ///< of a thread, as the occupancy counts them: live and a few for addresses, at most `most_registers`, in eights
  std::size_t code_bytes = 0;            ///< 16 for each instruction
  std::size_t instructions = 0;
  std::unique_ptr<Program> program;
};

/// A .global or .const variable of the module.
struct Variable {
  std::string name;
  bool is_constant = false;
  std::size_t bytes = 0;
  std::size_t alignment = 0;
  std::vector<std::byte> initial;        ///< empty: zeros
  Address address = 0;                   ///< after place()
};

class Module {
 public:
  /// Throws InputError "NAME:line:column: ..." that quotes what is wrong or not simulated.
  static Module parse(std::string_view text, std::string_view name = "PTX");

  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  /// Gives the module's variables memory and their first values. Kernels of a module with variables run only afterwards.
  void place(Memory& memory);
  /// Frees them again.
  void remove(Memory& memory);

  const std::vector<std::unique_ptr<Kernel>>& kernels() const { return kernels_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const Kernel* find(std::string_view name) const;            ///< nullptr: no such kernel
  const Variable* find_variable(std::string_view name) const;
  const std::string& target() const { return target_; }       ///< "sm_70"

 private:
  Module();
  friend class ModuleParser;

  std::string target_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Variable> variables_;
};

}  // namespace lacuna::sim
