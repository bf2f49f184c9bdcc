#include "plan/packed_table.hpp"

#include <gtest/gtest.h>

#include "base/aligned_buffer.hpp"
#include "support/random_network.hpp"

namespace lacuna::plan {
namespace {

using tests::random_inputs;
using tests::random_network;

std::vector<float> run(const rows::SparseRows& rows, Layout layout, cpu::Isa isa, unsigned vectors) {
  const cpu::Kernels& kernels = cpu::kernels_for(isa);
  const unsigned lanes = vectors * kernels.vector_lanes;
  base::AlignedFloats arena(std::size_t{rows.planes} * lanes);
  for (std::size_t k = 0; k < arena.size(); ++k) arena.data()[k] = static_cast<float>(k * 2654435761u % 1000) / 1000 - 0.4f;
  for (const rows::RowGroup& group : rows.groups) {
    const PackedTable table(group, layout);
    kernels.run_table(table.view(), lanes, arena.data());
  }
  return {arena.data(), arena.data() + arena.size()};
}

TEST(PackedTable, RowsAndFoursGiveTheSameBits) {
  const std::vector<tests::RandomLayer> layers{{40, 0.2, Activation::relu(), true, true}, {33, 1.0, Activation::tanh()}, {33, 0.1, Activation::clip(-1, 1), false, true}};
  const rows::SparseRows narrow = rows::lower(random_network(40, layers, 5));
  const rows::SparseRows wide = rows::lower(random_network(70000, {{12, 0.001, Activation::relu()}, {9, 1.0, Activation::identity()}}, 4));
  for (const rows::SparseRows* rows : {&narrow, &wide}) {
    ASSERT_TRUE(PackedTable(rows->groups[1], Layout::fours).is_in_fours());
    for (cpu::Isa isa : cpu::available_isas())
      for (unsigned vectors : cpu::panel_vectors)
        EXPECT_EQ(run(*rows, Layout::rows, isa, vectors), run(*rows, Layout::fours, isa, vectors)) << cpu::name(isa) << ", " << vectors << " vectors";
  }
}

TEST(PackedTable, OneWeightForAllIsLeftInTheNetworksOwnArrays) {
  const rows::SparseRows rows = rows::lower(random_network(40, {{40, 1.0, Activation::relu()}}, 6));
  EXPECT_FALSE(PackedTable(rows.groups[0], Layout::fours).is_in_fours());
}

}  // namespace
}  // namespace lacuna::plan
