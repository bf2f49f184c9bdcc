// Constants move into biases, and who is not read leaves: what goes, what must not, and that all that stays gives the same answer.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <lacuna/lacuna.hpp>

#include "passes/pass_list.hpp"
#include "reference/reference.hpp"

namespace lacuna::passes {
namespace {

TEST(FoldConstantNeurons, AConstantMovesIntoItsReadersBiasLayerAfterLayer) {
  const Network network = parse(R"(lacuna network 1
input x 1
a = linear x 2 bias [1.5 0.25] relu {
  1: 0*1
}
b = linear a 2 bias 1 relu {
  0: 0*2
  1: 0*-2 1*1
}
y = linear b 1 identity {
  0: 0*0.5 1*1
}
output y
)");
  EXPECT_EQ(print(fold_constant_neurons(network)), R"(lacuna network 1
input x 1
a = linear x 2 bias [1.5 0.25] relu {
  1: 0*1
}
b = linear a 2 bias [4 -2] relu {
  1: 1*1
}
y = linear b 1 bias 2 identity {
  0: 1*1
}
output y
)");
}

TEST(FoldConstantNeurons, ZeroLeavesTheSharedBiasAlone) {
  const Network network = parse(R"(lacuna network 1
input x 1
a = linear x 2 bias -0.5 clip(0,32) {
  1: 0*1
}
y = linear a 2 bias -0.5 clip(0,32) {
  0: 0*1 1*1
  1: 0*1
}
output y
)");
  const Network folded = fold_constant_neurons(network);
  EXPECT_EQ(count_edges(folded), 2u);
  EXPECT_EQ(std::get<Linear>(folded.operators[1].operation).bias.size(), 1u);
}

TEST(FoldConstantNeurons, ANeuronThatSomethingIsAddedToIsNotConstant) {
  const char* const text = R"(lacuna network 1
input x 2
a = linear x add x 2 bias 1 relu {
}
y = linear a 1 identity {
  0: 0*1 1*1
}
output y
)";
  EXPECT_EQ(print(fold_constant_neurons(parse(text))), text);
}

TEST(FoldConstantNeurons, ABiasThatWouldNotBeFiniteIsLeftAlone) {
  const char* const text = R"(lacuna network 1
input x 1
a = linear x 1 bias 3e+38 identity {
}
y = linear a 1 bias 3e+38 identity {
  0: 0*3
}
output y
)";
  EXPECT_EQ(print(fold_constant_neurons(parse(text))), text);
}

TEST(FoldConstantNeurons, LayersWithoutConstantsAreNotCopied) {
  const Network network = generate_radix({1024, 4, 1});
  const Network folded = fold_constant_neurons(network);
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    EXPECT_EQ(std::get<Linear>(folded.operators[k].operation).weights.narrow_columns.data(),
              std::get<Linear>(network.operators[k].operation).weights.narrow_columns.data());
}

TEST(RemoveDeadNeurons, WhoIsNotReadLeavesAndThenItsSourcesMay) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 3 bias [1 2 3] relu {
  0: 0*1
  1: 1*1
  2: 0*1 1*1
}
b = linear a 2 relu {
  0: 0*1 1*1
  1: 0*1 2*4
}
y = linear b 1 identity {
  0: 1*1
}
output y
)");
  EXPECT_EQ(print(remove_dead_neurons(network)), R"(lacuna network 1
input x 2
a = linear x 2 bias [1 3] relu {
  0: 0*1
  1: 0*1 1*1
}
b = linear a 1 relu {
  0: 0*1 1*4
}
y = linear b 1 identity {
  0: 0*1
}
output y
)");
}

TEST(RemoveDeadNeurons, AZeroThatIsStoredReadsItsSource) {
  const char* const text = R"(lacuna network 1
input x 1
a = linear x 2 identity {
  0: 0*1
  1: 0*2
}
y = linear a 1 identity {
  0: 0*1 1*0
}
output y
)";
  const Network network = parse(text);
  EXPECT_EQ(print(remove_dead_neurons(network)), text);
  EXPECT_TRUE(std::isnan(reference::evaluate(network, {std::numeric_limits<double>::infinity()})[0]));
}

TEST(RemoveDeadNeurons, EveryReaderCountsAndAddedValuesStay) {
  const char* const text = R"(lacuna network 1
input x 2
a = linear x 3 relu {
  0: 0*1
  1: 1*1
  2: 0*2
}
b = linear a 2 relu {
  0: 0*1
  1: 0*2
}
c = linear a add b 2 relu {
  0: 1*1 2*1
}
y = linear c 1 identity {
  0: 0*1
}
output y
)";
  EXPECT_EQ(print(remove_dead_neurons(parse(text))), text);
}

TEST(RemoveDeadNeurons, AValueKeepsOneNeuronEvenIfNobodyReadsIt) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 3 bias [1 2 3] relu {
  1: 0*1
}
y = linear a 2 bias 1 identity {
}
output y
)");
  const Network left = remove_dead_neurons(network);
  verify(left);
  EXPECT_EQ(left.width(left.operators[0].output), 1u);
  EXPECT_EQ(reference::evaluate(left, {1, 2}), reference::evaluate(network, {1, 2}));
}

TEST(RemoveDeadNeurons, ALayerWithAValueForEachWeightKeepsThemEvenIfTheyBecomeEqual) {
  const Network network = parse(R"(lacuna network 1
input x 2
a = linear x 3 relu {
  0: 0*1 1*1
  1: 0*2
  2: 0*1 1*1
}
y = linear a 1 identity {
  0: 0*1 2*3
}
output y
)");
  const Network left = remove_dead_neurons(network);
  EXPECT_EQ(std::get<Linear>(left.operators[0].operation).weights.values.size(), 4u) << "one weight for all is summed in another order";
}

TEST(RemoveDeadNeurons, AnyNumberOfThreadsGivesTheSameAndWholeLayersAreNotCopied) {
  const Network network = generate_general({.neurons = 256, .layers = 6});
  for (unsigned threads : {1u, 2u, 8u}) {
    const Network left = remove_dead_neurons(network, {threads, {}});
    EXPECT_EQ(hash(left), hash(network));
    for (std::size_t k = 0; k < network.operators.size(); ++k)
      EXPECT_EQ(std::get<Linear>(left.operators[k].operation).weights.values.data(), std::get<Linear>(network.operators[k].operation).weights.values.data());
  }
}

}  // namespace
}  // namespace lacuna::passes
