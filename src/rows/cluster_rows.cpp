#include <algorithm>
#include <span>

#include "rows/conv_rows.hpp"

namespace lacuna::rows {
namespace {

/// Of each nonzero the number of its source: equal offsets, equal numbers.
std::vector<std::uint32_t> number_sources(const ConvRows& rows) {
  std::vector<std::int32_t> offsets;
  offsets.reserve(rows.nonzeros.size());
  for (const ConvRows::Nonzero& nonzero : rows.nonzeros) offsets.push_back(nonzero.offset);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(offsets.size());
  if (offsets.empty()) return numbers;
  const auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
  constexpr std::int64_t few = std::int64_t{1} << 24;
  if (const std::int64_t range = std::int64_t{*highest} - *lowest + 1; range <= few) {  // a table instead of sorting
    std::vector<std::uint32_t> number_of(static_cast<std::size_t>(range), 0);
    std::uint32_t count = 0;
    for (std::int32_t offset : offsets) {
      std::uint32_t& number = number_of[static_cast<std::size_t>(std::int64_t{offset} - *lowest)];
      if (number == 0) number = ++count;
      numbers.push_back(number - 1);
    }
    return numbers;
  }
  std::vector<std::int32_t> distinct = offsets;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::int32_t offset : offsets) numbers.push_back(static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), offset) - distinct.begin()));
  return numbers;
}

/// The sources of the rows by numbers, and the rows that read each.
class Sources {
 public:
  explicit Sources(const ConvRows& rows) : rows_(rows), of_nonzero_(number_sources(rows)) {
    reader_begin_.assign(of_nonzero_.empty() ? 1 : *std::max_element(of_nonzero_.begin(), of_nonzero_.end()) + std::size_t{2}, 0);
    for (std::uint32_t number : of_nonzero_) ++reader_begin_[number + std::size_t{1}];
    for (std::size_t k = 1; k < reader_begin_.size(); ++k) reader_begin_[k] += reader_begin_[k - 1];
    std::vector<std::size_t> next(reader_begin_.begin(), reader_begin_.end() - 1);
    readers_.resize(rows.nonzeros.size());
    for (std::uint32_t row = 0; row < rows.rows(); ++row)
      for (std::uint32_t source : of(row)) readers_[next[source]++] = row;
  }

  std::size_t count() const { return reader_begin_.size() - 1; }
  std::span<const std::uint32_t> of(std::uint32_t row) const { return std::span(of_nonzero_).subspan(rows_.row_begin[row], rows_.row_begin[row + std::size_t{1}] - rows_.row_begin[row]); }
  std::span<const std::uint32_t> readers(std::uint32_t source) const { return std::span(readers_).subspan(reader_begin_[source], reader_begin_[source + std::size_t{1}] - reader_begin_[source]); }

 private:
  const ConvRows& rows_;
  std::vector<std::uint32_t> of_nonzero_;
  std::vector<std::size_t> reader_begin_;
  std::vector<std::uint32_t> readers_;
};

}  // namespace

std::vector<std::uint32_t> cluster_rows(const ConvRows& rows, unsigned block) {
  const Sources sources(rows);
  const auto length = [&](std::uint32_t row) { return rows.row_begin[row + std::size_t{1}] - rows.row_begin[row]; };
  std::vector<std::uint32_t> left(rows.rows());
  for (std::uint32_t row = 0; row < left.size(); ++row) left[row] = row;
  std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) { return length(a) > length(b); });
  std::vector<std::uint32_t> order;
  std::vector<bool> is_together(sources.count());   // of each source: whether the block reads it
  std::vector<std::uint32_t> shared(rows.rows());   // of each row: how many of those it reads
  while (!left.empty()) {
    std::fill(is_together.begin(), is_together.end(), false);
    std::fill(shared.begin(), shared.end(), 0u);
    const std::size_t enough = length(left.front()) * 3 / 4;
    for (unsigned k = 0; k < block && !left.empty(); ++k) {
      // The row that brings the fewest new sources for those it shares, among those about as long as the longest that is left.
      std::size_t best = 0;
      double best_share = -1;
      for (std::size_t candidate = 0; k > 0 && candidate < left.size() && (candidate < block - k || length(left[candidate]) >= enough); ++candidate) {
        const double share = static_cast<double>(shared[left[candidate]]) / (1.0 + static_cast<double>(length(left[candidate])));
        if (share > best_share) {
          best_share = share;
          best = candidate;
        }
      }
      const std::uint32_t row = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      order.push_back(row);
      for (std::uint32_t source : sources.of(row)) {
        if (is_together[source]) continue;
        is_together[source] = true;
        for (std::uint32_t reader : sources.readers(source)) ++shared[reader];
      }
    }
  }
  return order;
}

}  // namespace lacuna::rows
