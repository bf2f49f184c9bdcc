// Neuron graphs as files and pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna {

/// Writes a graph in the format of the extension: .json (neat-python), .net (SharpNEAT), .edges, .graphml, or .dot for Graphviz, which is not read. Numbers read back as
/// the same bits; to a temporary file first, then renamed. Throws Unsupported, saying what does not fit, where a format cannot hold the graph.
void save_neuron_graph(const NeuronGraph& graph, const std::filesystem::path& file);

/// How many neurons lie on each level: the longest way to them from the inputs, 1 first. Edges that close a cycle do not count.
std::vector<std::uint32_t> level_widths(const NeuronGraph& graph);

/// A picture as SVG: levels from left to right. Nodes have names while there is room for them; of graphs with very many edges the widths of the levels are
/// drawn, and how many edges go from each to each.
std::string draw_svg(const NeuronGraph& graph);

}  // namespace lacuna
