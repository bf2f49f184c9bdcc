// Kernels for the operators of a network of tensors that are not convolutions: element by element, copies of all kinds, pooling, softmax.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/thread_program.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::gpus {

struct CallKernel {
  kernel::ThreadProgram program;    ///< parameters: the inputs, then the output
  std::uint32_t blocks;
  std::vector<std::size_t> inputs;  ///< which of the operator's
};

/// Why the host has to run it; empty: a GPU can.
std::string why_on_host(const Network& network, const Operator& op);

using PlaceOf = std::function<const rows::Planes&(ValueId)>;

/// Needs: why_on_host() is empty, and it is a Call. Names of programs begin with `name`.
std::vector<CallKernel> call_kernels(const Network& network, const Operator& op, const PlaceOf& place, const std::string& name);

/// A value from one place to another.
kernel::ThreadProgram copy_kernel(const Shape& shape, const rows::Planes& from, const rows::Planes& to, const std::string& name);
std::uint32_t copy_blocks(const Shape& shape);

}  // namespace lacuna::engine::gpus
