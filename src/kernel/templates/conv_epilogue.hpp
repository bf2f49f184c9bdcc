// How a thread ends a line of neighbouring pixels of one output channel: the skip connection, the activation, the store; by vectors where they are aligned.
#pragma once

#include <span>

#include "kernel/templates/activation.hpp"

namespace lacuna::kernel {

/// sums[k] += what stands at the address. `aligned`: floats that the first is aligned to.
void add_skip(ThreadBuilder& builder, std::span<const Register> sums, Register address, std::uint32_t offset, std::uint32_t aligned);

void store_line(ThreadBuilder& builder, std::span<const Register> sums, Register address, std::uint32_t offset, std::uint32_t aligned);

}  // namespace lacuna::kernel
