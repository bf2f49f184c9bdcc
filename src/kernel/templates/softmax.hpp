// Template "softmax": along the last axis of elements that stand side by side.
//
//   y[r, k] = 2^((x[r, k] - largest of r) log2 e) / sum of these over k
//
// A block owns a row; its threads meet in shared memory, for the largest and for the sum.
#pragma once

#include <string>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

struct Softmax {
  std::string name;
  std::uint32_t rows = 1;   ///< a block each
  std::uint32_t width = 1;
  std::uint32_t block_threads = 128;
};

/// Parameters: input, output.
ThreadProgram build(const Softmax& softmax);

}  // namespace lacuna::kernel
