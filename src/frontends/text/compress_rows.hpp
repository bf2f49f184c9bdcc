// From an edge list to compressed rows.
#pragma once

#include <cstdint>
#include <lacuna/sparse_matrix.hpp>
#include <string>

#include "frontends/text/edge_list.hpp"

namespace lacuna::frontends {

/// Which index of a line is the row of the matrix: the second for weights (edges go from input to output, and a row is
/// an output neuron), the first for inputs.
enum class RowIndex { first, second };

/// Counting sort by row; columns sorted within a row if they were not. O(entries + rows) for sorted files.
/// Throws InputError for an entry given twice, naming the second line (`name`, `rules` are for that message).
SparseMatrix compress_rows(const EdgeList& list, RowIndex row_index, std::uint32_t rows, std::uint32_t columns,
                           const std::string& name, const EdgeRules& rules);

/// One more than the largest index of an axis; 0 if there are no entries. `first`: of the first axis.
std::uint64_t count_indices(const EdgeList& list, RowIndex which);

}  // namespace lacuna::frontends
