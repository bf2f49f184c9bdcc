// A kernel while it is decoded: instructions whose registers are still the virtual ones of the text. control_flow.cpp and registers.cpp finish it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/sim/module.hpp"
#include "devices/sim/program.hpp"

namespace lacuna::sim {

enum class RegisterClass : std::uint8_t { word, wide, predicate };  ///< 32-bit lanes, 64-bit lanes, a bit a lane

struct VirtualRegister {
  RegisterClass of = RegisterClass::word;
  std::uint32_t number = 0;  ///< of a predicate: its number among them; else: in DraftKernel::classes
};

enum class Field : std::uint8_t { d, e, a, b, c, element0, element1, element2, element3 };

/// An operand of an instruction that is a virtual register.
struct Use {
  Field field;
  std::uint32_t number;
  bool is_write;
};

struct DraftInstruction {
  Instruction instruction;
  std::vector<Use> uses;
  std::string label;  ///< that a branch goes to
  std::uint32_t column = 0;
};

struct DraftKernel {
  std::vector<DraftInstruction> instructions;
  std::vector<RegisterClass> classes;                       ///< of the virtual registers that are no predicates
  std::map<std::string, std::uint32_t, std::less<>> labels; ///< the instruction each stands before
  std::vector<std::pair<Special, std::uint32_t>> specials;  ///< registers that hold them from the start
};

std::uint32_t& field_of(Instruction& instruction, Field field);

/// A stretch of instructions that is entered at its begin and left at its end only.
struct BasicBlock {
  std::uint32_t begin = 0, end = 0;
  std::vector<std::uint32_t> next;  ///< the last block's number + 1 stands for the end of the program
};

std::vector<BasicBlock> basic_blocks(const std::vector<DraftInstruction>& instructions);

/// Fills Instruction::reconverge of branches.
void find_meeting_points(std::vector<DraftInstruction>& instructions, const std::vector<BasicBlock>& blocks);

/// Gives virtual registers their places in a warp's memory, sharing them where lifetimes allow; fills Program::register_bytes and specials, Kernel::live_registers.
void place_registers(DraftKernel& draft, const std::vector<BasicBlock>& blocks, Kernel& kernel);

}  // namespace lacuna::sim
