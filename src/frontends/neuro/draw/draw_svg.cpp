// Pictures of neuron graphs: nodes and edges where that can be looked at, levels and the traffic between them where it cannot.
#include <lacuna/neuro.hpp>

#include "frontends/neuro/draw/picture.hpp"

namespace lacuna {

std::string draw_svg(const NeuronGraph& graph) {
  constexpr std::size_t most_edges = 2000, most_nodes = 1500;
  const bool can_be_looked_at = graph.weights.size() <= most_edges && graph.nodes() <= most_nodes;
  return can_be_looked_at ? frontends::draw_nodes(graph) : frontends::draw_levels(graph);
}

}  // namespace lacuna
