// Putting a NeuronGraph together from its nodes and edges.
#include <algorithm>
#include <utility>

#include <lacuna/error.hpp>
#include <lacuna/neuron_graph.hpp>

namespace lacuna {

std::uint32_t NeuronGraphBuilder::add_input(std::string name) {
  if (!neurons_.empty()) throw InternalError("an input was added to a neuron graph after a neuron");
  names_.push_back(std::move(name));
  return graph_.inputs++;
}

std::uint32_t NeuronGraphBuilder::add_neuron(std::string name, const NeuronFunction& function, Neuron neuron) {
  // The last ones first: in most graphs there are few functions, in some one for each neuron, none like another.
  constexpr std::size_t looked_at = 32;
  const std::size_t count = functions_.size();
  std::size_t k = count;
  while (k > 0 && count - k < looked_at && functions_[k - 1] != function) --k;
  if (k > 0 && count - k < looked_at) {
    neuron.function = static_cast<std::uint32_t>(k - 1);
  } else {
    neuron.function = static_cast<std::uint32_t>(count);
    functions_.push_back(function);
  }
  names_.push_back(std::move(name));
  neurons_.push_back(neuron);
  return graph_.inputs + static_cast<std::uint32_t>(neurons_.size()) - 1;
}

void NeuronGraphBuilder::add_edge(std::uint32_t source, std::uint32_t target, double weight) { edges_.push_back({source, target, weight}); }

NeuronGraph NeuronGraphBuilder::finish() {
  std::vector<std::uint32_t> begin(neurons_.size() + 1, 0);
  for (const Edge& edge : edges_) {
    if (edge.target < graph_.inputs || edge.target - graph_.inputs >= neurons_.size()) throw InternalError("an edge of a neuron graph ends in no neuron");
    ++begin[edge.target - graph_.inputs + 1];
  }
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> sources(edges_.size());
  std::vector<double> weights(edges_.size());
  for (const Edge& edge : edges_) {
    const std::uint32_t place = next[edge.target - graph_.inputs]++;
    sources[place] = edge.source;
    weights[place] = edge.weight;
  }
  graph_.functions = std::move(functions_);
  graph_.neurons = std::move(neurons_);
  graph_.edge_begin = std::move(begin);
  graph_.sources = std::move(sources);
  graph_.weights = std::move(weights);
  graph_.outputs = std::move(outputs_);
  graph_.names = std::move(names_);
  return std::move(graph_);
}

}  // namespace lacuna
