// Building and reshaping compressed rows.
#include <lacuna/sparse_matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <lacuna/error.hpp>

namespace lacuna {
namespace {

constexpr std::uint32_t narrow_limit = 65536;

Array<float> keep_equal_values_once(std::vector<float> values) {
  // Not ==: -0 and 0 print differently, and NaN must reach verify.
  const auto same_bits = [&](float value) { return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(values[0]); };
  if (!values.empty() && std::all_of(values.begin(), values.end(), same_bits)) return std::vector<float>{values[0]};
  return values;
}

}  // namespace

SparseMatrix make_sparse_matrix(std::uint32_t rows, std::uint32_t columns, std::vector<std::uint32_t> row_begin,
                                std::vector<std::uint32_t> entry_columns, std::vector<float> values) {
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_begin = std::move(row_begin);
  if (columns <= narrow_limit)
    matrix.narrow_columns = std::vector<std::uint16_t>(entry_columns.begin(), entry_columns.end());
  else
    matrix.wide_columns = std::move(entry_columns);
  matrix.values = keep_equal_values_once(std::move(values));
  return matrix;
}

SparseMatrix make_sparse_matrix(std::uint32_t rows, std::uint32_t columns, std::span<const Entry> entries) {
  if (entries.size() > std::numeric_limits<std::uint32_t>::max())
    throw InputError(fmt::format("a matrix holds fewer than 2^32 entries; this one has {}", entries.size()));
  std::vector<std::uint32_t> row_begin(rows + std::size_t{1}, 0);
  for (const Entry& entry : entries) {
    if (entry.row >= rows || entry.column >= columns)
      throw InputError(fmt::format("entry ({}, {}) is outside the {} x {} matrix", entry.row, entry.column, rows, columns));
    ++row_begin[entry.row + std::size_t{1}];
  }
  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());

  std::vector<Entry> sorted(entries.begin(), entries.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  std::vector<std::uint32_t> entry_columns;
  std::vector<float> values;
  entry_columns.reserve(sorted.size());
  values.reserve(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].row == sorted[i - 1].row && sorted[i].column == sorted[i - 1].column)
      throw InputError(fmt::format("entry ({}, {}) is given twice", sorted[i].row, sorted[i].column));
    entry_columns.push_back(sorted[i].column);
    values.push_back(sorted[i].value);
  }
  return make_sparse_matrix(rows, columns, std::move(row_begin), std::move(entry_columns), std::move(values));
}

SparseMatrix transpose(const SparseMatrix& matrix) {
  const std::size_t nnz = matrix.nnz();
  std::vector<std::uint32_t> row_begin(matrix.columns + std::size_t{1}, 0);
  for (std::size_t e = 0; e < nnz; ++e) ++row_begin[matrix.column(e) + std::size_t{1}];
  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());

  std::vector<std::uint32_t> next(row_begin.begin(), row_begin.end() - 1);
  std::vector<std::uint32_t> entry_columns(nnz);
  std::vector<float> values(matrix.has_one_value() ? 0 : nnz);
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + std::size_t{1}]; ++e) {
      const std::uint32_t place = next[matrix.column(e)]++;
      entry_columns[place] = row;
      if (!values.empty()) values[place] = matrix.value(e);
    }
  }
  if (values.empty() && nnz > 0) values = {matrix.values[0]};
  return make_sparse_matrix(matrix.columns, matrix.rows, std::move(row_begin), std::move(entry_columns), std::move(values));
}

SparseMatrix first_rows(const SparseMatrix& matrix, std::uint32_t rows) {
  if (rows >= matrix.rows) return matrix;
  const auto share = [](const auto& array, std::size_t size) {
    using Whole = std::remove_cvref_t<decltype(array)>;
    return Whole(array.span().first(std::min(size, array.size())), std::make_shared<Whole>(array));
  };
  SparseMatrix part = matrix;
  part.rows = rows;
  part.row_begin = share(matrix.row_begin, rows + std::size_t{1});
  const std::size_t nnz = matrix.row_begin[rows];
  part.narrow_columns = share(matrix.narrow_columns, nnz);
  part.wide_columns = share(matrix.wide_columns, nnz);
  if (!matrix.has_one_value()) part.values = share(matrix.values, nnz);
  return part;
}

}  // namespace lacuna
