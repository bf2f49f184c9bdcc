// The readers of single networks, one for each format, from text in memory; `file` stands for the file in messages. What they give is in form, and
// whether it may run (no cycle where there must be none) is for the passes to say. docs/neuroevolution.md describes the formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

/// neat-python's JSON, version 1.0.
NeuronGraph read_neat_python(std::string_view text, std::string_view file);

/// SharpNEAT's .net.
NeuronGraph read_sharpneat(std::string_view text, std::string_view file);

/// A genome as Stanley's NEAT writes it (genomestart), or with the function names of goNEAT. Throws if there are several.
NeuronGraph read_stanley(std::string_view text, std::string_view file);

struct ListedGenome {
  std::string name;  ///< the number after genomestart
  std::uint64_t line;
  NeuronGraph graph;
};

/// All of them: NEAT writes a population into one file.
std::vector<ListedGenome> read_stanley_genomes(std::string_view text, std::string_view file);

/// goNEAT's YAML, with modules.
NeuronGraph read_goneat_yaml(std::string_view text, std::string_view file);

/// MultiNEAT's networks (NNstart).
NeuronGraph read_multineat(std::string_view text, std::string_view file);

NeuronGraph read_graphml(std::string_view text, std::string_view file);

/// Lines `source target weight` with directives: Lacuna's own.
NeuronGraph read_edge_lines(std::string_view text, std::string_view file);

}  // namespace lacuna::frontends
