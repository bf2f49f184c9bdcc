// Which rows of a layer are baked together: those that read the same sources, because a source is loaded once for all rows of a block.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/sparse_matrix.hpp>

namespace lacuna::plan::gpus {

/// All rows, in blocks of `rows_of_block` (the last one may have fewer). A block begins with the first row that is left and takes, one after the other, the row
/// of which it reads the largest part already. Cost: O(rows^2 + edges * readers of a source).
std::vector<std::vector<std::uint32_t>> cluster_rows(const SparseMatrix& weights, std::uint32_t rows_of_block);

}  // namespace lacuna::plan::gpus
