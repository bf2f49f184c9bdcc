#include "plan/baked_graph.hpp"

#include <algorithm>

namespace lacuna::plan {
namespace {

/// The function of each row, run by run.
std::vector<std::uint32_t> functions_of_rows(const cpu::FloatNodes& nodes) {
  std::vector<std::uint32_t> functions;
  for (const cpu::NodeRun& run : nodes.runs) functions.insert(functions.end(), run.rows, run.function);
  return functions;
}

/// Rows [begin, end) of one level and one function.
rows::RowGroup group_of(const NeuronGraph& graph, const cpu::FloatNodes& nodes, std::uint32_t begin, std::uint32_t end, const cpu::FloatFunction& function) {
  rows::RowGroup group;
  SparseMatrix& weights = group.weights;
  weights.rows = end - begin;
  weights.columns = graph.inputs + begin;  // every plane before
  const std::uint32_t first = graph.edge_begin[begin], last = graph.edge_begin[end];
  std::vector<std::uint32_t> row_begin, columns;
  std::vector<float> values;
  for (std::uint32_t row = begin; row <= end; ++row) row_begin.push_back(graph.edge_begin[row] - first);
  for (std::uint32_t edge = first; edge < last; ++edge) {
    columns.push_back(nodes.edges[edge].plane);
    values.push_back(nodes.edges[edge].weight);
  }
  weights.row_begin = std::move(row_begin);
  if (weights.columns <= 65536)
    weights.narrow_columns = std::vector<std::uint16_t>(columns.begin(), columns.end());
  else
    weights.wide_columns = std::move(columns);
  weights.values = std::move(values);
  group.bias = std::vector<float>(nodes.bias + begin, nodes.bias + end);
  group.activation = Activation::clip(function.low, function.high);
  group.source = {0, graph.inputs + begin};
  group.destination = {graph.inputs + begin, end - begin};
  return group;
}

}  // namespace

bool can_be_baked(const NeuronGraph& graph, const GraphTable<float>& table) {
  const cpu::FloatNodes nodes = table.nodes();
  return graph.update == Update::feed_forward && !graph.neurons.empty() && std::all_of(nodes.runs.begin(), nodes.runs.end(), [&](const cpu::NodeRun& run) {
    return run.aggregation == Aggregation::sum && nodes.functions[run.function].ending == cpu::Ending::bounds;
  });
}

BakedGraph::BakedGraph(const NeuronGraph& graph, const GraphTable<float>& table, cpu::Isa isa, TileShape shape)
    : isa_(isa), lanes_(shape.vectors * cpu::kernels_for(isa).vector_lanes), shape_(shape) {
  const cpu::FloatNodes nodes = table.nodes();
  const std::vector<std::uint32_t> functions = functions_of_rows(nodes);
  for (std::size_t level = 0; level + 1 < graph.levels.size(); ++level)
    for (std::uint32_t begin = graph.levels[level]; begin < graph.levels[level + 1];) {
      std::uint32_t end = begin;
      while (end < graph.levels[level + 1] && functions[end] == functions[begin]) ++end;
      groups_.emplace_back(group_of(graph, nodes, begin, end, nodes.functions[functions[begin]]), isa, lanes_, shape);
      begin = end;
    }
}

std::size_t BakedGraph::code_bytes() const {
  std::size_t bytes = 0;
  for (const BakedGroup& group : groups_) bytes += group.code_bytes();
  return bytes;
}

}  // namespace lacuna::plan
