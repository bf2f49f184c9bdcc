// What compile() leaves behind: all that a session needs, read-only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

#include "base/aligned_buffer.hpp"
#include "engine/gpus/gpu_program.hpp"
#include "engine/graphs/graph_program.hpp"
#include "engine/tensors/choose.hpp"
#include "plan/counted_layer.hpp"
#include "plan/plan.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

struct TensorCompiled {
  tensors::Chosen chosen;
  tensors::TensorProgram program;
  std::uint64_t edges_left;  ///< multiply-adds with nonzero weights, of one run
  double tolerance;          ///< of its answers
};

/// What a session keeps from run to run: activations of a network of tensors, the arenas of neuron graphs, or memory of GPUs.
struct Arena {
  base::AlignedFloats memory;
  tensors::OutputMemory outputs{};
  graphs::Workspace graphs{};
  std::unique_ptr<gpus::GpuSession> gpu{};
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
  std::optional<TensorCompiled> tensors{};        ///< a network of tensors; then rows and plan are empty
  std::optional<graphs::GraphProgram> graphs{};   ///< neuron graphs; the same
  std::string device = "cpu";                     ///< as it was asked for
  std::shared_ptr<const gpus::GpuProgram> gpu{};  ///< on GPUs, whatever the network; then all of the above that runs is empty
  gpus::Devices devices{};                        ///< those GPUs
};

}  // namespace lacuna::engine
