// The writers of single networks, one for each format. Each gives the whole text; Unsupported says what a format cannot hold, and `file` where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

std::string neat_python_text(const NeuronGraph& graph, std::string_view file);
std::string sharpneat_text(const NeuronGraph& graph, std::string_view file);
std::string edge_lines_text(const NeuronGraph& graph);
std::string graphml_text(const NeuronGraph& graph);
std::string dot_text(const NeuronGraph& graph);

/// The names of all nodes if they differ from each other, else their numbers.
std::vector<std::string> distinct_names(const NeuronGraph& graph);

/// "two connections go from a to b" if there are such: neat-python and SharpNEAT have one at most.
std::optional<std::string> repeated_edge(const NeuronGraph& graph);

/// & < > " and bytes that XML does not know, replaced.
std::string xml_text(std::string_view text);

}  // namespace lacuna::frontends
