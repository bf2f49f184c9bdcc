#include "network/select_rows.hpp"

#include <vector>

namespace lacuna::network {
namespace {

constexpr std::uint32_t narrow_limit = 65536;

template <typename To, typename From>
Array<To> select_columns(const SparseMatrix& matrix, const From* columns, std::span<const std::uint32_t> rows, const Renaming& renaming,
                         std::size_t nnz) {
  std::vector<To> selected;
  selected.reserve(nnz);
  for (const std::uint32_t row : rows) {
    const From* const end = columns + matrix.row_begin[row + std::size_t{1}];
    const From* column = columns + matrix.row_begin[row];
    if (renaming.name.empty())
      for (; column != end; ++column) selected.push_back(static_cast<To>(*column));
    else
      for (; column != end; ++column) selected.push_back(static_cast<To>(renaming.name[*column]));
  }
  return selected;
}

Array<float> select_values(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, std::size_t nnz) {
  if (nnz == 0) return {};
  if (matrix.has_one_value()) return matrix.values;
  std::vector<float> selected;
  selected.reserve(nnz);
  for (const std::uint32_t row : rows)
    selected.insert(selected.end(), matrix.values.data() + matrix.row_begin[row], matrix.values.data() + matrix.row_begin[row + std::size_t{1}]);
  return selected;
}

template <typename To>
Array<To> select_columns(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, const Renaming& renaming, std::size_t nnz) {
  if (matrix.wide_columns.empty()) return select_columns<To>(matrix, matrix.narrow_columns.data(), rows, renaming, nnz);
  return select_columns<To>(matrix, matrix.wide_columns.data(), rows, renaming, nnz);
}

}  // namespace

SparseMatrix select_rows(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, const Renaming& renaming) {
  SparseMatrix selected;
  selected.rows = static_cast<std::uint32_t>(rows.size());
  selected.columns = renaming.columns;
  std::vector<std::uint32_t> row_begin{0};
  row_begin.reserve(rows.size() + 1);
  for (const std::uint32_t row : rows) row_begin.push_back(row_begin.back() + matrix.row_begin[row + std::size_t{1}] - matrix.row_begin[row]);
  const std::size_t nnz = row_begin.back();
  selected.row_begin = std::move(row_begin);
  if (renaming.columns <= narrow_limit)
    selected.narrow_columns = select_columns<std::uint16_t>(matrix, rows, renaming, nnz);
  else
    selected.wide_columns = select_columns<std::uint32_t>(matrix, rows, renaming, nnz);
  selected.values = select_values(matrix, rows, nnz);
  return selected;
}

Array<float> select_bias(const Array<float>& bias, std::span<const std::uint32_t> rows) {
  if (bias.size() <= 1) return bias;
  std::vector<float> selected;
  selected.reserve(rows.size());
  for (const std::uint32_t row : rows) selected.push_back(bias[row]);
  return selected;
}

}  // namespace lacuna::network
