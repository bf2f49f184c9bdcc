// Which rows of a matrix are equal: the look that all merging starts with.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/sparse_matrix.hpp>

namespace lacuna::network {

struct EqualRows {
  std::vector<std::uint32_t> kept;   ///< the first of each set of equal rows, ascending
  std::vector<std::uint32_t> place;  ///< for each row, where in `kept` the row equal to it stands; empty: all rows differ

  bool all_differ() const { return place.empty(); }
};

/// Rows are equal when sources, weights and bias are, in the same order and bit by bit: 0 and -0 differ, so that merging cannot change even
/// the sign of a zero. `bias` is empty, one for all, or one for each row. Found by hash, confirmed by value. Cost: O(edges) to read, and
/// memory for the rows, none for the edges; nothing is copied.
EqualRows find_equal_rows(const SparseMatrix& matrix, const Array<float>& bias);

}  // namespace lacuna::network
