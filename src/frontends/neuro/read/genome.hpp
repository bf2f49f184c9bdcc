// Genome: what Stanley's NEAT and goNEAT write, before it becomes a graph. Nodes, genes, and the modules of goNEAT.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

enum class GenomeNodeKind : std::uint8_t { hidden, input, output, bias };  ///< in the order of their numbers

struct GenomeNode {
  std::int64_t id;
  GenomeNodeKind kind;
  NeuronFunction function;
  std::uint64_t line;
};

struct Gene {
  std::int64_t source;
  std::int64_t target;
  double weight;
  std::uint64_t line;
};

/// The output node takes product, maximum or minimum of the sources, whatever genes end there.
struct GenomeModule {
  Aggregation aggregation;
  std::vector<std::int64_t> sources;
  std::int64_t output;
  std::uint64_t line;
};

struct Genome {
  std::vector<GenomeNode> nodes;
  std::vector<Gene> genes;  ///< those that are enabled
  std::vector<GenomeModule> modules;
  bool is_recurrent = false;
};

/// The function of a node that names none: Stanley's.
NeuronFunction stanley_sigmoid();

/// Stepwise if a gene is recurrent or there is a cycle, else feed forward. A bias node is no input: it is a neuron that is always 1. A stepwise network starts
/// with zeros in all neurons, so that there it goes into the biases of its readers instead.
NeuronGraph graph_of(const Genome& genome, std::string_view file);

}  // namespace lacuna::frontends
