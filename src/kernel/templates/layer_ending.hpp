// Template "layer ending": what is left of a layer after a library has multiplied, in place.
//
//   y[k] = activation(y[k] + bias[k] + skip[k])          k over the elements of the output, in the order of a file
//
// Each operand has extents and strides of its own: a bias moves with the channels and has a stride of zero elsewhere.
#pragma once

#include <optional>
#include <string>

#include <lacuna/network.hpp>

#include "kernel/templates/strided_map.hpp"

namespace lacuna::kernel {

struct LayerEnding {
  std::string name;
  StridedOperand output{};
  std::optional<StridedOperand> bias{}, skip{};
  Activation activation{};
  std::uint32_t elements = 0;
  std::uint32_t block_threads = 128;

  std::uint32_t blocks() const { return (elements + block_threads - 1) / block_threads; }
};

/// Parameters: output, then bias and skip, those there are.
ThreadProgram build(const LayerEnding& ending);

}  // namespace lacuna::kernel
