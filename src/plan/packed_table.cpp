#include "plan/packed_table.hpp"

#include "plan/epilogue.hpp"

namespace lacuna::plan {
namespace {

template <typename T>
Array<T> in_order(const Array<T>& values, const SparseMatrix& weights, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (std::uint32_t row : order)
    sorted.insert(sorted.end(), values.data() + weights.row_begin[row], values.data() + weights.row_begin[row + std::size_t{1}]);
  return sorted;
}

}  // namespace

PackedTable::PackedTable(const rows::RowGroup& group)
    : narrow_(group.weights.narrow_columns),
      wide_(group.weights.wide_columns),
      values_(group.weights.values),
      bias_(group.bias),
      activation_(group.activation),
      source_plane_(group.source.first),
      destination_plane_(group.destination.first),
      nnz_(group.weights.nnz()) {
  const rows::RowOrder order = rows::order_by_length(group.weights);
  for (const rows::RowOrder::Class& rows : order.classes) classes_.push_back({rows.length, rows.rows});
  order_ = order.rows;
  for (rows::PlaneRange residual : group.residuals) residual_planes_.push_back(residual.first);
  if (!order_.empty()) copy_in_order(group.weights);
}

void PackedTable::copy_in_order(const SparseMatrix& weights) {
  if (wide_.empty())
    narrow_ = in_order(narrow_, weights, order_);
  else
    wide_ = in_order(wide_, weights, order_);
  if (!weights.has_one_value()) values_ = in_order(values_, weights, order_);
}

cpu::Table PackedTable::view() const {
  cpu::Table table;
  table.classes = classes_;
  table.rows = order_.empty() ? nullptr : order_.data();
  table.narrow_sources = wide_.empty() ? narrow_.data() : nullptr;
  table.wide_sources = wide_.data();
  table.weights = values_.data();
  table.one_weight = values_.size() == 1 && nnz_ > 1;
  if (bias_.size() > 1)
    table.bias = bias_.data();
  else
    table.one_bias = bias_.empty() ? 0 : bias_[0];
  table.source_plane = source_plane_;
  table.destination_plane = destination_plane_;
  table.residual_planes = residual_planes_;
  set_epilogue(table, activation_);
  return table;
}

}  // namespace lacuna::plan
