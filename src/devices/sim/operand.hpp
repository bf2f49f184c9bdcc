// Operands of PTX instructions as the text has them, and the reader that turns tokens into them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/sim/tokens.hpp"

namespace lacuna::sim {

struct Operand {
  enum class Kind : std::uint8_t {
    name,     ///< a register, variable or label, plus `offset`
    number,
    address,  ///< [name + offset] or [number]
    list,     ///< {a, b, ...}
  };
  Kind kind = Kind::name;
  std::string_view name;
  bool is_negated = false;  ///< !p
  Number number;
  std::int64_t offset = 0;
  std::vector<Operand> list;
  std::string_view second;  ///< q of p|q
  Token at;                 ///< for messages
};

/// An instruction as it stands in the text: tokens from the opcode to the one before the semicolon.
struct RawInstruction {
  std::string_view guard;  ///< empty: none
  bool is_guard_negated = false;
  Token opcode;
  std::vector<Operand> operands;
};

/// Throws InputError that quotes what is wrong.
RawInstruction read_instruction(std::span<const Token> tokens, std::string_view module_name);

}  // namespace lacuna::sim
