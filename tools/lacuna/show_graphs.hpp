// What `lacuna inspect` shows of neuron graphs: one network, or a population.
#pragma once

#include <string>

#include <lacuna/network.hpp>

namespace cli {

/// `path` is the file, folder or archive it came from.
void show_graphs(const lacuna::Network& network, const std::string& path, bool as_json);

/// The only graph of a network; throws InputError for a population, saying what to do: `purpose` is what one graph is needed for.
const lacuna::NeuronGraph& only_graph(const lacuna::Network& network, const std::string& path, const std::string& purpose);

}  // namespace cli
