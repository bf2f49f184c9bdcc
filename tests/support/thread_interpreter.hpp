// What a thread program means, by its definition: runs a grid on memory of the host, block after block, the threads of a block in lock step, statement
// by statement. Slow and strict: reading a register that holds nothing, leaving a buffer or shared memory, an access that is not aligned, or a barrier that some
// threads do not reach throw. Emitted code is judged by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::tests {

using ThreadArgument = std::variant<std::span<std::byte>, std::uint32_t, float>;

/// Throws std::runtime_error naming the statement.
void interpret(const kernel::ThreadProgram& program, std::uint32_t blocks_x, std::uint32_t blocks_y, const std::vector<ThreadArgument>& arguments);

/// The element's bits -> the register's, and back: u32 registers by value, f32 registers by their bits.
std::uint32_t widen(kernel::Element element, std::uint32_t bits);
std::uint32_t narrow(kernel::Element element, std::uint32_t bits);

/// An operation on bits of registers; flags are 0 or 1.
std::uint32_t evaluate(kernel::Arithmetic operation, kernel::Type type, const std::vector<std::uint32_t>& sources);

}  // namespace lacuna::tests
