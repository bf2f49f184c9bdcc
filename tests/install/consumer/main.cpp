// Builds a network by hand, runs it and compares with numbers worked out on paper: h = relu(W x + b), y = h + x.
#include <cmath>
#include <iostream>
#include <vector>

#include <lacuna/lacuna.hpp>

lacuna::Network small_network() {
  lacuna::Network network;
  const lacuna::ValueId x = network.add_value("x", {{3}});
  const lacuna::ValueId h = network.add_value("h", {{3}});
  const lacuna::ValueId y = network.add_value("y", {{3}});
  const std::vector<lacuna::Entry> entries{{0, 0, 2.0f}, {0, 2, -1.0f}, {2, 1, 0.5f}};
  lacuna::Linear linear{lacuna::make_sparse_matrix(3, 3, entries), std::vector{0.5f, -1.0f, 0.0f}, lacuna::Activation::relu()};
  network.operators.push_back({linear, {x}, h});
  network.operators.push_back({lacuna::Add{}, {h, x}, y});
  network.input = x;
  network.output = y;
  lacuna::verify(network);
  return network;
}

int main() {
  const lacuna::Network network = small_network();
  lacuna::Session session = lacuna::compile(network, {.device = "cpu"}).open();
  const lacuna::Tensor outputs = session.run(lacuna::Tensor{{2, 3}, {1, 2, 3, -1, 4, -5}}).to_tensor();
  const std::vector<float> expected{1, 2, 4, 2.5f, 4, -3};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (std::abs(outputs.values.at(k) - expected[k]) > 1e-6f) {
      std::cerr << "output " << k << " is " << outputs.values[k] << ", not " << expected[k] << "\n";
      return 1;
    }
  }
  if (lacuna::hash(lacuna::parse(lacuna::print(network))) != lacuna::hash(network)) {
    std::cerr << "the text form is another network\n";
    return 1;
  }
  try {
    lacuna::load("/there/is/no/such/network");
    std::cerr << "a missing network was loaded\n";
    return 1;
  } catch (const lacuna::InputError&) {
  }
  std::cout << "right with lacuna " << lacuna::version() << "\n";
}
