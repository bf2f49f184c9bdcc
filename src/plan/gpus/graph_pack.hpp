// Levelised neuron graphs as the tables that the GPU's kernels walk (src/kernel/templates/neuron_graph.hpp): one set of tables for a whole population, an entry in the
// table of members for each graph, and groups of members that one kernel runs in one launch.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/network.hpp>

#include "kernel/templates/neuron_graph.hpp"

namespace lacuna::plan::gpus {

/// Members with one way of updating and about as many nodes: places in the table of members.
struct GraphGroup {
  Update update = Update::feed_forward;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t planes = 0;        ///< of the largest, rounded up so that the kernels of one generation fit the next
  std::uint64_t edges = 0;
  std::uint64_t rows = 0;
  std::uint64_t levels = 0;
};

struct GraphTables {
  std::vector<kernel::GraphMember> members;
  std::vector<std::uint32_t> records, extras, quads, functions, levels, outputs;
};

struct PackedGraphs {
  kernel::RowKinds kinds;                ///< of all members; `has_decay` is set for continuous groups
  std::vector<GraphGroup> groups;
  std::vector<std::uint32_t> order;      ///< for each place in the table of members the graph of the network
  std::vector<std::uint32_t> widths;     ///< columns of each input of the network
  std::uint64_t planes = 0;              ///< of all members
  GraphTables tables;
};

/// Needs: every graph is levelised. Throws Unsupported for weights beyond float.
PackedGraphs pack_graphs(const Network& network, unsigned threads);

}  // namespace lacuna::plan::gpus
