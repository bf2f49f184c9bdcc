// Which first layers can be counted, and for which input values counting keeps every bit.
#include "plan/counted_layer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/random_network.hpp"

namespace lacuna::plan {
namespace {

Network one_layer(float second_weight, Activation activation) {
  Network network;
  network.input = network.output = network.add_value("input", {{4}});
  network.output = network.add_value("l1", {{2}});
  Linear linear{make_sparse_matrix(2, 4, std::vector<Entry>{{0, 1, 0.5f}, {0, 2, second_weight}, {1, 3, 0.5f}}), std::vector<float>{-0.25f}, activation};
  network.operators.push_back({std::move(linear), {network.input}, network.output});
  return network;
}

std::string reason(const Network& network) {
  std::string why_not;
  return CountedLayer::of(rows::lower(network), &why_not) ? "counted" : why_not;
}

TEST(CountedLayer, NeedsEqualWeightsAClipAndAnInputReadOnce) {
  EXPECT_EQ(reason(one_layer(0.5f, Activation::clip(0, 32))), "counted");
  EXPECT_EQ(reason(one_layer(0.5f, Activation::identity())), "counted");
  EXPECT_EQ(reason(one_layer(0.25f, Activation::relu())), "its weights differ");
  EXPECT_EQ(reason(one_layer(0.5f, Activation::tanh())), "its activation is not a clip");

  Network twice = tests::random_network(40, {{40, 0.2, Activation::relu()}}, 3);
  const ValueId sum = twice.add_value("sum", {{40}});
  twice.operators.push_back({Add{Activation::relu()}, {twice.output, twice.input}, sum});
  twice.output = sum;
  EXPECT_EQ(reason(twice), "the input is read again by a later layer");
  EXPECT_EQ(reason(tests::random_network(40, {{40, 0.2, Activation::relu(), true, true}}, 3)), "its rows have residuals");
  EXPECT_EQ(reason(tests::random_network(300, {{40, 0.95, Activation::relu()}}, 3)), "a row has more than 255 sources");
  EXPECT_EQ(reason(tests::random_network(3, {}, 3)), "there is no layer");
}

TEST(CountedLayer, TakesValuesWhoseSumsAreExact) {
  const auto layer = CountedLayer::of(rows::lower(tests::random_network(200, {{40, 0.2, Activation::relu()}}, 3)));
  ASSERT_TRUE(layer);
  EXPECT_TRUE(layer->takes(1));
  EXPECT_TRUE(layer->takes(0.75f));
  EXPECT_TRUE(layer->takes(0));
  EXPECT_FALSE(layer->takes(0.1f));  // ten times 0.1f, added one by one, is not 1
  EXPECT_FALSE(layer->takes(std::numeric_limits<float>::quiet_NaN()));
}

TEST(CountedLayer, FillsRowsUpWithThePlaneOfZeros) {
  const auto layer = CountedLayer::of(rows::lower(one_layer(0.5f, Activation::relu())));
  ASSERT_TRUE(layer);
  const cpu::CountTable table = layer->table();
  EXPECT_EQ(layer->rows(), 2u);
  EXPECT_EQ(std::vector(table.sources, table.sources + 16), (std::vector<std::uint32_t>{1, 2, 4, 4, 4, 4, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(layer->epilogue(1).one_bias, -0.25f);
}

}  // namespace
}  // namespace lacuna::plan
