// Turns the instructions of a kernel into a draft program: opcodes looked up in the table of operations, operands checked and resolved.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "devices/sim/draft.hpp"
#include "devices/sim/operand.hpp"
#include "devices/sim/operations.hpp"

namespace lacuna::sim {

/// What a name that is no register stands for.
struct Symbol {
  enum class Kind : std::uint8_t { parameter, shared, dynamic_shared, local, global };
  Kind kind;
  std::size_t place = 0;  ///< offset in its space; of a global: the number of the module's variable
  bool is_constant = false;
};

class Decoder {
 public:
  Decoder(Kernel& kernel, std::string_view module_name) : kernel_(kernel), program_(*kernel.program), module_name_(module_name) { open_scope(); }

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }
  void declare_register(const std::string& name, std::string_view type, const Token& at);
  void declare_symbol(const std::string& name, const Symbol& symbol) { symbols_[name] = symbol; }
  void label(const Token& at);
  void decode(const RawInstruction& raw, std::string text);

  /// Branches, registers and dynamic shared memory are settled.
  void finish();

 private:
  [[noreturn]] void wrong(const Token& at, const std::string& sentence) const;

  const VirtualRegister* find_register(std::string_view name) const;
  const VirtualRegister& find_or_make_special(std::string_view name, const Token& at);
  std::uint32_t new_register(RegisterClass of);
  std::uint32_t constant(std::uint64_t bits, RegisterClass of);
  std::uint32_t symbol_constant(const Symbol& symbol, std::int64_t offset, RegisterClass of);
  std::uint32_t predicate(const Operand& operand) const;

  void decode_table(const RawInstruction& raw, const std::string& key, DraftInstruction& draft, const std::vector<Operand>& operands);
  void decode_move(const RawInstruction& raw, DraftInstruction& draft);
  void decode_compare(const RawInstruction& raw, DraftInstruction& draft);
  void decode_memory(const RawInstruction& raw, DraftInstruction& draft);
  void decode_atomic(const RawInstruction& raw, DraftInstruction& draft);
  void decode_control(const RawInstruction& raw, DraftInstruction& draft);
  void set_destination(const Operand& operand, char letter, Field field, DraftInstruction& draft);
  void set_source(const Operand& operand, char letter, Field field, DraftInstruction& draft);
  void set_element(const Operand& operand, unsigned k, bool is_write, bool is_wide, DraftInstruction& draft);
  void set_address(const Operand& operand, DraftInstruction& draft);

  Kernel& kernel_;
  Program& program_;
  std::string_view module_name_;
  DraftKernel draft_;
  std::vector<std::map<std::string, VirtualRegister, std::less<>>> scopes_;
  std::map<std::string, VirtualRegister, std::less<>> specials_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::map<std::pair<std::uint64_t, RegisterClass>, std::uint32_t> constants_;
  std::vector<std::pair<std::uint32_t, RegisterClass>> dynamic_shared_;  ///< constants that wait for its address
};

}  // namespace lacuna::sim
