#include "frontends/text/compress_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <lacuna/error.hpp>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace lacuna::frontends {
namespace {

const std::vector<std::uint32_t>& row_of(const EdgeBlock& block, RowIndex row_index) {
  return row_index == RowIndex::first ? block.first : block.second;
}

const std::vector<std::uint32_t>& column_of(const EdgeBlock& block, RowIndex row_index) {
  return row_index == RowIndex::first ? block.second : block.first;
}

std::vector<std::uint32_t> count_rows(const EdgeList& list, RowIndex row_index, std::uint32_t rows) {
  std::vector<std::uint32_t> row_begin(rows + std::size_t{1}, 0);
  for (const EdgeBlock& block : list.blocks)
    for (const std::uint32_t row : row_of(block, row_index)) ++row_begin[row + std::size_t{1}];
  for (std::size_t row = 0; row < rows; ++row) row_begin[row + 1] += row_begin[row];
  return row_begin;
}

/// The value all entries have, if they have one.
std::optional<float> shared_value(const EdgeList& list) {
  std::optional<float> shared;
  for (const EdgeBlock& block : list.blocks) {
    if (block.first.empty()) continue;
    if (!block.values.empty()) return std::nullopt;
    if (shared && std::bit_cast<std::uint32_t>(*shared) != std::bit_cast<std::uint32_t>(block.value))
      return std::nullopt;
    shared = block.value;
  }
  return shared;
}

/// Sorts the entries of one row by column; `values` is empty when all are equal.
template <typename Column>
void sort_row(std::span<Column> columns, std::span<float> values) {
  if (values.empty()) {
    std::sort(columns.begin(), columns.end());
    return;
  }
  std::vector<std::pair<Column, float>> entries(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) entries[k] = {columns[k], values[k]};
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < columns.size(); ++k) std::tie(columns[k], values[k]) = entries[k];
}

/// Row and column of an entry given twice, if there is one.
template <typename Column>
std::optional<std::pair<std::uint32_t, std::uint32_t>> sort_rows(const std::vector<std::uint32_t>& row_begin,
                                                                 std::vector<Column>& columns,
                                                                 std::vector<float>& values) {
  const auto not_ascending = [](Column a, Column b) { return a >= b; };
  for (std::size_t row = 0; row + 1 < row_begin.size(); ++row) {
    const std::uint32_t begin = row_begin[row];
    const std::uint32_t size = row_begin[row + 1] - begin;
    const std::span<Column> of_row(columns.data() + begin, size);
    if (std::adjacent_find(of_row.begin(), of_row.end(), not_ascending) == of_row.end()) continue;
    sort_row(of_row, values.empty() ? std::span<float>() : std::span<float>(values.data() + begin, size));
    const auto twice = std::adjacent_find(of_row.begin(), of_row.end());
    if (twice != of_row.end()) return std::pair{static_cast<std::uint32_t>(row), std::uint32_t{*twice}};
  }
  return std::nullopt;
}

[[noreturn]] void fail_twice(const EdgeList& list, RowIndex row_index, std::uint32_t row, std::uint32_t column,
                             const std::string& name, const EdgeRules& rules) {
  std::uint64_t earlier_line = 0;
  for (std::size_t b = 0; b < list.blocks.size(); ++b) {
    const auto& rows = row_of(list.blocks[b], row_index);
    const auto& columns = column_of(list.blocks[b], row_index);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] != row || columns[k] != column) continue;
      const std::uint64_t line = line_of_entry(list, b, k);
      if (earlier_line != 0)
        throw InputError(name, line, 1,
                         fmt::format("{} {}, {} {} was already given in line {}; keep one of them", rules.first.word,
                                     list.blocks[b].first[k] + std::uint64_t{rules.index_base}, rules.second.word,
                                     list.blocks[b].second[k] + std::uint64_t{rules.index_base}, earlier_line));
      earlier_line = line;
    }
  }
  throw InternalError("an entry given twice was found once");
}

template <typename Column>
std::vector<Column> place_columns(const EdgeList& list, RowIndex row_index, const std::vector<std::uint32_t>& row_begin,
                                  std::vector<float>& values) {
  std::vector<Column> placed(row_begin.back());
  std::vector<std::uint32_t> next(row_begin.begin(), row_begin.end() - 1);
  for (const EdgeBlock& block : list.blocks) {
    const auto& rows = row_of(block, row_index);
    const auto& columns = column_of(block, row_index);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::uint32_t position = next[rows[k]]++;
      placed[position] = static_cast<Column>(columns[k]);
      if (!values.empty()) values[position] = block.values.empty() ? block.value : block.values[k];
    }
  }
  return placed;
}

}  // namespace

std::uint64_t count_indices(const EdgeList& list, RowIndex which) {
  std::uint64_t count = 0;
  for (const EdgeBlock& block : list.blocks)
    for (const std::uint32_t index : row_of(block, which)) count = std::max(count, index + std::uint64_t{1});
  return count;
}

SparseMatrix compress_rows(const EdgeList& list, RowIndex row_index, std::uint32_t rows, std::uint32_t columns,
                           const std::string& name, const EdgeRules& rules) {
  const std::uint64_t entries = list.size();
  if (entries > std::numeric_limits<std::uint32_t>::max())
    throw Unsupported(fmt::format("{}: {} entries; a matrix holds fewer than 2^32", name, entries));
  std::vector<std::uint32_t> row_begin = count_rows(list, row_index, rows);
  const std::optional<float> shared = shared_value(list);
  std::vector<float> values(shared ? 0 : entries);

  const auto place = [&]<typename Column>(Column) -> std::vector<Column> {
    std::vector<Column> placed = place_columns<Column>(list, row_index, row_begin, values);
    if (const auto twice = sort_rows<Column>(row_begin, placed, values))
      fail_twice(list, row_index, twice->first, twice->second, name, rules);
    return placed;
  };

  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  constexpr std::uint32_t narrow_limit = 1u << 16;
  if (columns <= narrow_limit)
    matrix.narrow_columns = place(std::uint16_t{});
  else
    matrix.wide_columns = place(std::uint32_t{});
  if (shared) values = {*shared};
  matrix.row_begin = std::move(row_begin);
  matrix.values = std::move(values);
  return matrix;
}

}  // namespace lacuna::frontends
