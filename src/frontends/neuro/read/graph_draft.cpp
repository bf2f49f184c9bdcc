#include "frontends/neuro/read/graph_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include <lacuna/error.hpp>

#include "frontends/neuro/levels.hpp"

namespace lacuna::frontends {
namespace {

constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

}  // namespace

/// A table where the numbers lie close together, as they do in most files: looking up is then nearly free.
class GraphDraft::Numbers {
 public:
  Numbers(std::int64_t least, std::int64_t most, std::size_t count) : least_(least) {
    const auto range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    if (range < 8 * count + 1024)
      table_.assign(range + 1, no_node);
    else
      hashed_.reserve(count);
  }

  /// False if it has one already.
  bool insert(std::int64_t id, std::uint32_t node) {
    if (table_.empty()) return hashed_.emplace(id, node).second;
    std::uint32_t& place = table_[place_of(id)];
    if (place != no_node) return false;
    place = node;
    return true;
  }

  std::uint32_t find(std::int64_t id) const {
    if (table_.empty()) {
      const auto found = hashed_.find(id);
      return found == hashed_.end() ? no_node : found->second;
    }
    const std::uint64_t place = place_of(id);
    return place < table_.size() ? table_[place] : no_node;
  }

 private:
  std::uint64_t place_of(std::int64_t id) const { return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least_); }

  std::int64_t least_;
  std::vector<std::uint32_t> table_;
  std::unordered_map<std::int64_t, std::uint32_t> hashed_;
};

void GraphDraft::add_input(std::int64_t id, std::uint64_t line, std::string name) { inputs_.push_back({id, {}, {}, line, std::move(name)}); }

void GraphDraft::add_neuron(std::int64_t id, const NeuronFunction& function, const Neuron& neuron, std::uint64_t line, std::string name) {
  neurons_.push_back({id, function, neuron, line, std::move(name)});
}

void GraphDraft::fail(std::uint64_t line, const std::string& sentence) const {
  if (line == 0) throw InputError(file_, sentence);
  throw InputError(file_, line, 1, sentence);
}

/// For messages only: it looks everywhere.
std::string GraphDraft::name_of(std::int64_t id) const {
  for (const auto* nodes : {&inputs_, &neurons_})
    for (const Node& node : *nodes)
      if (node.id == id && !node.name.empty()) return node.name;
  return std::to_string(id);
}

GraphDraft::Numbers GraphDraft::number_nodes(const DraftRules& rules) {
  if (inputs_.empty()) fail(0, "has no inputs");
  if (outputs_.empty()) fail(0, "has no outputs");
  std::int64_t least = inputs_[0].id, most = least;
  const auto look = [&](std::int64_t id) {
    least = std::min(least, id);
    most = std::max(most, id);
  };
  for (const auto* nodes : {&inputs_, &neurons_})
    for (const Node& node : *nodes) look(node.id);
  if (rules.unlisted_nodes_are_zero) {
    for (const Edge& edge : edges_) look(edge.source);
    for (const Output& output : outputs_) look(output.id);
  }
  Numbers numbers(least, most, inputs_.size() + neurons_.size());
  std::uint32_t count = 0;
  for (const auto* nodes : {&inputs_, &neurons_})
    for (const Node& node : *nodes)
      if (!numbers.insert(node.id, count++)) fail(node.line, fmt::format("the node {} is listed twice", name_of(node.id)));

  const auto add_zero = [&](std::int64_t id) {
    if (!numbers.insert(id, count)) return;
    add_neuron(id, NeuronFunction{.curve = Curve::zero}, {}, 0);
    ++count;
  };
  if (rules.unlisted_nodes_are_zero) {
    for (const Edge& edge : edges_) add_zero(edge.source);
    for (const Output& output : outputs_) add_zero(output.id);
  }
  return numbers;
}

void GraphDraft::refuse_repeated_edges(const NeuronGraph& graph) const {
  std::vector<std::uint32_t> last_reader(graph.nodes(), no_node);
  for (std::uint32_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e) {
      std::uint32_t& reader = last_reader[graph.sources[e]];
      if (reader != k) {
        reader = k;
        continue;
      }
      const std::uint32_t node = graph.sources[e];
      const std::int64_t source = node < inputs_.size() ? inputs_[node].id : neurons_[node - inputs_.size()].id;
      const std::int64_t target = neurons_[k].id;
      std::uint64_t line = 0;  // of the last one: it is the one too many
      for (const Edge& edge : edges_)
        if (edge.source == source && edge.target == target) line = edge.line;
      fail(line, fmt::format("the connection from {} to {} is listed twice", graph.name(node), graph.name(graph.inputs + k)));
    }
}

NeuronGraph GraphDraft::finish(const DraftRules& rules) {
  if (edges_.size() >= no_node) fail(0, fmt::format("has {} connections; a graph has fewer than {}", edges_.size(), no_node));
  const Numbers numbers = number_nodes(rules);
  NeuronGraphBuilder builder(update_);
  builder.set_steps(steps_);
  builder.set_time_step(time_step_);
  const auto name = [](Node& node) { return node.name.empty() ? std::to_string(node.id) : node.name; };
  for (Node& node : inputs_) builder.add_input(name(node));
  for (Node& node : neurons_) {
    for (const auto& [what, value] : {std::pair{"bias", node.neuron.bias}, {"response", node.neuron.response}})
      if (!std::isfinite(value)) fail(node.line, fmt::format("the {} of {} is {}; it must be finite", what, name(node), value));
    builder.add_neuron(name(node), node.function, node.neuron);
  }

  for (const Edge& edge : edges_) {
    const std::uint32_t source = numbers.find(edge.source);
    const std::uint32_t target = numbers.find(edge.target);
    const auto complain = [&](std::string_view what) {
      fail(edge.line, fmt::format("the connection from {} to {} {}", name_of(edge.source), name_of(edge.target), what));
    };
    if (source == no_node) complain(fmt::format("starts at a node that is not listed{}", rules.hint));
    if (target == no_node) complain(fmt::format("ends at a node that is not listed{}", rules.hint));
    if (target < inputs_.size()) complain("ends at an input");
    if (!std::isfinite(edge.weight)) complain(fmt::format("has the weight {}; weights must be finite", edge.weight));
    builder.add_edge(source, target, edge.weight);
  }
  for (const Output& output : outputs_) {
    const std::uint32_t node = numbers.find(output.id);
    if (node == no_node) fail(output.line, fmt::format("the output {} is never computed: no node has this name{}", name_of(output.id), rules.hint));
    builder.add_output(node);
  }
  NeuronGraph graph = builder.finish();
  if (!rules.edges_may_repeat) refuse_repeated_edges(graph);
  if (rules.cycles_make_steps && graph.update == Update::feed_forward && !is_acyclic(graph)) graph.update = Update::stepwise;
  return graph;
}

}  // namespace lacuna::frontends
