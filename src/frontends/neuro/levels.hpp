// Levels of a neuron graph, for pictures and summaries; graphs with cycles have them too. What runs is ordered by the pass levelise.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

bool is_acyclic(const NeuronGraph& graph);

/// For each neuron the longest way to it from inputs and neurons without sources, which have level 0 if they are inputs and 1 if not. Edges that close a
/// cycle, as a search from the outputs meets them, do not count. O(nodes + edges).
std::vector<std::uint32_t> levels_of(const NeuronGraph& graph);

}  // namespace lacuna::frontends
