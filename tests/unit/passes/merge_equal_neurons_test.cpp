// Merging equal neurons: what merges, what must not, and that the challenge's networks shrink as they should.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <lacuna/lacuna.hpp>

#include "passes/pass_list.hpp"
#include "reference/reference.hpp"

namespace lacuna::passes {
namespace {

TEST(MergeEqualNeurons, RowsThatAreEqualBecomeOneAndReadersAddUp) {
  const Network network = parse(R"(lacuna network 1
input x 3
h = linear x 4 bias [0 1 0 0] relu {
  0: 0*2 2*1
  1: 0*2 2*1
  2: 0*2 2*1
  3: 1*5
}
y = linear h 2 identity {
  0: 0*0.25 2*0.5 3*1
  1: 1*1
}
output y
)");
  EXPECT_EQ(print(merge_equal_neurons(network)), R"(lacuna network 1
input x 3
h = linear x 3 bias [0 1 0] relu {
  0: 0*2 2*1
  1: 0*2 2*1
  2: 1*5
}
y = linear h 2 identity {
  0: 0*0.75 2*1
  1: 1*1
}
output y
)");
}

TEST(MergeEqualNeurons, MergesInOneLayerMakeRowsOfTheNextEqual) {
  const Network network = parse(R"(lacuna network 1
input x 1
a = linear x 2 relu {
  0: 0*1
  1: 0*1
}
b = linear a 2 relu {
  0: 0*3
  1: 1*3
}
y = linear b 1 relu {
  0: 0*1 1*1
}
output y
)");
  const Network merged = merge_equal_neurons(network);
  EXPECT_EQ(count_edges(merged), 3u);
  EXPECT_EQ(reference::evaluate(merged, {2})[0], reference::evaluate(network, {2})[0]);
}

TEST(MergeEqualNeurons, LeavesInputsOutputsAndSkippedValuesAlone) {
  const char* const text = R"(lacuna network 1
input x 2
a = linear x 2 relu {
  0: 0*1
  1: 0*1
}
b = linear a add a 2 relu {
  0: 0*1
  1: 0*1
}
y = linear b 2 relu {
  0: 0*1
  1: 0*1
}
output y
)";
  EXPECT_EQ(print(merge_equal_neurons(parse(text))), text);
}

TEST(MergeEqualNeurons, AChallengeLayerKeepsASixteenthOfItsNeuronsAndTheExactAnswer) {
  const Network network = generate_radix({1024, 14, 1});
  const Network merged = merge_equal_neurons(network);
  verify(merged);
  for (std::size_t k = 0; k + 1 < merged.operators.size(); ++k)
    EXPECT_LE(merged.width(merged.operators[k].output), 64u) << "layer " << k + 1;
  const SparseMatrix inputs = generate_inputs({1024, 20, 1});
  for (std::size_t row = 0; row < inputs.rows; ++row)
    EXPECT_EQ(reference::evaluate(merged, reference::input_row(inputs, row)), reference::evaluate(network, reference::input_row(inputs, row)));
}

TEST(MergeEqualNeurons, AGeneralNetworkIsLeftAsItIs) {
  const Network network = generate_general({});
  EXPECT_EQ(hash(merge_equal_neurons(network)), hash(network));
}

TEST(MergeEqualNeurons, ALayerInWhichNothingMergesIsNotCopied) {
  const Network network = generate_general({.neurons = 256, .layers = 4});
  const Network merged = merge_equal_neurons(network);
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    EXPECT_EQ(std::get<Linear>(merged.operators[k].operation).weights.values.data(), std::get<Linear>(network.operators[k].operation).weights.values.data());
}

TEST(MergeEqualNeurons, AnyNumberOfThreadsGivesTheSameNetworkAndTellsHowFarItIs) {
  const Network network = generate_radix({1024, 30, 3});
  const std::uint64_t alone = hash(merge_equal_neurons(network));
  for (unsigned threads : {2u, 3u, 8u}) {
    std::uint64_t last = 0;
    PassSettings settings{threads, [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
                            EXPECT_EQ(what, "merging equal neurons");
                            EXPECT_EQ(total, 30u);
                            EXPECT_EQ(done, ++last);
                          }};
    EXPECT_EQ(hash(merge_equal_neurons(network, settings)), alone);
    EXPECT_EQ(last, 30u);
  }
}

TEST(MergeEqualNeurons, ReleasesTheLayersItHasMerged) {
  Network network = generate_radix({1024, 6, 1});
  const std::weak_ptr<const void> first = [&] {
    auto storage = std::make_shared<Array<std::uint16_t>>(std::get<Linear>(network.operators[0].operation).weights.narrow_columns);
    SparseMatrix& weights = std::get<Linear>(network.operators[0].operation).weights;
    weights.narrow_columns = Array<std::uint16_t>(storage->span(), storage);
    return std::weak_ptr<const void>(storage);
  }();
  std::uint64_t done = 0;
  merge_equal_neurons(std::move(network), {1, [&](std::string_view, std::uint64_t, std::uint64_t) {
                                             ++done;
                                             EXPECT_TRUE(first.expired()) << "after layer " << done;
                                           }});
  EXPECT_EQ(done, 6u);
}

TEST(MergeEqualNeurons, ZerosOfDifferentSignsAreNotMerged) {
  const char* const text = R"(lacuna network 1
input x 1
a = linear x 2 bias [0 -0] identity {
  0: 0*1
  1: 0*1
}
y = linear a 1 identity {
  0: 0*1 1*1
}
output y
)";
  EXPECT_EQ(print(merge_equal_neurons(parse(text))), text);
}

TEST(MergeEqualNeurons, WeightsTooLargeToBeAddedKeepTheirSourcesApart) {
  const char* const text = R"(lacuna network 1
input x 1
a = linear x 2 identity {
  0: 0*1
  1: 0*1
}
y = linear a 1 identity {
  0: 0*3e+38 1*3e+38
}
output y
)";
  EXPECT_EQ(print(merge_equal_neurons(parse(text))), text);
}

TEST(MergeEqualNeurons, ASumOfZeroStaysASource) {
  const Network network = parse(R"(lacuna network 1
input x 1
a = linear x 2 identity {
  0: 0*1
  1: 0*1
}
y = linear a 1 identity {
  0: 0*1 1*-1
}
output y
)");
  EXPECT_EQ(count_edges(merge_equal_neurons(network)), 2u);
  EXPECT_TRUE(std::isnan(reference::evaluate(merge_equal_neurons(network), {INFINITY})[0]));
  EXPECT_TRUE(std::isnan(reference::evaluate(network, {INFINITY})[0]));
}

/// The contract: in float32, summed in any order, a merged row keeps the unmerged row's bound gamma_n * sum |w||x| + the bias.
TEST(MergeEqualNeurons, AMergedRowKeepsTheRoundingBoundOfTheUnmergedOne) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-1, 1);
  constexpr std::uint32_t copies = 40;
  constexpr double u = 1.0 / (1 << 24);
  double worst = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Entry> hidden, output;
    for (std::uint32_t row = 0; row < 3 * copies; ++row) {
      hidden.push_back({row, row % 3, 1.0f});
      output.push_back({0, row, uniform(random)});
    }
    Network network;
    network.input = network.add_value("x", {{3}});
    const ValueId middle = network.add_value("h", {{3 * copies}});
    network.output = network.add_value("y", {{1}});
    network.operators.push_back({Linear{make_sparse_matrix(3 * copies, 3, hidden), {}, Activation::identity()}, {network.input}, middle});
    network.operators.push_back({Linear{make_sparse_matrix(1, 3 * copies, output), {}, Activation::identity()}, {middle}, network.output});
    const Network merged = merge_equal_neurons(network);
    ASSERT_EQ(count_edges(merged), 6u);

    const float x[3] = {uniform(random), uniform(random), uniform(random)};
    double exact = 0, magnitude = 0;
    for (const Entry& entry : output) {
      exact += double{entry.value} * x[entry.column % 3];
      magnitude += std::abs(double{entry.value} * x[entry.column % 3]);
    }
    const SparseMatrix& weights = std::get<Linear>(merged.operators[1].operation).weights;
    float sum = 0;
    for (std::size_t e = 0; e < weights.nnz(); ++e) sum = std::fma(weights.value(e), x[weights.column(e)], sum);
    constexpr double n = 3 * copies;
    EXPECT_LE(std::abs(sum - exact), n * u / (1 - n * u) * magnitude);
    worst = std::max(worst, std::abs(sum - exact));
  }
  EXPECT_GT(worst, 0) << "no rounding at all: this test would show nothing";
}

}  // namespace
}  // namespace lacuna::passes
