// A compiled network of neuron graphs: one member for each graph, run as (member, panel) tasks over all cores; one large graph that has fewer panels
// than there are cores is run level by level instead, each level split by edges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/isa.hpp"
#include "engine/precision.hpp"
#include "plan/baked_graph.hpp"
#include "plan/graph_table.hpp"
#include "plan/plan.hpp"

namespace lacuna::engine::graphs {

/// Levels that are worked off at once: by the first worker alone, or in one part for each.
struct Phase {
  std::vector<plan::GraphSlice> parts;
};

template <typename T>
struct Member {
  plan::GraphTable<T> table;
  Array<std::uint32_t> outputs;  ///< planes
  std::uint32_t inputs;
  std::uint32_t planes;
  std::uint32_t input_index;     ///< of the network's inputs, the one it reads
  Update update;
  std::uint32_t steps;
  std::vector<Phase> phases{};   ///< empty: too small to be split
  std::shared_ptr<const plan::BakedGraph> code{};  ///< for panels as wide as it; null: the table runs them all

  void run(const cpu::NodeKernel& kernel, unsigned lanes, const T* before, T* after) const {
    if constexpr (std::is_same_v<T, float>)
      if (code != nullptr && code->lanes() == lanes) return code->run(after);
    table.run(kernel, lanes, before, after);
  }
};

/// What a session keeps from run to run.
struct Workspace {
  std::vector<base::AlignedFloats> arenas;       ///< two for each worker
  std::shared_ptr<base::AlignedFloats> outputs;  ///< lent to the tensors of the last run
  bool keeps_state = false;
  std::size_t batch_of_states = 0;
  std::vector<base::AlignedFloats> states;       ///< of each member, panel by panel; empty: zeros
};

/// A width that was timed, with the table or with code of a shape.
struct Width {
  unsigned lanes;
  double edges_per_s;
  plan::TileShape shape{};  ///< 0 vectors: the table
};

template <typename T>
struct GraphSet {
  std::vector<Member<T>> members;
  cpu::NodeKernel kernel;
  unsigned lanes = 0;         ///< of a full panel
  unsigned threads = 1;
  std::vector<Width> widths;  ///< empty: it was given, or not worth measuring

  std::vector<TypedTensor> run(const Network& network, std::span<const TypedTensor> inputs, Workspace& workspace) const;
};

using GraphProgram = std::variant<GraphSet<float>, GraphSet<double>>;

struct GraphOptions {
  cpu::Isa isa;
  unsigned threads;
  Precision precision;
  unsigned panel_lanes;  ///< 0: measure
  bool measure;
  plan::KernelWish kernel = plan::KernelWish::automatic;
  bool takes_time = false;  ///< code is tried too, which takes milliseconds for each graph
};

/// Needs: every graph is levelised. Throws InputError for a panel width the kernels do not have, Unsupported for code where there is none.
GraphProgram build_program(const Network& network, const GraphOptions& options);

/// The same program with the weights of another network: levelised like it, of the same structure.
GraphProgram with_weights(const GraphProgram& program, const Network& network);

/// What runs each graph, and why.
std::string print_plan(const Network& network, const GraphProgram& program);
std::string explain(const Network& network, const GraphProgram& program);

}  // namespace lacuna::engine::graphs
