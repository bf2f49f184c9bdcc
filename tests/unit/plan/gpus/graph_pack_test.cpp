// The tables of neuron graphs for GPUs, and the rules by which they run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include <lacuna/lacuna.hpp>

#include "passes/pass_list.hpp"
#include "plan/gpus/graph_pack.hpp"
#include "plan/gpus/graph_shape.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

using namespace plan::gpus;
using testing::ElementsAre;

constexpr float infinity = std::numeric_limits<float>::infinity();

float as_float(std::uint32_t word) { return std::bit_cast<float>(word); }

Network levelised(std::vector<NeuronGraph> graphs) {
  for (NeuronGraph& graph : graphs) graph = passes::levelise(graph, true, "y");
  return network_of(std::move(graphs));
}

/// `hidden` neurons that read five edges each, one that reads them all.
NeuronGraph star(std::uint32_t hidden, const NeuronFunction& function, Update update = Update::feed_forward) {
  NeuronGraphBuilder builder(update);
  builder.add_input("x");
  for (std::uint32_t k = 0; k < hidden; ++k) {
    builder.add_neuron("", function, {.bias = 0.5, .response = 2});
    for (int e = 0; e < 5; ++e) builder.add_edge(0, 1 + k, e + 1);
  }
  const std::uint32_t last = builder.add_neuron("", function);
  for (std::uint32_t k = 0; k < hidden; ++k) builder.add_edge(1 + k, last, 1);
  builder.add_output(last);
  return builder.finish();
}

TEST(GraphPack, ARowIsItsHeadFirstAndFullQuadsAfterIt) {
  const PackedGraphs packed = pack_graphs(levelised({star(1, {.curve = Curve::relu, .slope = 3, .shift = 0.25})}), 1);
  const auto& tables = packed.tables;
  EXPECT_THAT(packed.kinds.aggregations, ElementsAre(0u));
  EXPECT_FALSE(packed.kinds.reads_extra());
  EXPECT_TRUE(tables.extras.empty());
  ASSERT_EQ(tables.records.size(), 8u);
  EXPECT_EQ(tables.records[0], 0u);
  EXPECT_EQ(tables.records[1], 1u);  // five edges: one, and a full quad
  EXPECT_EQ(tables.records[2], kernel::row_kind(0, 0, 1));
  EXPECT_EQ(as_float(tables.records[3]), 3 * 0.5f + 0.25f);
  EXPECT_EQ(tables.records[4], 2u);
  ASSERT_EQ(tables.quads.size(), 24u);
  EXPECT_EQ(as_float(tables.quads[4]), 6.0f);   // 1 * slope * response
  EXPECT_EQ(as_float(tables.quads[12]), 12.0f);
  EXPECT_EQ(as_float(tables.quads[15]), 30.0f);
  EXPECT_EQ(tables.quads[16], 1u);              // the last one reads node 1
  EXPECT_THAT(tables.levels, ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(tables.outputs, ElementsAre(2u));
}

TEST(GraphPack, FunctionsThatAgreeAreConstantsOthersStandInRecords) {
  const NeuronFunction gentle{.curve = Curve::leaky_relu, .bend = 0.005}, steep{.curve = Curve::leaky_relu, .bend = 0.001};
  const auto alike = pack_graphs(levelised({star(2, gentle), star(3, gentle)}), 1);
  ASSERT_EQ(alike.kinds.endings.size(), 1u);
  EXPECT_EQ(alike.kinds.endings[0], (kernel::Ending{Curve::leaky_relu, infinity, 0.005f, 1.0f, 0.0f}));
  const auto different = pack_graphs(levelised({star(2, gentle), star(3, steep)}), 1);
  ASSERT_EQ(different.kinds.endings.size(), 1u);
  EXPECT_EQ(different.kinds.endings[0].bend, std::nullopt);
  EXPECT_EQ(different.kinds.endings[0].gain, 1.0f);
  EXPECT_EQ(different.tables.functions.size(), 8u);
  ASSERT_FALSE(different.tables.extras.empty());
  EXPECT_NE(different.tables.extras[2], different.tables.extras[4 * 3 + 2]);
}

TEST(GraphPack, MembersAlikeInUpdateAndSizeAreAGroupAndOutputsKeepTheirOrder) {
  const auto packed = pack_graphs(levelised({star(100, {}), star(10, {}, Update::stepwise), star(10, {}), star(120, {}), star(12, {})}), 1);
  ASSERT_EQ(packed.groups.size(), 3u);
  EXPECT_THAT(packed.order, ElementsAre(2u, 4u, 0u, 3u, 1u));
  EXPECT_EQ(packed.groups[0].planes, 16u);
  EXPECT_EQ(packed.groups[1].planes, 128u);
  EXPECT_EQ(packed.groups[1].count, 2u);
  EXPECT_EQ(packed.groups[2].update, Update::stepwise);
  EXPECT_EQ(packed.tables.members[0].first_output, 2u);
  EXPECT_EQ(packed.tables.members[4].first_output, 1u);
  EXPECT_EQ(packed.planes, 102u + 12 + 12 + 122 + 14);
}

TEST(GraphShape, StateIsInSharedMemoryWhereItFits) {
  gpu::Limits limits;
  limits.multiprocessors = 108;
  limits.shared_bytes = 160 * 1024;
  const auto population = pack_graphs(levelised(std::vector<NeuronGraph>(200, star(40, {}))), 1);
  const auto plan_for = [&](const PackedGraphs& packed, std::uint64_t inputs) { return plan_group(packed.groups[0], packed.kinds, limits, inputs); };
  const GraphPlan many = plan_for(population, 2048);
  EXPECT_EQ(many.shape.inputs_of_thread, 4u);
  EXPECT_TRUE(many.shape.is_in_shared);
  EXPECT_FALSE(many.is_in_parts);
  EXPECT_GT(many.shape.warps, 1u);
  EXPECT_EQ(plan_for(population, 40).shape.inputs_of_thread, 1u) << "blocks for every multiprocessor come first";

  const auto large = pack_graphs(levelised({star(3000, {})}), 1);
  const GraphPlan few = plan_for(large, 32);
  EXPECT_TRUE(few.is_in_parts);
  EXPECT_FALSE(few.shape.is_in_shared);
  const GraphPlan wide = plan_for(large, 1 << 17);
  EXPECT_FALSE(wide.is_in_parts);
  EXPECT_FALSE(wide.shape.is_in_shared);
  EXPECT_EQ(wide.shape.inputs_of_thread, 4u);
  limits.l2_bytes = 40 << 20;
  EXPECT_EQ(plan_for(large, 1 << 17).shape.inputs_of_thread, 1u) << "the state of all blocks at once stays in the L2, or as much of it as may be";
}

}  // namespace
}  // namespace lacuna::tests
