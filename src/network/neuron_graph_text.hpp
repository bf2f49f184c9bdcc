// A neuron graph in the text form, both ways. One line a neuron, in the order of nodes; inputs are nodes 0, 1, ...:
//
//   feed_forward outputs [3 4] names [a b c out hidden] levels [0 1 2] {
//     3: sigmoid sum bias 0.5 response 1 0*0.25 4*-1.5
//     4: "logistic;slope:2" max bias 0 response 1 2*1
//   }
//
// After stepwise and continuous stands `steps N`, after continuous also `time_step S`, and its neurons have `time_constant T` after their response.
#pragma once

#include <string>

#include <lacuna/neuron_graph.hpp>

#include "network/words.hpp"

namespace lacuna::network {

std::string neuron_graph_text(const NeuronGraph& graph);

/// Up to and with the closing brace. Indices are not checked: verify does that.
NeuronGraph take_neuron_graph(Words& words, std::uint32_t inputs);

std::string_view name_of(Update update);

}  // namespace lacuna::network
