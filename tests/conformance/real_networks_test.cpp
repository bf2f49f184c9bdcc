// Published answers on real data: the official challenge survivors and the trained network's accuracy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <lacuna/lacuna.hpp>

#include "support/all_isas.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

std::filesystem::path data_folder() {
  const char* folder = std::getenv("LACUNA_DATA");
  return folder == nullptr ? "" : folder;
}

#define NEEDS_DATA() \
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set: the official data is not at hand"

std::vector<std::uint32_t> survivors(const Network& network, const SparseMatrix& inputs, const std::string& isa, const std::string& optimise) {
  CompileOptions options;
  options.isa = isa;
  options.optimise = optimise;
  return compile(network, options).open().run(inputs).survivors;
}

TEST(OfficialChallenge, The1200ImagesGiveThe19SurvivorsThroughTextAndStoreOnEveryIsa) {
  NEEDS_DATA();
  const auto official = data_folder() / "graph-challenge";
  const TempFolder folder;
  RadixOptions radix;
  radix.residues = official / "n1024_group_residues_u8.bin";
  write_challenge_folder(generate_radix(radix), folder.path());

  LoadOptions options;
  options.neurons = 1024;
  options.use_store = false;
  const auto images = official / "sparse-images-1024_first1200.mtx";
  const SparseMatrix inputs = load_inputs(images, 0, false, options);
  const auto truth = load_categories(official / "neuron1024-l120-categories_first1200.mtx", inputs.rows);
  ASSERT_EQ(inputs.rows, 1200u);
  ASSERT_EQ(truth.size(), 19u);

  const Network from_text = load(folder.path(), options);
  options.use_store = true;
  LoadReport first, second;
  load(folder.path(), options, &first);
  const Network from_store = load(folder.path(), options, &second);
  EXPECT_FALSE(first.from_store);
  EXPECT_TRUE(second.from_store);
  EXPECT_EQ(hash(from_text), hash(from_store));
  for (const std::string& isa : all_isas())
    for (const char* optimise : {"all", "none"}) {
      SCOPED_TRACE(isa + " " + optimise);
      EXPECT_EQ(survivors(from_text, inputs, isa, optimise), truth);
      EXPECT_EQ(survivors(from_store, inputs, isa, optimise), truth);
    }
  // The truth for all 60,000, cut to the first 1,200, is the same set.
  EXPECT_EQ(load_categories(official / "neuron1024-l120-categories.tsv", 1200, true), truth);
}

TEST(OfficialChallenge, EverySubsetOfTheOptimisationsGivesThe19Survivors) {
  NEEDS_DATA();
  const auto official = data_folder() / "graph-challenge";
  RadixOptions radix;
  radix.residues = official / "n1024_group_residues_u8.bin";
  const Network network = generate_radix(radix);
  LoadOptions options;
  options.neurons = 1024;
  options.use_store = false;
  const BitMatrix inputs = pack_bits(load_inputs(official / "sparse-images-1024_first1200.mtx", 0, false, options));
  const auto truth = load_categories(official / "neuron1024-l120-categories_first1200.mtx", inputs.rows);
  auto all = optimisations();
  std::erase_if(all, [](const Optimisation& one) { return one.serves == Serves::networks_of_tensors || one.serves == Serves::neuron_graphs; });
  for (unsigned chosen = 1; chosen < 1u << all.size(); ++chosen) {
    CompileOptions compile_options;
    compile_options.panel_lanes = 32;
    compile_options.isa = all_isas().back();
    if (compile_options.isa == "sse4") compile_options.panel_lanes = 16;
    compile_options.optimise.clear();
    compile_options.kernel = "table";  // no measuring: baked code has its own suite
    for (std::size_t k = 0; k < all.size(); ++k)
      if ((chosen >> k & 1) != 0) compile_options.optimise += (compile_options.optimise.empty() ? "" : ",") + std::string(all[k].name);
    ASSERT_EQ(compile(network, compile_options).open().run(inputs).survivors, truth) << compile_options.optimise;
  }
}

TEST(TrainedNetwork, ReachesItsPublishedAccuracy) {
  NEEDS_DATA();
  const TempFolder folder;
  LoadOptions options;
  options.store = folder.path() / "network.lstore";
  const Network network = load(data_folder() / "trained-mlp/n128-l18", options);
  const Tensor images = load_tensor(data_folder() / "graph-challenge/t10k-images-idx3-ubyte.gz");
  const Tensor labels = load_tensor(data_folder() / "graph-challenge/t10k-labels-idx1-ubyte.gz");
  ASSERT_EQ(images.rows(), 10000u);
  for (const std::string& isa : all_isas()) {
    CompileOptions compile_options;
    compile_options.isa = isa;
    const Tensor scores = compile(network, compile_options).open().run(images).to_tensor();
    int right = 0;
    for (std::size_t row = 0; row < scores.rows(); ++row) {
      const auto begin = scores.values.begin() + static_cast<std::ptrdiff_t>(row * 10);
      right += static_cast<float>(std::max_element(begin, begin + 10) - begin) == labels.values[row];
    }
    EXPECT_NEAR(right / 100.0, 94.94, 0.02) << isa;
  }
}

}  // namespace
}  // namespace lacuna::tests
