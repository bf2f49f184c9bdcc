// Writes small stores, one of a network and one of inputs, into the folder given: the seeds of fuzz_store.
#include <cstdio>
#include <filesystem>
#include <lacuna/error.hpp>
#include <lacuna/store.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_store_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const lacuna::Entry entries[] = {{0, 1, 0.5f}, {1, 0, -2.0f}, {2, 2, 1.0f}};
  const lacuna::SparseMatrix matrix = lacuna::make_sparse_matrix(3, 3, entries);
  lacuna::Network network;
  network.input = network.add_value("x", {{3}});
  const lacuna::ValueId hidden = network.add_value("y", {{3}});
  network.output = network.add_value("z", {{3}});
  network.operators.push_back(
      {lacuna::Linear{matrix, std::vector{0.25f}, lacuna::Activation::clip(0, 1)}, {network.input}, hidden});
  network.operators.push_back({lacuna::Add{lacuna::Activation::relu()}, {network.input, hidden}, network.output});
  try {
    lacuna::save_store(network, folder / "network.lstore");
    lacuna::save_store(matrix, folder / "matrix.lstore");
  } catch (const lacuna::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
