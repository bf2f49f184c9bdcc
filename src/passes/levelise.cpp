#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

constexpr std::uint32_t unseen = 0xffffffff;
constexpr std::uint32_t is_open = 0xfffffffe;

/// Names the cycle that the walk has just closed: from `again` along the open neurons back to it.
[[noreturn]] void fail_cycle(const NeuronGraph& graph, const std::vector<std::uint32_t>& path, std::uint32_t again, std::string_view name) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> names;  // the path goes from reader to source; people read along the edges
  const auto start = std::find(path.begin(), path.end(), again);
  for (auto neuron = path.end(); neuron != start;) names.push_back(graph.name(graph.inputs + *--neuron));
  std::rotate(names.begin(), names.end() - 1, names.end());
  names.push_back(names.front());
  if (names.size() > shown) names.erase(names.begin() + shown / 2, names.end() - shown / 2), names.insert(names.begin() + shown / 2, "...");
  throw InputError(fmt::format("{}: a feed-forward network with a cycle: {}; load it as one that is updated step by step, or take an edge out", name, fmt::join(names, " -> ")));
}

/// The level of every neuron that an output needs, `unseen` for the others: one walk from the outputs against the edges, each taken once.
class LevelWalk {
 public:
  LevelWalk(const NeuronGraph& graph, std::string_view name) : graph_(graph), name_(name), levels_(graph.neurons.size(), unseen), next_(graph.neurons.size()) {}

  std::vector<std::uint32_t> run(bool keep_all) {
    for (const std::uint32_t node : graph_.outputs)
      if (node >= graph_.inputs) visit(node - graph_.inputs);
    if (keep_all)
      for (std::uint32_t neuron = 0; neuron < levels_.size(); ++neuron) visit(neuron);
    return std::move(levels_);
  }

 private:
  void open(std::uint32_t neuron) {
    levels_[neuron] = is_open;
    next_[neuron] = graph_.edge_begin[neuron];
    path_.push_back(neuron);
  }

  void visit(std::uint32_t first) {
    if (levels_[first] != unseen) return;
    open(first);
    while (!path_.empty()) {
      const std::uint32_t neuron = path_.back();
      const std::uint32_t end = graph_.edge_begin[neuron + 1];
      std::uint32_t& at = next_[neuron];
      while (at < end && is_known(graph_.sources[at])) ++at;
      if (at < end) {
        const std::uint32_t source = graph_.sources[at] - graph_.inputs;
        if (levels_[source] == is_open) fail_cycle(graph_, path_, source, name_);
        open(source);
        continue;
      }
      levels_[neuron] = level_of(neuron);
      path_.pop_back();
    }
  }

  bool is_known(std::uint32_t node) const { return node < graph_.inputs || levels_[node - graph_.inputs] < is_open; }

  std::uint32_t level_of(std::uint32_t neuron) const {
    std::uint32_t level = 0;
    for (std::uint32_t e = graph_.edge_begin[neuron]; e < graph_.edge_begin[neuron + 1]; ++e)
      if (graph_.sources[e] >= graph_.inputs) level = std::max(level, levels_[graph_.sources[e] - graph_.inputs] + 1);
    return level;
  }

  const NeuronGraph& graph_;
  std::string_view name_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> next_;  ///< edge to look at
  std::vector<std::uint32_t> path_;  ///< open neurons
};

/// Level 0 for all that an output needs.
std::vector<std::uint32_t> one_level(const NeuronGraph& graph, bool keep_all) {
  std::vector<std::uint32_t> levels(graph.neurons.size(), keep_all ? 0 : unseen);
  if (keep_all) return levels;
  std::vector<std::uint32_t> waiting;
  const auto take = [&](std::uint32_t node) {
    if (node < graph.inputs || levels[node - graph.inputs] == 0) return;
    levels[node - graph.inputs] = 0;
    waiting.push_back(node - graph.inputs);
  };
  for (const std::uint32_t node : graph.outputs) take(node);
  while (!waiting.empty()) {
    const std::uint32_t neuron = waiting.back();
    waiting.pop_back();
    for (std::uint32_t e = graph.edge_begin[neuron]; e < graph.edge_begin[neuron + 1]; ++e) take(graph.sources[e]);
  }
  return levels;
}

/// Kept neurons by level; within one, those of one aggregation, function and number of edges stand together.
std::vector<std::uint32_t> order_of(const NeuronGraph& graph, const std::vector<std::uint32_t>& levels, std::vector<std::uint32_t>& level_begin) {
  for (const std::uint32_t level : levels)
    if (level != unseen) {
      if (level + 2 > level_begin.size()) level_begin.resize(level + 2, 0);
      ++level_begin[level + 1];
    }
  if (level_begin.empty()) level_begin.assign(1, 0);
  std::partial_sum(level_begin.begin(), level_begin.end(), level_begin.begin());
  std::vector<std::uint32_t> order(level_begin.back());
  std::vector<std::uint32_t> next(level_begin.begin(), level_begin.end() - 1);
  for (std::uint32_t neuron = 0; neuron < levels.size(); ++neuron)
    if (levels[neuron] != unseen) order[next[levels[neuron]]++] = neuron;
  const auto shape = [&](std::uint32_t neuron) {
    return std::tuple(graph.neurons[neuron].aggregation, graph.neurons[neuron].function, graph.edge_begin[neuron + 1] - graph.edge_begin[neuron], neuron);
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return shape(a) < shape(b); };
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    const auto begin = order.begin() + level_begin[level], end = order.begin() + level_begin[level + 1];
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }
  return order;
}

NeuronGraph in_order(const NeuronGraph& graph, const std::vector<std::uint32_t>& order, std::vector<std::uint32_t> level_begin) {
  std::vector<std::uint32_t> place(graph.nodes());  // of a node, in the new graph
  std::iota(place.begin(), place.begin() + graph.inputs, 0u);
  std::size_t edges = 0;
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    place[graph.inputs + order[k]] = graph.inputs + k;
    edges += graph.edge_begin[order[k] + 1] - graph.edge_begin[order[k]];
  }
  std::vector<Neuron> neurons(order.size());
  std::vector<std::uint32_t> edge_begin(order.size() + 1, 0);
  std::vector<std::uint32_t> sources(edges);
  std::vector<double> weights(edges);
  std::uint32_t at = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    neurons[k] = graph.neurons[order[k]];
    for (std::uint32_t e = graph.edge_begin[order[k]]; e < graph.edge_begin[order[k] + 1]; ++e, ++at) {
      sources[at] = place[graph.sources[e]];
      weights[at] = graph.weights[e];
    }
    edge_begin[k + 1] = at;
  }
  std::vector<std::uint32_t> outputs(graph.outputs.size());
  std::transform(graph.outputs.begin(), graph.outputs.end(), outputs.begin(), [&](std::uint32_t node) { return place[node]; });

  NeuronGraph sorted = graph;  // what does not change is shared
  std::vector<std::uint32_t> earlier(order);
  if (!graph.earlier.empty()) std::transform(earlier.begin(), earlier.end(), earlier.begin(), [&](std::uint32_t neuron) { return graph.earlier[neuron]; });
  sorted.neurons = std::move(neurons);
  sorted.edge_begin = std::move(edge_begin);
  sorted.sources = std::move(sources);
  sorted.weights = std::move(weights);
  sorted.outputs = std::move(outputs);
  sorted.levels = std::move(level_begin);
  sorted.earlier = std::move(earlier);
  return sorted;
}

}  // namespace

NeuronGraph levelise(const NeuronGraph& graph, bool keep_all, std::string_view name) {
  std::vector<std::uint32_t> level_begin;
  const auto levels = graph.update == Update::feed_forward ? LevelWalk(graph, name).run(keep_all) : one_level(graph, keep_all);
  const auto order = order_of(graph, levels, level_begin);
  return in_order(graph, order, std::move(level_begin));
}

namespace {

bool has_same_structure(const NeuronGraph& a, const NeuronGraph& b) {
  const auto equal = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  const auto alike = [&](const Neuron& x, const Neuron& y) { return a.functions[x.function] == b.functions[y.function] && x.aggregation == y.aggregation; };
  return a.update == b.update && equal(a.edge_begin, b.edge_begin) && equal(a.sources, b.sources) && equal(a.outputs, b.outputs) &&
         std::equal(a.neurons.begin(), a.neurons.end(), b.neurons.begin(), b.neurons.end(), alike);
}

}  // namespace

NeuronGraph levelise_like(const NeuronGraph& graph, const NeuronGraph& like, std::string_view name) {
  std::vector<bool> stays(graph.neurons.size(), false);
  bool fits = graph.inputs == like.inputs;
  for (const std::uint32_t neuron : like.earlier) {
    fits = fits && neuron < stays.size();
    if (neuron < stays.size()) stays[neuron] = true;
  }
  for (const std::uint32_t node : graph.outputs) fits = fits && (node < graph.inputs || stays[node - graph.inputs]);
  NeuronGraph sorted = graph;
  if (fits) {
    sorted.earlier = {};
    sorted = in_order(sorted, {like.earlier.begin(), like.earlier.end()}, {like.levels.begin(), like.levels.end()});
  }
  if (!fits || !has_same_structure(sorted, like)) throw InputError(fmt::format("{}: its structure is not that of the network that was compiled; compile it anew", name));
  return sorted;
}

Network levelise(Network network, const PassSettings& settings) {
  constexpr std::uint64_t worth_threads = 1 << 14;
  const unsigned threads = count_edges(network) < worth_threads ? 1 : settings.threads;
  base::parallel_for(threads, network.operators.size(), [&](std::size_t k, unsigned) {
    Operator& op = network.operators[k];
    op.operation = levelise(std::get<NeuronGraph>(op.operation), false, network.value(op.output).name);
  });
  return network;
}

}  // namespace lacuna::passes
