#include "plan/packed_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "plan/epilogue.hpp"

namespace lacuna::plan {
namespace {

/// The classes as the kernel walks them: by length, or in fours, which take the next rows whatever their lengths.
std::vector<cpu::RowClass> kernel_classes(const rows::RowOrder& order, bool in_fours) {
  std::vector<std::uint32_t> lengths;
  for (const rows::RowOrder::Class& rows : order.classes) lengths.insert(lengths.end(), rows.rows, rows.length);
  std::vector<cpu::RowClass> classes;
  for (std::size_t position = 0; position < lengths.size();) {
    cpu::RowClass next{lengths[position], in_fours && position + 4 <= lengths.size() ? 4u : 1u};
    for (std::size_t k = 1; k < next.rows; ++k) next.more[k] = lengths[position + k] - next.length;
    position += next.rows;
    if (!classes.empty() && classes.back().length == next.length && !classes.back().is_mixed() && !next.is_mixed())
      classes.back().rows += next.rows;
    else
      classes.push_back(next);
  }
  return classes;
}

/// For each place of the kernel's stream the place in the matrix.
std::vector<std::uint32_t> stream_order(const SparseMatrix& weights, const rows::RowOrder& order, std::span<const cpu::RowClass> classes, bool in_fours) {
  std::vector<std::uint32_t> places;
  places.reserve(weights.nnz());
  const auto begin_of = [&](std::size_t position) { return weights.row_begin[order.rows.empty() ? position : order.rows[position]]; };
  std::size_t position = 0;
  for (const cpu::RowClass& rows : classes) {
    for (std::size_t left = rows.rows; left > 0;) {
      const std::size_t together = in_fours && left >= 4 ? 4 : 1;
      for (std::uint32_t e = 0; e < rows.length; ++e)
        for (std::size_t k = 0; k < together; ++k) places.push_back(begin_of(position + k) + e);
      for (std::size_t k = 0; k < together; ++k)
        for (std::uint32_t e = 0; e < rows.more[k]; ++e) places.push_back(begin_of(position + k) + rows.length + e);
      position += together;
      left -= together;
    }
  }
  return places;
}

template <typename T>
Array<T> pick(const Array<T>& values, const std::vector<std::uint32_t>& places) {
  std::vector<T> picked;
  picked.reserve(places.size());
  for (std::uint32_t place : places) picked.push_back(values[place]);
  return picked;
}

}  // namespace

bool can_be_in_fours(const rows::RowGroup& group, const rows::RowOrder& order) {
  return !group.weights.has_one_value() && group.weights.rows >= 4 && order.classes.back().length > 0;
}

PackedTable::PackedTable(const rows::RowGroup& group, Layout layout)
    : narrow_(group.weights.narrow_columns),
      wide_(group.weights.wide_columns),
      values_(group.weights.values),
      bias_(group.bias),
      activation_(group.activation),
      source_plane_(group.source.first),
      destination_plane_(group.destination.first),
      nnz_(group.weights.nnz()) {
  const rows::RowOrder order = rows::order_by_length(group.weights);
  lengths_ = order.classes.size();
  order_ = order.rows;
  for (rows::PlaneRange residual : group.residuals) residual_planes_.push_back(residual.first);
  in_fours_ = layout == Layout::fours && can_be_in_fours(group, order);
  classes_ = kernel_classes(order, in_fours_);
  if (!order_.empty() || in_fours_) copy_streams(group.weights, order);
}

void PackedTable::copy_streams(const SparseMatrix& weights, const rows::RowOrder& order) {
  const std::vector<std::uint32_t> places = stream_order(weights, order, classes_, in_fours_);
  if (wide_.empty())
    narrow_ = pick(narrow_, places);
  else
    wide_ = pick(wide_, places);
  if (!weights.has_one_value()) values_ = pick(values_, places);
  if (bias_.size() > 1 && !order.rows.empty()) bias_ = pick(bias_, order.rows);
}

cpu::Table PackedTable::view() const {
  cpu::Table table;
  table.classes = classes_;
  table.in_fours = in_fours_;
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

namespace {

constexpr std::size_t line_bytes = 64;

std::size_t whole_lines(std::size_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

template <typename T>
std::byte* move_array(Array<T>& values, std::byte* memory, const std::shared_ptr<const void>& owner) {
  if (values.empty()) return memory;
  std::memcpy(memory, values.data(), values.bytes());
  values = Array<T>(std::span<const T>(reinterpret_cast<const T*>(memory), values.size()), owner);
  return memory + whole_lines(values.bytes());
}

}  // namespace

std::size_t PackedTable::own_bytes() const {
  if (order_.empty() && !in_fours_) return 0;
  return whole_lines(narrow_.bytes()) + whole_lines(wide_.bytes()) + whole_lines(values_.bytes());
}

void PackedTable::move_to(std::byte* memory, const std::shared_ptr<const void>& owner) {
  if (own_bytes() == 0) return;
  memory = move_array(values_, memory, owner);
  memory = move_array(narrow_, memory, owner);
  move_array(wide_, memory, owner);
}

void put_together(std::span<PackedTable> tables) {
  std::size_t bytes = 0;
  for (const PackedTable& table : tables) bytes += table.own_bytes();
  if (bytes == 0) return;
  const auto block = std::make_shared<base::AlignedFloats>(bytes / sizeof(float));
  auto* at = reinterpret_cast<std::byte*>(block->data());
  for (PackedTable& table : tables) {
    const std::size_t taken = table.own_bytes();
    table.move_to(at, block);
    at += taken;
  }
}

/// The elements from `first` to `last` of both, where range_of(count) gives the two for `count` elements.
template <typename RangeOf>
std::array<std::span<const std::byte>, 2> PackedTable::streams(const RangeOf& range_of) const {
  const auto cut = [&](const auto& values) {
    const auto [first, last] = range_of(values.size());
    return std::as_bytes(std::span(values.data() + first, last - first));
  };
  return {cut(values_), wide_.empty() ? cut(narrow_) : cut(wide_)};
}

std::array<std::span<const std::byte>, 2> PackedTable::stream(std::size_t part, std::size_t parts) const {
  return streams([&](std::size_t count) { return std::pair(count * part / parts, count * (part + 1) / parts); });
}

std::array<std::span<const std::byte>, 2> PackedTable::stream_beyond(std::size_t first) const {
  return streams([&](std::size_t count) { return std::pair(std::min(first, count), count); });
}

std::size_t PackedTable::stream_bytes() const {
  const auto [weights, sources] = stream(0, 1);
  return weights.size() + sources.size();
}

}  // namespace lacuna::plan
