// Merging equal neurons: what merges, what must not, and that the challenge's networks shrink as they should.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lacuna::passes
