// Which rows are equal: by content and order, bit by bit, whatever the columns' width.
#include "network/equal_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace lacuna::network {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SparseMatrix with_wide_columns(SparseMatrix matrix) {
  matrix.wide_columns = std::vector<std::uint32_t>(matrix.narrow_columns.begin(), matrix.narrow_columns.end());
  matrix.narrow_columns = {};
  return matrix;
}

TEST(FindEqualRows, TheFirstOfEqualRowsStandsForThem) {
  const SparseMatrix matrix = make_sparse_matrix(5, 4, {0, 2, 4, 6, 6, 6}, {0, 3, 0, 2, 0, 3}, {1, 2, 1, 2, 1, 2});
  for (const SparseMatrix& stored : {matrix, with_wide_columns(matrix)}) {
    const EqualRows equal = find_equal_rows(stored, {});
    EXPECT_THAT(equal.kept, ElementsAre(0, 1, 3));
    EXPECT_THAT(equal.place, ElementsAre(0, 1, 0, 2, 2));
  }
}

TEST(FindEqualRows, NothingIsRememberedWhenAllDiffer) {
  const EqualRows equal = find_equal_rows(make_sparse_matrix(3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1}), {});
  EXPECT_TRUE(equal.all_differ());
  EXPECT_THAT(equal.kept, ElementsAre(0, 1, 2));
}

TEST(FindEqualRows, WeightsBiasesAndTheSignOfZeroTellRowsApart) {
  const SparseMatrix matrix = make_sparse_matrix(4, 1, {0, 1, 2, 3, 4}, {0, 0, 0, 0}, {0.0f, -0.0f, 1, 1});
  EXPECT_THAT(find_equal_rows(matrix, {}).place, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(find_equal_rows(matrix, std::vector<float>{5}).place, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(find_equal_rows(matrix, std::vector<float>{0, 0, 0.0f, -0.0f}).place, IsEmpty());
}

TEST(FindEqualRows, TheOrderOfTermsTellsRowsApart) {
  SparseMatrix matrix = make_sparse_matrix(2, 2, {0, 2, 4}, {0, 1, 1, 0}, {1});
  EXPECT_TRUE(find_equal_rows(matrix, {}).all_differ());
}

TEST(FindEqualRows, ThousandsOfRowsAreSortedOutAsAMapDoes) {
  std::mt19937 random(5);
  constexpr std::uint32_t rows = 20000;
  std::vector<std::uint32_t> begin{0}, columns;
  std::vector<float> values, bias;
  std::map<std::tuple<std::vector<std::uint32_t>, std::vector<float>, float>, std::uint32_t> seen;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::vector<std::uint32_t> row_columns;
    std::vector<float> row_values;
    for (std::uint32_t column = 0; column < 6; ++column) {
      if (random() % 2 == 0) continue;
      row_columns.push_back(column);
      row_values.push_back(static_cast<float>(random() % 3));
    }
    bias.push_back(static_cast<float>(random() % 4));
    expected.push_back(seen.try_emplace({row_columns, row_values, bias.back()}, static_cast<std::uint32_t>(seen.size())).first->second);
    columns.insert(columns.end(), row_columns.begin(), row_columns.end());
    values.insert(values.end(), row_values.begin(), row_values.end());
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  const EqualRows equal = find_equal_rows(make_sparse_matrix(rows, 6, begin, columns, values), bias);
  EXPECT_EQ(equal.place, expected);
  EXPECT_EQ(equal.kept.size(), seen.size());
}

}  // namespace
}  // namespace lacuna::network
