// The two kinds of picture, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

/// Every node a disc, every edge a line.
std::string draw_nodes(const NeuronGraph& graph);

/// Every level a bar, the edges from one to another an arc.
std::string draw_levels(const NeuronGraph& graph);

// Colours that people with colour blindness tell apart (Okabe and Ito), on white.
inline constexpr std::string_view input_colour = "#56b4e9";
inline constexpr std::string_view hidden_colour = "#c8c8c8";
inline constexpr std::string_view output_colour = "#e69f00";
inline constexpr std::string_view positive_colour = "#0072b2";
inline constexpr std::string_view negative_colour = "#d55e00";

/// The head of the file with a white ground.
std::string begin_svg(double width, double height);

/// "12 inputs, 30 hidden neurons, 1 output, 121 edges, feed forward"
std::string caption(const NeuronGraph& graph);

/// The column of each node: 0 for inputs, the last for outputs, between them the level.
std::vector<std::uint32_t> columns_of(const NeuronGraph& graph);

}  // namespace lacuna::frontends
