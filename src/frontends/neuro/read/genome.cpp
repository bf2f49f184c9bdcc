#include "frontends/neuro/read/genome.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include <lacuna/error.hpp>

#include "frontends/neuro/read/graph_draft.hpp"

namespace lacuna::frontends {
namespace {

using NodesById = std::unordered_map<std::int64_t, const GenomeNode*>;

/// What the genes of bias nodes add to each neuron, unless a module ends there.
std::unordered_map<std::int64_t, double> biases_of(const Genome& genome, const NodesById& nodes, const std::unordered_map<std::int64_t, const GenomeModule*>& modules) {
  std::unordered_map<std::int64_t, double> biases;
  for (const Gene& gene : genome.genes) {
    const auto source = nodes.find(gene.source);
    if (source != nodes.end() && source->second->kind == GenomeNodeKind::bias && !modules.contains(gene.target)) biases[gene.target] += gene.weight;
  }
  return biases;
}

NeuronGraph graph_of(const Genome& genome, std::string_view file, Update update) {
  NodesById nodes;
  for (const GenomeNode& node : genome.nodes) nodes.emplace(node.id, &node);
  std::unordered_map<std::int64_t, const GenomeModule*> modules;
  for (const GenomeModule& module : genome.modules)
    if (!modules.emplace(module.output, &module).second)
      throw InputError(std::string(file), module.line, 1, fmt::format("two modules end at node {}", module.output));
  const bool folds_bias = update != Update::feed_forward;
  auto biases = folds_bias ? biases_of(genome, nodes, modules) : std::unordered_map<std::int64_t, double>();

  GraphDraft draft(file, update);
  for (const GenomeNode& node : genome.nodes)
    if (node.kind == GenomeNodeKind::input) draft.add_input(node.id, node.line);
  for (const GenomeNode& node : genome.nodes) {
    if (node.kind == GenomeNodeKind::input) continue;
    if (node.kind == GenomeNodeKind::output) draft.add_output(node.id, node.line);
    const auto module = modules.find(node.id);
    if (node.kind == GenomeNodeKind::bias) {
      draft.add_neuron(node.id, {}, {.bias = 1}, node.line);
    } else if (module != modules.end()) {
      draft.add_neuron(node.id, {}, {.aggregation = module->second->aggregation}, node.line);
    } else {
      const auto bias = biases.find(node.id);
      draft.add_neuron(node.id, node.function, {.bias = bias == biases.end() ? 0 : bias->second}, node.line);
    }
  }
  for (const Gene& gene : genome.genes) {
    if (modules.contains(gene.target)) continue;
    const auto source = nodes.find(gene.source);
    const bool is_folded = folds_bias && source != nodes.end() && source->second->kind == GenomeNodeKind::bias && nodes.contains(gene.target);
    if (!is_folded) draft.add_edge(gene.source, gene.target, gene.weight, gene.line);
  }
  for (const GenomeModule& module : genome.modules)
    for (const std::int64_t source : module.sources) draft.add_edge(source, module.output, 1, module.line);
  return draft.finish({.edges_may_repeat = true, .cycles_make_steps = true});
}

}  // namespace

NeuronFunction stanley_sigmoid() { return *find_function("SigmoidSteepenedActivation"); }

NeuronGraph graph_of(const Genome& genome, std::string_view file) {
  if (genome.is_recurrent) return graph_of(genome, file, Update::stepwise);
  NeuronGraph graph = graph_of(genome, file, Update::feed_forward);
  return graph.update == Update::feed_forward ? graph : graph_of(genome, file, Update::stepwise);
}

}  // namespace lacuna::frontends
