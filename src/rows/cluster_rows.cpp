#include <algorithm>
#include <bit>

#include "rows/conv_rows.hpp"

namespace lacuna::rows {
namespace {

/// The set of sources of each row, as bits over all offsets that occur.
class SourceSets {
 public:
  explicit SourceSets(const ConvRows& rows) {
    std::vector<std::int32_t> offsets;
    for (const ConvRows::Nonzero& nonzero : rows.nonzeros) offsets.push_back(nonzero.offset);
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    words_ = offsets.size() / 64 + 1;
    bits_.assign(words_ * rows.rows(), 0);
    for (std::size_t row = 0; row < rows.rows(); ++row)
      for (std::size_t e = rows.row_begin[row]; e < rows.row_begin[row + 1]; ++e) {
        const auto place = static_cast<std::size_t>(std::lower_bound(offsets.begin(), offsets.end(), rows.nonzeros[e].offset) - offsets.begin());
        bits_[row * words_ + place / 64] |= std::uint64_t{1} << place % 64;
      }
  }
  std::size_t words() const { return words_; }
  const std::uint64_t* of(std::size_t row) const { return &bits_[row * words_]; }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::vector<std::uint32_t> cluster_rows(const ConvRows& rows, unsigned block) {
  const SourceSets sets(rows);
  const auto length = [&](std::uint32_t row) { return rows.row_begin[row + std::size_t{1}] - rows.row_begin[row]; };
  std::vector<std::uint32_t> left(rows.rows());
  for (std::uint32_t row = 0; row < left.size(); ++row) left[row] = row;
  std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) { return length(a) > length(b); });
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> together(sets.words());
  while (!left.empty()) {
    std::fill(together.begin(), together.end(), 0);
    const std::size_t enough = length(left.front()) * 3 / 4;
    for (unsigned k = 0; k < block && !left.empty(); ++k) {
      // The row that brings the fewest new sources for those it shares, among those about as long as the longest that is left.
      std::size_t best = 0;
      if (k > 0) {
        double best_share = -1;
        for (std::size_t candidate = 0; candidate < left.size() && (candidate < block - k || length(left[candidate]) >= enough); ++candidate) {
          const std::uint64_t* const set = sets.of(left[candidate]);
          std::size_t shared = 0;
          for (std::size_t word = 0; word < sets.words(); ++word) shared += static_cast<std::size_t>(std::popcount(set[word] & together[word]));
          const double share = static_cast<double>(shared) / (1.0 + static_cast<double>(length(left[candidate])));
          if (share > best_share) {
            best_share = share;
            best = candidate;
          }
        }
      }
      const std::uint32_t row = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      order.push_back(row);
      for (std::size_t word = 0; word < sets.words(); ++word) together[word] |= sets.of(row)[word];
    }
  }
  return order;
}

}  // namespace lacuna::rows
