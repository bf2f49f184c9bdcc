// What compile() leaves behind: all that a session needs, read-only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

#include "base/aligned_buffer.hpp"
#include "engine/tensors/choose.hpp"
#include "plan/counted_layer.hpp"
#include "plan/plan.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

struct TensorCompiled {
  tensors::Chosen chosen;
  tensors::TensorProgram program;
  std::uint64_t edges_left;  ///< multiply-adds with nonzero weights, of one run
};

/// Activations of a session with a network of tensors.
struct Arena {
  base::AlignedFloats memory;
};

struct Compiled {
  Network network;  ///< after the passes
  rows::SparseRows rows;
  plan::Plan plan;
  std::optional<plan::CountedLayer> counted;  ///< the first layer for inputs that are on or off
  unsigned threads;
  std::vector<std::string> optimisations;
  std::uint64_t edges;  ///< of the network as given
  SimplifyReport simplified;
  std::optional<TensorCompiled> tensors{};  ///< a network of tensors; then rows and plan are empty
};

}  // namespace lacuna::engine
