#include <gtest/gtest.h>

#include <chrono>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <lacuna/store.hpp>

#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

namespace fs = std::filesystem;

Network made_network() {
  return generate_general({.neurons = 32, .layers = 3, .fan_in_low = 1, .fan_in_high = 5, .seed = 2});
}

TEST(Store, GivesBackTheNetwork) {
  const TempFolder folder;
  Network network = made_network();
  const ValueId sum = network.add_value("sum", Shape{{32}});
  network.operators.push_back({Add{Activation::leaky_relu(0.25f)}, {network.output, network.input}, sum});
  network.output = sum;
  save_store(network, folder / "a.lstore");
  LoadReport report;
  const Network loaded = load(folder / "a.lstore", {}, &report);
  EXPECT_TRUE(report.from_store);
  EXPECT_EQ(hash(loaded), hash(network));
  EXPECT_EQ(print(loaded), print(network));
  EXPECT_EQ(folder.listing(), "a.lstore\n") << "no temporary is left";
}

TEST(Store, GivesBackAMatrix) {
  const TempFolder folder;
  const Entry entries[] = {{0, 70000, 1.5f}, {2, 3, -1}, {2, 4, 8}};
  const SparseMatrix matrix = make_sparse_matrix(3, 70001, entries);
  save_store(matrix, folder / "m.lstore");
  const SparseMatrix loaded = load_inputs(folder / "m.lstore", 0, false);
  EXPECT_EQ(loaded.rows, 3u);
  EXPECT_EQ(loaded.columns, 70001u);
  ASSERT_EQ(loaded.nnz(), 3u);
  EXPECT_EQ(loaded.column(0), 70000u);
  EXPECT_EQ(loaded.value(2), 8.0f);
}

TEST(Store, KeepsArraysAlignedForVectorLoads) {
  const TempFolder folder;
  save_store(made_network(), folder / "a.lstore");
  const Network loaded = load(folder / "a.lstore");
  for (const Operator& op : loaded.operators) {
    const auto& weights = std::get<Linear>(op.operation).weights;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(weights.row_begin.data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(weights.narrow_columns.data()) % 64, 0u);
  }
}

TEST(Store, OutlivesItsFileWhileANetworkBorrowsFromIt) {
  const TempFolder folder;
  const Network network = made_network();
  save_store(network, folder / "a.lstore");
  const Network loaded = load(folder / "a.lstore");
  fs::remove(folder / "a.lstore");
  EXPECT_EQ(hash(loaded), hash(network));
}

TEST(Store, IsWrittenBesideTheTextAndReadTheSecondTime) {
  const TempFolder folder;
  write_challenge_folder(made_network(), folder.path());
  LoadReport first;
  LoadReport second;
  const std::uint64_t from_text = hash(load(folder.path(), {}, &first));
  EXPECT_FALSE(first.from_store);
  EXPECT_GT(first.text_bytes, 0u);
  EXPECT_EQ(first.store, folder / "n32-l3.lstore");
  EXPECT_EQ(hash(load(folder.path(), {}, &second)), from_text);
  EXPECT_TRUE(second.from_store);
  EXPECT_EQ(second.text_bytes, 0u);
}

TEST(Store, GoesWhereTheOptionsSay) {
  const TempFolder folder;
  fs::create_directory(folder / "text");
  write_challenge_folder(made_network(), folder / "text");
  LoadOptions options;
  options.store = folder / "elsewhere.lstore";
  load(folder / "text", options);
  EXPECT_TRUE(fs::exists(folder / "elsewhere.lstore"));
  EXPECT_FALSE(fs::exists(folder / "text/n32-l3.lstore"));
}

TEST(Store, IsRebuiltWhenTheTextOrTheOptionsChange) {
  const TempFolder folder;
  write_challenge_folder(made_network(), folder.path());
  LoadOptions options;
  options.store = folder / "a.lstore";
  LoadReport report;
  load(folder.path(), options);
  fs::last_write_time(folder / "n32-l2.tsv", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  load(folder.path(), options, &report);
  EXPECT_FALSE(report.from_store) << "a file has another time";
  options.activation = Activation::relu();
  load(folder.path(), options, &report);
  EXPECT_FALSE(report.from_store) << "another activation";
  options.bias = 1.0f;
  load(folder.path(), options, &report);
  EXPECT_FALSE(report.from_store) << "another bias";
  options.layers = 2;
  EXPECT_EQ(load(folder.path(), options, &report).operators.size(), 2u);
  EXPECT_FALSE(report.from_store) << "fewer layers";
  load(folder.path(), options, &report);
  EXPECT_TRUE(report.from_store) << "nothing changed";
}

TEST(Store, ThatCannotBeWrittenDoesNotStopTheLoad) {
  const TempFolder folder;
  const Network network = made_network();
  write_challenge_folder(network, folder.path());
  LoadOptions options;
  options.store = folder / "no-such-folder/a.lstore";
  LoadReport report;
  EXPECT_EQ(hash(load(folder.path(), options, &report)), hash(network));
  EXPECT_EQ(report.note, "no store: " + (folder / "no-such-folder/a.lstore").string() +
                             ": cannot be written: No such file or directory; what was there before is unchanged");
  EXPECT_TRUE(report.store.empty());
}

TEST(Store, IsTheSameOnAnyNumberOfThreads) {
  const TempFolder folder;
  write_challenge_folder(generate_general({.neurons = 64, .layers = 40, .seed = 5}), folder.path());
  std::string bytes;
  for (const unsigned threads : {1u, 2u, 8u}) {
    LoadOptions options;
    options.threads = threads;
    fs::remove(folder / "n64-l40.lstore");
    load(folder.path(), options);
    const std::string written = read_file(folder / "n64-l40.lstore");
    if (bytes.empty()) bytes = written;
    EXPECT_TRUE(written == bytes) << threads << " threads";
  }
}

}  // namespace
}  // namespace lacuna::tests
