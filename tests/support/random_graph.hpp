// Random neuron graphs: all functions and aggregations, neurons nobody reads, outputs that are read, chains and wide fan-in.
#pragma once

#include <random>

#include <lacuna/network.hpp>

namespace lacuna::tests {

struct GraphKind {
  Update update = Update::feed_forward;
  std::uint32_t inputs = 5;
  std::uint32_t neurons = 40;
  std::uint32_t outputs = 4;
  unsigned most_edges = 6;
  std::size_t functions = 0; ///< only the first of the list; 0: all
  bool only_smooth = false;  ///< no steps and no poles: what errors grow in
};

NeuronGraph random_graph(const GraphKind& kind, std::mt19937& random);

/// One input value for all graphs, one output value for each: y0, y1, ...
Network network_of(std::vector<NeuronGraph> graphs);

}  // namespace lacuna::tests
