// How layered networks are laid out for GPUs: the slices of a table, rows that are baked together, and what baked code costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include <lacuna/lacuna.hpp>

#include "kernel/templates/gpu_layer_table.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "plan/gpus/layer_plan.hpp"
#include "plan/gpus/row_clusters.hpp"

namespace lacuna::plan::gpus {
namespace {

using testing::ElementsAre;

/// Weight by source plane of row `number` in the order of the table, filling left out.
std::map<std::uint32_t, float> edges_of(const LayerPlan& plan, const std::uint32_t* row) {
  std::map<std::uint32_t, float> edges;
  for (std::uint32_t e = 0; e < row[1]; ++e) {
    const std::size_t slice = (std::size_t{plan.groups[0].rows_at} + row[0]) * 4 + e / 4 * (2 * 4 * kernel::rows_of_warp) + e % 4;
    const std::uint32_t plane = plan.table.at(slice) / plan.tiles.plane_bytes();
    const auto weight = std::bit_cast<float>(plan.table.at(slice + 4 * kernel::rows_of_warp));
    if (plane == plan.tiles.planes - 1)
      EXPECT_EQ(weight, 0);
    else
      edges[plane] = weight;
  }
  return edges;
}

TEST(GpuLayerPlan, SlicesOfTheTableHoldEveryRowFilledUpToTheLongest) {
  const rows::SparseRows rows = rows::lower(generate_general({70, 1, 3, 17, 3}));  // 70 rows: the last slice is not full
  const LayerPlan plan = make_layer_plan(rows, {});
  const rows::RowGroup& group = rows.groups.front();
  const std::uint32_t* const table = plan.table.data() + plan.groups[0].rows_at * std::size_t{4};
  std::uint32_t seen = 0;
  for (std::uint32_t k = 0; k < plan.groups[0].rows; ++k) {
    const std::uint32_t row = table[4 * k + 2] / plan.tiles.plane_bytes() - group.destination.first;
    EXPECT_EQ(table[4 * k + 1] % kernel::edges_together, 0u);
    EXPECT_EQ(table[4 * k + 1], table[4 * (k / kernel::rows_of_warp * kernel::rows_of_warp) + 1]) << "rows of a warp are of one length";
    std::map<std::uint32_t, float> expected;
    for (std::size_t e = group.weights.row_begin[row]; e < group.weights.row_begin[row + 1]; ++e) expected[group.source.first + group.weights.column(e)] = group.weights.value(e);
    EXPECT_EQ(edges_of(plan, table + 4 * k), expected) << "row " << row;
    seen += row;
  }
  EXPECT_EQ(seen, 69u * 70 / 2);
}

TEST(GpuRowClusters, RowsThatReadTheSameSourcesStandTogether) {
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < 6; ++row)
    for (std::uint32_t k = 0; k < 3; ++k) entries.push_back({row, row % 2 * 10 + k + row / 4, 1});  // even rows read from 0 on, odd ones from 10 on
  EXPECT_THAT(cluster_rows(make_sparse_matrix(6, 20, entries), 3), ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3, 5)));
  EXPECT_THAT(cluster_rows(make_sparse_matrix(6, 20, entries), 4), ElementsAre(ElementsAre(0, 1, 2, 4), ElementsAre(3, 5)));
}

TEST(GpuRowClusters, RowsWithoutEdgesAreTakenToo) {
  EXPECT_THAT(cluster_rows(make_sparse_matrix(3, 2, std::vector<Entry>{{1, 1, 0.5f}}), 2), ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_TRUE(cluster_rows(make_sparse_matrix(0, 2, std::vector<Entry>{}), 2).empty());
}

std::size_t count_statements(const kernel::Body& body) {
  std::size_t count = 0;
  for (const kernel::Statement& statement : body) {
    ++count;
    if (const auto* branch = std::get_if<kernel::If>(&statement.what)) count += count_statements(branch->then) + count_statements(branch->otherwise);
  }
  return count;
}

TEST(GpuLayerPlan, BakedKernelsHaveAtMost13StatementsForTenEdges) {
  const rows::SparseRows rows = rows::lower(generate_general({4096, 1, 16, 48, 1}));
  const LayerPlan plan = make_layer_plan(rows, {.dead_inputs = false, .equal_inputs = false, .baked = true});
  std::size_t statements = 0, row_blocks = 0;
  for (const BakedKernel& part : plan.groups.at(0).baked) {
    statements += count_statements(plan.kernels.at(part.kernel).body);
    row_blocks += part.row_blocks;
    EXPECT_LE(part.row_blocks, 8u);
  }
  EXPECT_EQ(row_blocks, (4096u + 23) / 24);
  // A statement serves four inputs of a thread, 128 of a warp: four edges for 32 inputs.
  EXPECT_LT(static_cast<double>(statements) / 4, 1.3 * static_cast<double>(plan.edges[0]));
}

}  // namespace
}  // namespace lacuna::plan::gpus
