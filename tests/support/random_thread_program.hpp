// Random thread programs that use everything thread programs have, and whose answer is the same bits on every device that rounds correctly: no races, no
// operation that may be approximate, no payload of a NaN and no sign of a zero that a device may choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::tests {

struct RandomThreadProgram {
  kernel::ThreadProgram program;
  std::uint32_t blocks_x = 0, blocks_y = 0;
  // In the order of the parameters: in, out, counters; then the two numbers.
  std::vector<std::byte> in, out, counters;
  std::uint32_t number = 0;
  float factor = 0;
};

/// `shared_bytes`: at least this much shared memory.
RandomThreadProgram random_thread_program(unsigned seed, std::uint32_t shared_bytes = 0);

/// Words of `out` that differ, NaN being equal to NaN where floats are stored.
std::size_t different_words(const std::vector<std::byte>& a, const std::vector<std::byte>& b);

}  // namespace lacuna::tests
