#include <lacuna/sparse_matrix.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

namespace lacuna::tests {
namespace {

using testing::ElementsAre;

TEST(SparseMatrix, SortsEntriesAndKeepsEqualValuesOnce) {
  const std::vector<Entry> entries{{1, 2, 0.5f}, {0, 1, 0.5f}, {1, 0, 0.5f}};
  const SparseMatrix matrix = make_sparse_matrix(3, 3, entries);
  EXPECT_THAT(matrix.row_begin.span(), ElementsAre(0, 1, 3, 3));
  EXPECT_THAT(matrix.narrow_columns.span(), ElementsAre(1, 0, 2));
  EXPECT_THAT(matrix.values.span(), ElementsAre(0.5f));
  EXPECT_EQ(matrix.value(2), 0.5f);
}

TEST(SparseMatrix, UsesWideColumnsBeyond65536) {
  const std::vector<Entry> entries{{0, 65536, 1}, {0, 1, 2}};
  EXPECT_THAT(make_sparse_matrix(1, 65537, entries).wide_columns.span(), ElementsAre(1, 65536));
  EXPECT_TRUE(make_sparse_matrix(1, 65536, std::vector<Entry>{{0, 65535, 1}}).wide_columns.empty());
}

TEST(SparseMatrix, RefusesEntriesOutsideOrGivenTwice) {
  EXPECT_THROW(make_sparse_matrix(2, 2, std::vector<Entry>{{2, 0, 1}}), InputError);
  EXPECT_THROW(make_sparse_matrix(2, 2, std::vector<Entry>{{0, 2, 1}}), InputError);
  EXPECT_THROW(make_sparse_matrix(2, 2, std::vector<Entry>{{0, 1, 1}, {0, 1, 2}}), InputError);
}

TEST(SparseMatrix, TransposeTwiceIsTheSame) {
  const SparseMatrix matrix = make_sparse_matrix(3, 4, std::vector<Entry>{{0, 3, 1}, {2, 0, 2}, {2, 3, 3}});
  const SparseMatrix turned = transpose(matrix);
  EXPECT_EQ(turned.rows, 4u);
  EXPECT_THAT(turned.row_begin.span(), ElementsAre(0, 1, 1, 1, 3));
  EXPECT_THAT(turned.narrow_columns.span(), ElementsAre(2, 0, 2));
  EXPECT_THAT(turned.values.span(), ElementsAre(2, 1, 3));
  const SparseMatrix back = transpose(turned);
  EXPECT_THAT(back.narrow_columns.span(), ElementsAre(3, 0, 3));
  EXPECT_THAT(back.values.span(), ElementsAre(1, 2, 3));
}

TEST(SparseMatrix, FirstRowsShareTheMemoryAndOutliveTheWhole) {
  SparseMatrix part;
  {
    const SparseMatrix matrix = make_sparse_matrix(3, 4, std::vector<Entry>{{0, 3, 1}, {1, 0, 2}, {2, 3, 3}});
    part = first_rows(matrix, 2);
    EXPECT_EQ(first_rows(matrix, 9).rows, 3u);
  }
  EXPECT_EQ(part.rows, 2u);
  EXPECT_EQ(part.nnz(), 2u);
  EXPECT_EQ(part.column(1), 0u);
  EXPECT_EQ(part.value(1), 2);
}

}  // namespace
}  // namespace lacuna::tests
