#include <algorithm>
#include <numeric>

#include "rows/sparse_rows.hpp"

namespace lacuna::rows {

RowOrder order_by_length(const SparseMatrix& weights) {
  RowOrder order;
  const auto length = [&](std::uint32_t row) { return weights.row_begin[row + std::size_t{1}] - weights.row_begin[row]; };
  order.rows.resize(weights.rows);
  std::iota(order.rows.begin(), order.rows.end(), 0u);
  std::stable_sort(order.rows.begin(), order.rows.end(), [&](std::uint32_t a, std::uint32_t b) { return length(a) < length(b); });
  for (std::uint32_t row : order.rows) {
    if (order.classes.empty() || order.classes.back().length != length(row)) order.classes.push_back({length(row), 0});
    ++order.classes.back().rows;
  }
  if (std::is_sorted(order.rows.begin(), order.rows.end())) order.rows.clear();
  return order;
}

}  // namespace lacuna::rows
