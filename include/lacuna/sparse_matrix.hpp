// SparseMatrix: compressed rows, the one container for weights (a row is an output neuron) and for sparse inputs
// (a row is an input). Columns take 16 bits where they fit; equal values are kept once. An official challenge layer so
// costs 2 bytes an edge.
#pragma once

#include <cstdint>
#include <span>

#include <lacuna/array.hpp>

namespace lacuna {

/// One entry of a matrix on its way in.
struct Entry {
  std::uint32_t row;
  std::uint32_t column;
  float value;
};

struct SparseMatrix {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  Array<std::uint32_t> row_begin;       ///< rows + 1 positions; fewer than 2^32 entries in a matrix
  Array<std::uint16_t> narrow_columns;  ///< used when columns <= 65,536; ascending within a row
  Array<std::uint32_t> wide_columns;    ///< used otherwise
  Array<float> values;                  ///< nnz values, or a single one shared by all entries

  std::size_t nnz() const { return row_begin.empty() ? 0 : row_begin[rows]; }
  std::uint32_t column(std::size_t entry) const { return wide_columns.empty() ? narrow_columns[entry] : wide_columns[entry]; }
  float value(std::size_t entry) const { return values.size() == 1 ? values[0] : values[entry]; }
  bool has_one_value() const { return values.size() <= 1; }
  std::size_t bytes() const { return row_begin.bytes() + narrow_columns.bytes() + wide_columns.bytes() + values.bytes(); }
};

/// Builds a matrix from entries in any order. Throws InputError for an entry outside the shape or given twice.
SparseMatrix make_sparse_matrix(std::uint32_t rows, std::uint32_t columns, std::span<const Entry> entries);

/// Builds a matrix from its compressed rows, columns ascending within each row (not checked here: see verify).
/// Chooses the narrow columns and the single value by itself.
SparseMatrix make_sparse_matrix(std::uint32_t rows, std::uint32_t columns, std::vector<std::uint32_t> row_begin,
                                std::vector<std::uint32_t> entry_columns, std::vector<float> values);

/// Rows become columns. O(nnz).
SparseMatrix transpose(const SparseMatrix& matrix);

/// The first `rows` rows (all of them when there are fewer), sharing memory with `matrix`.
SparseMatrix first_rows(const SparseMatrix& matrix, std::uint32_t rows);

}  // namespace lacuna
