#include "network/equal_rows.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstring>
#include <numeric>

namespace lacuna::network {
namespace {

/// The rows of a matrix as runs of bytes, columns in the width they are stored in.
template <typename Column>
class RowBytes {
 public:
  RowBytes(const SparseMatrix& matrix, const Column* columns, const Array<float>& bias)
      : begin_(matrix.row_begin.data()),
        columns_(columns),
        values_(matrix.has_one_value() ? nullptr : matrix.values.data()),
        bias_(bias.size() > 1 ? bias.data() : nullptr) {}

  std::uint64_t hash(std::uint32_t row) const {
    const std::size_t length = begin_[row + std::size_t{1}] - begin_[row];
    std::uint64_t hash = XXH3_64bits(columns_ + begin_[row], length * sizeof(Column));
    if (values_ != nullptr) hash = XXH3_64bits_withSeed(values_ + begin_[row], length * sizeof(float), hash);
    if (bias_ != nullptr) hash ^= bias_bits(row) * 0x9E3779B97F4A7C15u;  // the golden ratio spreads them
    return hash;
  }

  bool equal(std::uint32_t a, std::uint32_t b) const {
    const std::size_t length = begin_[a + std::size_t{1}] - begin_[a];
    if (length != begin_[b + std::size_t{1}] - begin_[b]) return false;
    if (bias_ != nullptr && bias_bits(a) != bias_bits(b)) return false;
    if (length == 0) return true;
    return std::memcmp(columns_ + begin_[a], columns_ + begin_[b], length * sizeof(Column)) == 0 &&
           (values_ == nullptr || std::memcmp(values_ + begin_[a], values_ + begin_[b], length * sizeof(float)) == 0);
  }

 private:
  std::uint64_t bias_bits(std::uint32_t row) const { return std::bit_cast<std::uint32_t>(bias_[row]); }

  const std::uint32_t* begin_;
  const Column* columns_;
  const float* values_;
  const float* bias_;
};

/// Open addressing over the rows kept so far; grows with them, so that few different rows stay in the cache.
class KeptRows {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The place of a row with this hash for which is_equal(place) holds; else `place_if_new`, which is then added.
  template <typename IsEqual>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t place_if_new, const IsEqual& is_equal) {
    if ((place_if_new + std::size_t{1}) * 2 > slots_.size()) grow();
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::size_t slot = tag & mask();; slot = (slot + 1) & mask()) {
      Slot& found = slots_[slot];
      if (found.place == none) {
        found = {tag, place_if_new};
        return place_if_new;
      }
      if (found.tag == tag && is_equal(found.place)) return found.place;
    }
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< low bits of the hash: the home slot, and a first comparison
    std::uint32_t place = none;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (entry.place == none) continue;
      std::size_t slot = entry.tag & mask();
      while (slots_[slot].place != none) slot = (slot + 1) & mask();
      slots_[slot] = entry;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
};

template <typename Column>
EqualRows find(const SparseMatrix& matrix, const Column* columns, const Array<float>& bias) {
  const RowBytes<Column> rows(matrix, columns, bias);
  EqualRows equal;
  KeptRows table;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const auto next = static_cast<std::uint32_t>(equal.kept.size());
    const std::uint32_t place = table.find_or_add(rows.hash(row), next, [&](std::uint32_t kept) { return rows.equal(equal.kept[kept], row); });
    if (place == next) {
      equal.kept.push_back(row);
    } else if (equal.place.empty()) {  // the first pair: until here every row stands for itself
      equal.place.resize(matrix.rows);
      std::iota(equal.place.begin(), equal.place.begin() + row, 0u);
    }
    if (!equal.place.empty()) equal.place[row] = place;
  }
  return equal;
}

}  // namespace

EqualRows find_equal_rows(const SparseMatrix& matrix, const Array<float>& bias) {
  if (matrix.wide_columns.empty()) return find(matrix, matrix.narrow_columns.data(), bias);
  return find(matrix, matrix.wide_columns.data(), bias);
}

}  // namespace lacuna::network
