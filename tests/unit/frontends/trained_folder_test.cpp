#include <gtest/gtest.h>

#include <lacuna/load.hpp>

#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

LoadOptions without_store() {
  LoadOptions options;
  options.use_store = false;
  return options;
}

const Linear& layer(const Network& network, std::size_t k) { return std::get<Linear>(network.operators[k].operation); }

/// 3 inputs -> 2 (dense) -> 2 (sparse) -> 1 (dense).
void write_network(const TempFolder& folder) {
  folder.write("weights/l1-dense.tsv", "1\n2\n3\n4\n0\n6\n");
  folder.write("biases/l1-dense.tsv", "0.5\n-0.5\n");
  folder.write("weights/l2-sparse.tsv", "0\t1\t0.25\n1\t0\t2\n");
  folder.write("weights/l2-sparse-nontrans.tsv", "this file has another name\n");
  folder.write("biases/l2-sparse.tsv", "0\n1\n");
  folder.write("weights/l3-dense.tsv", "7\n8\n");
  folder.write("biases/l3-dense.tsv", "-1\n");
}

TEST(TrainedFolder, ReadsDenseAndSparseLayers) {
  const TempFolder folder;
  write_network(folder);
  const Network network = load(folder.path(), without_store());
  ASSERT_EQ(network.operators.size(), 3u);
  EXPECT_EQ(network.width(network.input), 3u);
  EXPECT_EQ(network.width(network.output), 1u);
  const SparseMatrix& first = layer(network, 0).weights;
  EXPECT_EQ(first.nnz(), 5u) << "a zero of a dense file is no edge";
  EXPECT_EQ(first.row_begin[1], 2u);
  EXPECT_EQ(first.value(1), 3.0f) << "row-major, inputs x outputs: output 0 has 1, 3, 0";
  EXPECT_EQ(layer(network, 1).weights.column(0), 1u);
  EXPECT_EQ(layer(network, 1).bias[1], 1.0f);
}

TEST(TrainedFolder, ClipsHiddenLayersToOneAndLeavesTheLastLinear) {
  const TempFolder folder;
  write_network(folder);
  const Network network = load(folder.path(), without_store());
  EXPECT_EQ(layer(network, 1).activation, Activation::clip(0, 1));
  EXPECT_EQ(layer(network, 2).activation, Activation::identity());
  LoadOptions options = without_store();
  options.activation = Activation::relu();
  EXPECT_EQ(layer(load(folder.path(), options), 1).activation, Activation::relu());
}

TEST(TrainedFolder, ComesFromItsStoreTheSecondTime) {
  const TempFolder folder;
  write_network(folder);
  LoadReport report;
  const std::uint64_t first = hash(load(folder.path(), {}, &report));
  EXPECT_EQ(report.store, folder / "network.lstore");
  EXPECT_EQ(hash(load(folder.path(), {}, &report)), first);
  EXPECT_TRUE(report.from_store);
}

TEST(TrainedFolder, ReadsTheTrainedMnistNetwork) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set";
  const Network network = load(data_folder() / "trained-mlp/n128-l18", without_store());
  EXPECT_EQ(network.operators.size(), 20u);
  EXPECT_EQ(network.width(network.input), 784u);
  EXPECT_EQ(network.width(network.output), 10u);
  EXPECT_EQ(layer(network, 1).weights.nnz(), 9830u);
}

}  // namespace
}  // namespace lacuna::tests
