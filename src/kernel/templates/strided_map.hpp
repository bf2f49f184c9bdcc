// Template "strided map": element by element, wherever the elements stand.
//
//   y[k] = activation(a[k] (operation) b[k])          k over the elements of the output, in the order of a file
//
// Each operand has extents and strides of its own, so this is a copy between planes and files, a reshape (the same k, other extents), a transposition, a
// concatenation (an output that begins elsewhere), a broadcast (a stride of zero), a sum, a product, an activation.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

/// Where element k of an operand stands, in floats: k is taken apart by the extents, last first.
struct StridedOperand {
  std::array<std::uint32_t, 4> extents{1, 1, 1, 1};
  std::array<std::uint32_t, 4> strides{0, 0, 0, 0};
  std::uint32_t origin = 0;

  bool operator==(const StridedOperand&) const = default;
};

struct StridedMap {
  enum class Operation : std::uint8_t { first, add, subtract, multiply, divide, minimum, maximum };

  std::string name;
  Operation operation = Operation::first;
  Activation activation{};
  StridedOperand a{}, output{};
  std::optional<StridedOperand> b{};   ///< unless the operation is `first`
  std::uint32_t elements = 0;
  std::uint32_t block_threads = 128;

  std::uint32_t blocks() const { return (elements + block_threads - 1) / block_threads; }
};

/// Parameters: a, b if there is one, output.
ThreadProgram build(const StridedMap& map);

/// Element k of an operand: its address.
Register operand_address(ThreadBuilder& builder, Register base, const StridedOperand& operand, Register k);

}  // namespace lacuna::kernel
