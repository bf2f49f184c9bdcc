// Random layered networks for tests, from a printed seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::tests {

struct RandomLayer {
  std::uint32_t neurons;
  double density;  ///< of each row; some rows are empty, one is dense
  Activation activation;
  bool bias_per_neuron = true;
  bool skip = false;  ///< adds the layer's own input (needs equal widths)
};

inline SparseMatrix random_matrix(std::uint32_t rows, std::uint32_t columns, double density, std::mt19937& random, bool one_value = false) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const bool empty = row % 7 == 3;
    const bool dense = row % 11 == 5;
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (empty || (!dense && uniform(random) >= density)) continue;
      const double scale = 1.0 / std::sqrt(1.0 + (dense ? 1.0 : density) * columns);
      entries.push_back({row, column, one_value ? 0.0625f : static_cast<float>((uniform(random) * 2 - 1) * scale)});
    }
  }
  return make_sparse_matrix(rows, columns, entries);
}

inline Network random_network(std::uint32_t inputs, const std::vector<RandomLayer>& layers, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> bias(-0.5f, 0.5f);
  Network network;
  network.input = network.output = network.add_value("input", {{inputs}});
  for (const RandomLayer& layer : layers) {
    const ValueId source = network.output;
    Linear linear;
    linear.weights = random_matrix(layer.neurons, network.width(source), layer.density, random, seed % 3 == 0);
    std::vector<float> biases(layer.bias_per_neuron ? layer.neurons : 1);
    for (float& value : biases) value = bias(random);
    linear.bias = std::move(biases);
    linear.activation = layer.activation;
    network.output = network.add_value("l" + std::to_string(network.values.size()), {{layer.neurons}});
    std::vector<ValueId> sources{source};
    if (layer.skip) sources.push_back(source);
    network.operators.push_back({std::move(linear), std::move(sources), network.output});
  }
  verify(network);
  return network;
}

/// Dense inputs in [-1, 1], about half of them zero.
inline SparseMatrix random_inputs(std::uint32_t count, std::uint32_t width, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < count; ++row)
    for (std::uint32_t column = 0; column < width; ++column)
      if (random() % 2 == 0) entries.push_back({row, column, uniform(random)});
  return make_sparse_matrix(count, width, entries);
}

}  // namespace lacuna::tests
