#include <gtest/gtest.h>

#include <lacuna/load.hpp>
#include <string>

#include "support/packing.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

LoadOptions of_neurons(std::uint32_t neurons) {
  LoadOptions options;
  options.neurons = neurons;
  options.use_store = false;
  return options;
}

TEST(Inputs, HaveOneRowForEachInputUpToTheLargest) {
  const TempFolder folder;
  const auto file = folder.write("images.tsv", "3\t4\t1\n1\t2\t1\n3\t1\t1\n");
  const SparseMatrix inputs = load_inputs(file, 0, false, of_neurons(4));
  EXPECT_EQ(inputs.rows, 3u);
  EXPECT_EQ(inputs.columns, 4u);
  ASSERT_EQ(inputs.nnz(), 3u);
  EXPECT_EQ(inputs.row_begin[1], 1u);
  EXPECT_EQ(inputs.row_begin[2], 1u) << "input 2 is empty";
  EXPECT_EQ(inputs.column(1), 0u);
  EXPECT_EQ(inputs.column(2), 3u);
  EXPECT_TRUE(inputs.has_one_value());
}

TEST(Inputs, AreFilledUpOrCutToTheCount) {
  const TempFolder folder;
  const auto file = folder.write("images.tsv", "1\t2\t1\n3\t1\t1\n");
  EXPECT_EQ(load_inputs(file, 5, false, of_neurons(2)).rows, 5u);
  const SparseMatrix cut = load_inputs(file, 2, true, of_neurons(2));
  EXPECT_EQ(cut.rows, 2u);
  EXPECT_EQ(cut.nnz(), 1u);
}

TEST(Inputs, TakeTheNumberOfNeuronsFromNameHeadOrLargestIndex) {
  const TempFolder folder;
  const std::string text = "1\t2\t1\n";
  EXPECT_EQ(load_inputs(folder.write("sparse-images-9.tsv", text), 0, false, of_neurons(0)).columns, 9u);
  EXPECT_EQ(load_inputs(folder.write("other.tsv", text), 0, false, of_neurons(0)).columns, 2u);
  const std::string market = "%%MatrixMarket matrix coordinate pattern general\n6 5 1\n1 2\n";
  const SparseMatrix inputs = load_inputs(folder.write("images.mtx", market), 0, false, of_neurons(0));
  EXPECT_EQ(inputs.columns, 5u);
  EXPECT_EQ(inputs.rows, 6u);
  EXPECT_EQ(inputs.value(0), 1.0f);
}

TEST(Inputs, UseWideColumnsAbove65536Neurons) {
  const TempFolder folder;
  const auto file = folder.write("images.tsv", "1\t65537\t1\n");
  EXPECT_EQ(load_inputs(file, 0, false, of_neurons(65536 + 1)).wide_columns.size(), 1u);
  EXPECT_EQ(load_inputs(file, 0, false, of_neurons(65536 + 1)).column(0), 65536u);
}

/// Several blocks of text, so that lines are cut and put together again, on any number of threads.
TEST(Inputs, OfManyBlocksAreReadInOrderOnAnyNumberOfThreads) {
  constexpr std::uint32_t rows = 300000;
  std::string text;
  for (std::uint32_t row = 1; row <= rows; ++row)
    text += std::to_string(row) + '\t' + std::to_string(row % 1000 + 1) + '\t' + (row == 250000 ? "2" : "1") + '\n';
  ASSERT_GT(text.size(), std::size_t{3} << 20);
  const TempFolder folder;
  const std::filesystem::path files[] = {folder.write("a.tsv", text), folder.write("b.tsv.gz", gzip(text)),
                                         folder.write("c.tsv.zst", zstd(text))};
  for (const auto& file : files)
    for (const unsigned threads : {1u, 2u, 5u}) {
      LoadOptions options = of_neurons(1000);
      options.threads = threads;
      LoadReport report;
      const SparseMatrix inputs = load_inputs(file, 0, false, options, &report);
      EXPECT_EQ(report.text_bytes, text.size());
      ASSERT_EQ(inputs.nnz(), rows);
      for (std::uint32_t row = 1; row <= rows; ++row) ASSERT_EQ(inputs.column(row - 1), row % 1000);
      EXPECT_EQ(inputs.value(249999), 2.0f);
      EXPECT_EQ(inputs.value(250000), 1.0f);
    }
}

TEST(Inputs, ComeFromTheStoreTheSecondTime) {
  const TempFolder folder;
  const auto file = folder.write("images.tsv.gz", gzip("1\t2\t1\n3\t1\t0.5\n"));
  LoadOptions options;
  options.neurons = 4;
  LoadReport report;
  load_inputs(file, 0, false, options, &report);
  EXPECT_FALSE(report.from_store);
  EXPECT_EQ(report.store, folder / "images.lstore");
  const SparseMatrix second = load_inputs(file, 2, true, options, &report);
  EXPECT_TRUE(report.from_store);
  EXPECT_EQ(second.rows, 2u);
  EXPECT_EQ(second.column(0), 1u);
  const SparseMatrix direct = load_inputs(folder / "images.lstore", 0, false, options, &report);
  EXPECT_EQ(direct.rows, 3u);
  EXPECT_EQ(direct.value(1), 0.5f);
}

TEST(Categories, AreSortedAndCountFromZero) {
  const TempFolder folder;
  const std::vector<std::uint32_t> expected{0, 6, 9};
  EXPECT_EQ(load_categories(folder.write("t.tsv", "7\n1\n10\n"), 10), expected);
  EXPECT_EQ(load_categories(folder.write("t.tsv.gz", gzip("7\r\n1\r\n10")), 10), expected);
  const std::string market = "%%MatrixMarket matrix coordinate pattern general\n10 1 3\n7 1\n1 1\n10 1\n";
  EXPECT_EQ(load_categories(folder.write("t.mtx", market), 10), expected);
}

TEST(Categories, BeyondTheCountCanBeLeftOut) {
  const TempFolder folder;
  const std::vector<std::uint32_t> expected{0, 6};
  EXPECT_EQ(load_categories(folder.write("t.tsv", "1\n7\n10\n"), 7, true), expected);
}

TEST(Categories, OfTheOfficialChallengeAre1812) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set";
  const auto folder = data_folder() / "graph-challenge";
  EXPECT_EQ(load_categories(folder / "neuron1024-l120-categories.tsv", 60000).size(), 1812u);
  EXPECT_EQ(load_categories(folder / "neuron1024-l120-categories.tsv", 1200, true),
            load_categories(folder / "neuron1024-l120-categories_first1200.mtx", 1200));
}

TEST(Inputs, OfTheOfficialChallengeAreRead) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set";
  const SparseMatrix inputs =
      load_inputs(data_folder() / "graph-challenge/sparse-images-1024_first1200.mtx", 1200, false, of_neurons(1024));
  EXPECT_EQ(inputs.nnz(), 122713u);
}

}  // namespace
}  // namespace lacuna::tests
