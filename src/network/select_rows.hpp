// Some rows of a matrix, with their sources renamed: what is left of a layer when neurons leave.
#pragma once

#include <cstdint>
#include <span>

#include <lacuna/sparse_matrix.hpp>

namespace lacuna::network {

/// The columns of a matrix under new names; several may get the same one.
struct Renaming {
  std::span<const std::uint32_t> name;  ///< for each column its new one; empty: as they are
  std::uint32_t columns;                ///< how many there are then
};

/// The given rows, each with its entries in their old order: entries are neither sorted nor added up, and one value for all stays one value for
/// all while a value for each stays a value for each. Kernels treat the two differently, so this keeps every bit of every row's sum.
SparseMatrix select_rows(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, const Renaming& renaming);

/// The biases of the given rows: none and one for all stay as they are.
Array<float> select_bias(const Array<float>& bias, std::span<const std::uint32_t> rows);

}  // namespace lacuna::network
