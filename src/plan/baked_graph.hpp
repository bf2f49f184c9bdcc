// A feed-forward neuron graph as machine code for one panel width: rows of a level that end alike are a baked group. Worth it for a graph that runs often: code
// takes a thousand times as long to make as a table.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/baked_group.hpp"
#include "plan/graph_table.hpp"

namespace lacuna::plan {

/// Whether every neuron is a sum that ends in bounds (relu, clip, identity), and the graph is feed forward.
bool can_be_baked(const NeuronGraph& graph, const GraphTable<float>& table);

class BakedGraph {
 public:
  /// Needs: can_be_baked(graph, table), and shape is one of tile_shapes(isa). Panels are as wide as the shape. Throws DeviceError if the system refuses memory for code.
  BakedGraph(const NeuronGraph& graph, const GraphTable<float>& table, cpu::Isa isa, TileShape shape);

  void run(float* arena) const {
    for (const BakedGroup& group : groups_) group.run(arena);
  }

  unsigned lanes() const { return lanes_; }
  TileShape shape() const { return shape_; }
  cpu::Isa isa() const { return isa_; }
  std::size_t code_bytes() const;

 private:
  cpu::Isa isa_;
  unsigned lanes_;
  TileShape shape_;
  std::vector<BakedGroup> groups_;
};

}  // namespace lacuna::plan
