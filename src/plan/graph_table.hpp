// GraphTable: the rows of a neuron graph as the node kernels walk them, in float for speed or in double for exact answers. A levelised graph is its
// own rows: a node is a plane, a neuron's edges read planes before it (or, step by step, any), and rows that are alike form runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <lacuna/neuron_graph.hpp>

#include "devices/cpu/node_kernels.hpp"
#include "devices/cpu/node_table.hpp"

namespace lacuna::plan {

/// Some rows of a table, for one worker.
struct GraphSlice {
  std::vector<cpu::NodeRun> runs;
  std::uint32_t first_row = 0;
  std::uint64_t edges = 0;
};

template <typename T>
class GraphTable {
 public:
  using Nodes = std::conditional_t<std::is_same_v<T, float>, cpu::FloatNodes, cpu::ExactNodes>;
  using Function = std::conditional_t<std::is_same_v<T, float>, cpu::FloatFunction, NeuronFunction>;

  /// Needs: the graph is levelised. `name` stands for it in messages. Throws Unsupported for weights that are beyond float.
  GraphTable(const NeuronGraph& graph, std::string_view name);

  /// Rows [begin, end).
  GraphSlice slice(std::uint32_t begin, std::uint32_t end) const;

  void run(const cpu::NodeKernel& kernel, unsigned lanes, const T* before, T* after) const { run_nodes(kernel, nodes(all_), lanes, before, after); }
  void run(const cpu::NodeKernel& kernel, const GraphSlice& slice, unsigned lanes, const T* before, T* after) const {
    run_nodes(kernel, nodes(slice), lanes, before, after);
  }

  /// All rows as the kernels take them; valid as long as this object is neither moved nor destroyed.
  Nodes nodes() const { return nodes(all_); }

  const std::vector<cpu::NodeRun>& runs() const { return all_.runs; }
  std::uint64_t edges() const { return edges_.size(); }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(bias_.size()); }

 private:
  Nodes nodes(const GraphSlice& slice) const;
  static void run_nodes(const cpu::NodeKernel& kernel, const Nodes& nodes, unsigned lanes, const T* before, T* after);

  NeuronGraph graph_;  ///< for its indices, which are shared
  GraphSlice all_;
  std::vector<cpu::NodeEdge<T>> edges_;
  std::vector<T> bias_;
  std::vector<T> scale_;  ///< double: the response; float: as well, for what is no sum
  std::vector<T> decay_;  ///< empty unless continuous
  std::vector<Function> functions_;
};

extern template class GraphTable<float>;
extern template class GraphTable<double>;

}  // namespace lacuna::plan
