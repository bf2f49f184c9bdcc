#include "support/random_graph.hpp"

#include <algorithm>

namespace lacuna::tests {

NeuronGraph random_graph(const GraphKind& kind, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  NeuronGraphBuilder builder(kind.update);
  for (std::uint32_t k = 0; k < kind.inputs; ++k) builder.add_input("in" + std::to_string(k));
  auto functions = named_functions();
  if (kind.functions != 0) functions = functions.first(kind.functions);
  const auto is_rough = [](Curve curve) {
    return curve == Curve::inverse || curve == Curve::log || curve == Curve::step || curve == Curve::threshold || curve == Curve::sign || curve == Curve::exp || curve == Curve::cube;
  };
  for (std::uint32_t k = 0; k < kind.neurons; ++k) {
    NeuronFunction function = functions[random() % functions.size()].function;
    while (kind.only_smooth && is_rough(function.curve)) function = functions[random() % functions.size()].function;
    Neuron neuron;
    neuron.aggregation = random() % 2 == 0 ? Aggregation::sum : static_cast<Aggregation>(random() % 7);
    neuron.bias = uniform(random);
    neuron.response = random() % 3 == 0 ? 1 : uniform(random);
    neuron.time_constant = 0.02 + std::abs(uniform(random));
    builder.add_neuron("n" + std::to_string(k), function, neuron);
  }
  // Neurons are sources of those with a higher rank, so that no file order is the order of evaluation.
  std::vector<std::uint32_t> rank(kind.neurons);
  for (std::uint32_t k = 0; k < kind.neurons; ++k) rank[k] = k;
  std::shuffle(rank.begin(), rank.end(), random);
  for (std::uint32_t k = 0; k < kind.neurons; ++k) {
    const std::uint32_t target = rank[k];
    const auto edges = random() % 12 == 0 ? 0 : (random() % 15 == 0 ? 4 * kind.most_edges : 1 + random() % kind.most_edges);
    const std::uint32_t sources = kind.update == Update::feed_forward ? kind.inputs + k : kind.inputs + kind.neurons;
    for (std::size_t e = 0; e < edges; ++e) {
      const auto source = static_cast<std::uint32_t>(random() % sources);
      builder.add_edge(source < kind.inputs ? source : kind.inputs + rank[source - kind.inputs], kind.inputs + target, uniform(random));
    }
  }
  for (std::uint32_t k = 0; k < kind.outputs; ++k) builder.add_output(static_cast<std::uint32_t>(kind.inputs + random() % kind.neurons));
  builder.set_steps(kind.update == Update::feed_forward ? 1 : static_cast<std::uint32_t>(1 + random() % 3));
  builder.set_time_step(0.05);
  return builder.finish();
}

Network network_of(std::vector<NeuronGraph> graphs) {
  Network network;
  network.input = network.add_value("x", {{graphs.at(0).inputs}});
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    const ValueId output = network.add_value("y" + std::to_string(k), {{static_cast<std::uint32_t>(graphs[k].outputs.size())}});
    network.operators.push_back({std::move(graphs[k]), {network.input}, output});
    if (k == 0)
      network.output = output;
    else
      network.other_outputs.push_back(output);
  }
  return network;
}

}  // namespace lacuna::tests
