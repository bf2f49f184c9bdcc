// verify: each broken rule is named.
#include <gtest/gtest.h>

#include <limits>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

std::string complaint(const Network& network) {
  try {
    verify(network);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

Network good() { return random_network(4, {{4, 0.9, Activation::relu(), true, true}, {4, 0.9, Activation::relu()}}, 1); }
Linear& first_layer(Network& network) { return std::get<Linear>(network.operators[0].operation); }

TEST(Verify, AGoodNetworkPasses) { EXPECT_EQ(complaint(good()), "nothing"); }

TEST(Verify, AWeightThatIsNotFinite) {
  Network network = good();
  std::vector<float> values(first_layer(network).weights.nnz(), 1.0f);
  values[2] = std::numeric_limits<float>::quiet_NaN();
  first_layer(network).weights.values = values;
  EXPECT_EQ(complaint(network), "l1: weight 2 is nan; weights must be finite");
}

TEST(Verify, ABiasThatIsNotFinite) {
  Network network = good();
  first_layer(network).bias = std::vector<float>{std::numeric_limits<float>::infinity()};
  EXPECT_EQ(complaint(network), "l1: bias 0 is inf; biases must be finite");
}

TEST(Verify, SourcesThatDoNotAscend) {
  Network network = good();
  first_layer(network).weights = make_sparse_matrix(4, 4, {0, 2, 2, 2, 2}, {1, 1}, {1, 2});
  EXPECT_EQ(complaint(network), "l1: row 0 lists source 1 after 1; sources must ascend");
}

TEST(Verify, ASourceOutsideTheInput) {
  Network network = good();
  first_layer(network).weights = make_sparse_matrix(4, 4, {0, 1, 1, 1, 1}, {4}, {1});
  EXPECT_EQ(complaint(network), "l1: row 0 reads neuron 4, but its input has 4");
}

TEST(Verify, RowPositionsThatRunBackwards) {
  Network network = good();
  first_layer(network).weights = make_sparse_matrix(4, 4, {0, 2, 1, 2, 2}, {0, 1}, {1, 2});
  EXPECT_EQ(complaint(network), "l1: row 1 ends before it starts");
}

TEST(Verify, WeightsThatDoNotFitTheLayer) {
  Network network = good();
  first_layer(network).weights = make_sparse_matrix(3, 4, {0, 0, 0, 0}, {}, {});
  EXPECT_EQ(complaint(network), "l1: weights are 3 x 4, but the layer maps 4 neurons to 4 (expected 4 x 4)");
}

TEST(Verify, AValueReadBeforeItIsComputed) {
  Network network = good();
  std::swap(network.operators[0], network.operators[1]);
  EXPECT_EQ(complaint(network), "l2: reads l1 before it is computed");
}

TEST(Verify, AnOutputThatNobodyComputes) {
  Network network = good();
  network.operators.pop_back();
  EXPECT_EQ(complaint(network), "the output l2 is never computed");
}

TEST(Verify, BoundsInTheWrongOrder) {
  Network network = good();
  first_layer(network).activation = Activation::clip(1, 0);
  EXPECT_EQ(complaint(network), "l1: activation clip(1,0) has its bounds in the wrong order");
}

TEST(Verify, ASkipOfAnotherWidth) {
  Network network = random_network(4, {{3, 0.9, Activation::relu()}}, 1);
  network.operators[0].inputs.push_back(network.input);
  EXPECT_EQ(complaint(network), "l1: adds input of 4 neurons to a value of 3");
}

TEST(Hash, TellsNetworksApartAndIgnoresHowTheyAreStored) {
  Network network = good();
  const std::uint64_t before = hash(network);
  SparseMatrix& weights = first_layer(network).weights;
  if (weights.has_one_value()) weights.values = std::vector<float>(weights.nnz(), weights.values[0]);
  weights.wide_columns = std::vector<std::uint32_t>(weights.narrow_columns.begin(), weights.narrow_columns.end());
  weights.narrow_columns = {};
  EXPECT_EQ(hash(network), before);
  first_layer(network).activation = Activation::tanh();
  EXPECT_NE(hash(network), before);
}

}  // namespace
}  // namespace lacuna::tests
