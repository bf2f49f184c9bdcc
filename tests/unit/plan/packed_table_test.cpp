#include "plan/packed_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

bool has_mixed_fours(const PackedTable& table) {
  const cpu::Table view = table.view();
  return std::any_of(view.classes.begin(), view.classes.end(), [](const cpu::RowClass& rows) { return rows.is_mixed(); });
}

TEST(PackedTable, RowsAndFoursGiveTheSameBits) {
  const std::vector<tests::RandomLayer> layers{{40, 0.2, Activation::relu(), true, true}, {33, 1.0, Activation::tanh()}, {33, 0.1, Activation::clip(-1, 1), false, true}};
  const rows::SparseRows narrow = rows::lower(random_network(40, layers, 5));
  const rows::SparseRows wide = rows::lower(random_network(70000, {{12, 0.001, Activation::relu()}, {9, 1.0, Activation::identity()}}, 4));
  for (const rows::SparseRows* rows : {&narrow, &wide}) {
    ASSERT_TRUE(PackedTable(rows->groups[1], Layout::fours).is_in_fours());
    ASSERT_TRUE(has_mixed_fours(PackedTable(rows->groups[0], Layout::fours)));
    for (cpu::Isa isa : cpu::available_isas())
      for (unsigned vectors : cpu::panel_vectors)
        EXPECT_EQ(run(*rows, Layout::rows, isa, vectors), run(*rows, Layout::fours, isa, vectors)) << cpu::name(isa) << ", " << vectors << " vectors";
  }
}

TEST(PackedTable, FoursTakeTheNextRowsWhateverTheirLengths) {
  std::vector<Entry> entries;
  const std::uint32_t lengths[] = {2, 5, 2, 3, 2, 5, 2, 2, 9};  // sorted: 2 2 2 2 | 2 3 5 5 | 9
  for (std::uint32_t row = 0; row < std::size(lengths); ++row)
    for (std::uint32_t column = 0; column < lengths[row]; ++column) entries.push_back({row, column, 0.5f + static_cast<float>(column)});
  Network network;
  network.input = network.add_value("input", {{9}});
  network.output = network.add_value("output", {{9}});
  network.operators.push_back({Linear{make_sparse_matrix(9, 9, entries), std::vector<float>{0}, Activation::relu()}, {network.input}, network.output});
  const rows::SparseRows rows = rows::lower(network);
  const PackedTable table(rows.groups[0], Layout::fours);
  const std::span<const cpu::RowClass> classes = table.view().classes;
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].rows, 4u);
  EXPECT_FALSE(classes[0].is_mixed());
  EXPECT_EQ(classes[1].length, 2u);
  EXPECT_EQ(classes[1].more, (std::array<std::uint32_t, 4>{0, 1, 3, 3}));
  EXPECT_EQ(classes[2].length, 9u);
  EXPECT_EQ(classes[2].rows, 1u);
  EXPECT_EQ(table.lengths(), 4u);
}

TEST(PackedTable, OneWeightForAllIsLeftInTheNetworksOwnArrays) {
  const rows::SparseRows rows = rows::lower(random_network(40, {{40, 1.0, Activation::relu()}}, 6));
  EXPECT_FALSE(PackedTable(rows.groups[0], Layout::fours).is_in_fours());
}

TEST(PackedTable, TablesThatArePutTogetherFollowEachOtherAndKeepTheirStreams) {
  const rows::SparseRows rows = rows::lower(random_network(40, {{40, 0.3, Activation::relu()}, {37, 0.4, Activation::relu()}, {40, 1.0, Activation::relu()}}, 5));
  std::vector<PackedTable> tables, apart;
  for (const rows::RowGroup& group : rows.groups) {
    tables.emplace_back(group, Layout::fours);
    apart.emplace_back(group, Layout::fours);
  }
  put_together(tables);
  for (std::size_t k = 0; k < tables.size(); ++k)
    for (unsigned which : {0u, 1u}) {
      const std::span<const std::byte> moved = tables[k].stream(0, 1)[which], before = apart[k].stream(0, 1)[which];
      EXPECT_TRUE(std::equal(moved.begin(), moved.end(), before.begin(), before.end())) << "table " << k << ", stream " << which;
    }
  EXPECT_EQ(tables[0].stream(0, 1)[0].data() + tables[0].own_bytes(), tables[1].stream(0, 1)[0].data());
  EXPECT_EQ(tables[0].stream_beyond(7)[0].size(), (tables[0].nnz() - 7) * sizeof(float));
  EXPECT_TRUE(tables[0].stream_beyond(1 << 20)[1].empty());
}

TEST(PackedTable, WhatIsBorrowedFromTheNetworkStaysThere) {
  std::vector<Entry> entries;  // rows of one length need no order
  for (std::uint32_t row = 0; row < 9; ++row)
    for (std::uint32_t column : {0u, row + 1}) entries.push_back({row, column, 0.5f + static_cast<float>(row)});
  Network network;
  network.input = network.add_value("input", {{10}});
  network.output = network.add_value("output", {{9}});
  network.operators.push_back({Linear{make_sparse_matrix(9, 10, entries), std::vector<float>{0}, Activation::relu()}, {network.input}, network.output});
  const rows::SparseRows rows = rows::lower(network);
  std::vector<PackedTable> tables;
  tables.emplace_back(rows.groups[0], Layout::rows);
  put_together(tables);
  EXPECT_EQ(tables[0].own_bytes(), 0u);
  EXPECT_EQ(tables[0].view().narrow_sources, rows.groups[0].weights.narrow_columns.data());
}

TEST(PackedTable, PartsOfTheStreamAreTheWholeStream) {
  const rows::SparseRows rows = rows::lower(random_network(40, {{40, 0.3, Activation::relu()}}, 5));
  const PackedTable table(rows.groups[0], Layout::fours);
  const cpu::Table view = table.view();
  const std::array<std::span<const std::byte>, 2> whole = table.stream(0, 1);
  EXPECT_EQ(static_cast<const void*>(whole[0].data()), view.weights);
  EXPECT_EQ(static_cast<const void*>(whole[1].data()), view.narrow_sources);
  EXPECT_EQ(whole[0].size(), table.nnz() * sizeof(float));
  EXPECT_EQ(whole[1].size(), table.nnz() * sizeof(std::uint16_t));
  for (const std::size_t parts : {2u, 3u, 7u}) {
    for (std::size_t stream : {0u, 1u}) {
      const std::byte* end = whole[stream].data();
      for (std::size_t part = 0; part < parts; ++part) {
        const std::span<const std::byte> some = table.stream(part, parts)[stream];
        EXPECT_EQ(some.data(), end);
        end = some.data() + some.size();
      }
      EXPECT_EQ(end, whole[stream].data() + whole[stream].size());
    }
  }
}

}  // namespace
}  // namespace lacuna::plan
