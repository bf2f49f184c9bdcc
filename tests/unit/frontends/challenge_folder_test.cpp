#include <gtest/gtest.h>

#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>

#include "support/packing.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

/// Two layers of two neurons: l1 swaps, l2 has neuron 1 -> 2 and 2 -> 2.
void write_two_layers(const TempFolder& folder) {
  folder.write("n2-l1.tsv", "2\t1\t0.5\n1\t2\t0.5\n");
  folder.write("n2-l2.tsv", "1\t2\t0.25\n2\t2\t-4\n");
}

LoadOptions without_store() {
  LoadOptions options;
  options.use_store = false;
  return options;
}

const Linear& layer(const Network& network, std::size_t k) { return std::get<Linear>(network.operators[k].operation); }

TEST(ChallengeFolder, GivesOneLinearOperatorForEachFile) {
  const TempFolder folder;
  write_two_layers(folder);
  const Network network = load(folder.path(), without_store());
  ASSERT_EQ(network.operators.size(), 2u);
  EXPECT_EQ(network.values[0].name, "input");
  EXPECT_EQ(network.values[2].name, "l2");
  EXPECT_EQ(network.width(network.output), 2u);
  const SparseMatrix& second = layer(network, 1).weights;
  EXPECT_EQ(second.nnz(), 2u);
  EXPECT_EQ(second.row_begin[1], 0u) << "no edge ends in neuron 1";
  EXPECT_EQ(second.column(0), 0u);
  EXPECT_EQ(second.value(0), 0.25f);
  EXPECT_EQ(second.value(1), -4.0f);
  EXPECT_EQ(layer(network, 0).activation, Activation::clip(0, 32));
  EXPECT_EQ(layer(network, 0).bias[0], challenge_bias(2));
}

TEST(ChallengeFolder, KeepsEqualWeightsOnce) {
  const TempFolder folder;
  write_two_layers(folder);
  const Network network = load(folder.path(), without_store());
  EXPECT_EQ(layer(network, 0).weights.values.size(), 1u);
  EXPECT_EQ(layer(network, 1).weights.values.size(), 2u);
}

TEST(ChallengeFolder, ReadsTheSameFromEveryFormOfTheFiles) {
  const std::string text = "2\t1\t0.5\n1\t2\t-3e-2\n";
  const std::string market = "%%MatrixMarket matrix coordinate real general\n% a comment\n2 2 2\n2 1 0.5\n1 2 -3e-2\n";
  const auto load_one = [&](const char* name, const std::string& bytes) {
    const TempFolder folder;
    folder.write(name, bytes);
    return hash(load(folder.path(), without_store()));
  };
  const std::uint64_t expected = load_one("n2-l1.tsv", text);
  EXPECT_EQ(load_one("n2-l1.tsv.gz", gzip(text)), expected);
  EXPECT_EQ(load_one("n2-l1.tsv.gz", gzip(text.substr(0, 5)) + gzip(text.substr(5))), expected) << "two gzip members";
  EXPECT_EQ(load_one("n2-l1.tsv.zst", zstd(text)), expected);
  EXPECT_EQ(load_one("n2-l1.tsv.zst", zstd(text.substr(0, 5)) + zstd(text.substr(5))), expected) << "two zstd frames";
  EXPECT_EQ(load_one("n2-l1.mtx", market), expected);
  EXPECT_EQ(load_one("n2-l1.mtx.gz", gzip(market)), expected);
  EXPECT_EQ(load_one("n2-l1.tsv", "2 1 0.5\r\n1 2 -3e-2\r\n"), expected) << "spaces and carriage returns";
  EXPECT_EQ(load_one("n2-l1.tsv", "2\t1\t+0.5\n\n1\t2\t-0.03"), expected) << "empty line, no last newline";
  EXPECT_EQ(load_one("n2-l1.tsv", "1\t2\t-3e-2\n2\t1\t0.5\n"), expected) << "another order";
}

TEST(ChallengeFolder, SortsTheSourcesOfANeuron) {
  const TempFolder folder;
  folder.write("n3-l1.tsv", "3\t2\t3\n1\t2\t1\n2\t2\t2\n");
  const Network network = load(folder.path(), without_store());
  const SparseMatrix& weights = layer(network, 0).weights;
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(weights.column(k), k);
    EXPECT_EQ(weights.value(k), static_cast<float>(k + 1));
  }
}

TEST(ChallengeFolder, ReadsAWeightTooSmallFor32BitsAsTheNearest) {
  const TempFolder folder;
  folder.write("n2-l1.tsv", "1\t1\t1e-60\n2\t1\t1e-44\n");
  const Network network = load(folder.path(), without_store());
  EXPECT_EQ(layer(network, 0).weights.value(0), 0.0f);
  EXPECT_EQ(layer(network, 0).weights.value(1), 1e-44f);
}

TEST(ChallengeFolder, TakesAsManyLayersAsAskedFor) {
  const TempFolder folder;
  write_two_layers(folder);
  LoadOptions options = without_store();
  options.layers = 1;
  EXPECT_EQ(load(folder.path(), options).operators.size(), 1u);
}

TEST(ChallengeFolder, TakesBiasFilesAndOptions) {
  const TempFolder folder;
  write_two_layers(folder);
  folder.write("n2-l2-bias.tsv", "0.125\n-2\n");
  LoadOptions options = without_store();
  options.bias = 7.0f;
  options.activation = Activation::tanh();
  const Network network = load(folder.path(), options);
  EXPECT_EQ(layer(network, 0).bias.size(), 1u);
  EXPECT_EQ(layer(network, 0).bias[0], 7.0f);
  EXPECT_EQ(layer(network, 1).bias.size(), 2u);
  EXPECT_EQ(layer(network, 1).bias[1], -2.0f);
  EXPECT_EQ(layer(network, 1).activation, Activation::tanh());
}

TEST(ChallengeFolder, ChoosesTheNetworkOfTheSizeAskedFor) {
  const TempFolder folder;
  write_two_layers(folder);
  folder.write("n3-l1.tsv", "3\t3\t1\n");
  LoadOptions options = without_store();
  options.neurons = 3;
  EXPECT_EQ(load(folder.path(), options).width(ValueId{0}), 3u);
}

TEST(ChallengeFolder, ReadsWhatTheGeneratorWrote) {
  const TempFolder folder;
  const Network made = generate_general({.neurons = 64, .layers = 5, .fan_in_low = 1, .fan_in_high = 9, .seed = 3});
  write_challenge_folder(made, folder.path());
  for (const unsigned threads : {1u, 2u, 7u}) {
    LoadOptions options = without_store();
    options.threads = threads;
    EXPECT_EQ(hash(load(folder.path(), options)), hash(made)) << threads << " threads";
  }
}

TEST(ChallengeFolder, ReportsProgressUpToTheLastLayer) {
  const TempFolder folder;
  write_two_layers(folder);
  std::uint64_t last = 0;
  LoadOptions options = without_store();
  options.progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(what, "reading layers");
    EXPECT_EQ(total, 2u);
    last = done;
  };
  load(folder.path(), options);
  EXPECT_EQ(last, 2u);
}

}  // namespace
}  // namespace lacuna::tests
