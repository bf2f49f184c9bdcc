#include "plan/gpus/row_clusters.hpp"

#include <algorithm>

namespace lacuna::plan::gpus {
namespace {

class Clustering {
 public:
  explicit Clustering(const SparseMatrix& weights) : weights_(weights), readers_(transpose(weights)), is_taken_(weights.rows) {}

  /// The next block of rows, of at most `most`; empty when all are taken.
  std::vector<std::uint32_t> next(std::uint32_t most) {
    std::vector<std::uint32_t> block;
    is_read_.assign(weights_.columns, false);
    known_.assign(weights_.rows, 0);
    for (; first_ < weights_.rows && is_taken_[first_]; ++first_) {}
    while (block.size() < most && left_ > 0) {
      block.push_back(nearest());
      take(block.back());
    }
    std::sort(block.begin(), block.end());
    return block;
  }

 private:
  std::uint32_t length(std::uint32_t row) const { return std::max(weights_.row_begin[row + std::size_t{1}] - weights_.row_begin[row], 1u); }

  /// The row of which the largest part is read already; of equals the first.
  std::uint32_t nearest() const {
    std::uint32_t best = first_;
    for (; is_taken_[best]; ++best) {}
    for (std::uint32_t row = best + 1; row < weights_.rows; ++row)
      if (!is_taken_[row] && std::uint64_t{known_[row]} * length(best) > std::uint64_t{known_[best]} * length(row)) best = row;
    return best;
  }

  void take(std::uint32_t row) {
    is_taken_[row] = true;
    --left_;
    for (std::size_t e = weights_.row_begin[row]; e < weights_.row_begin[row + std::size_t{1}]; ++e) {
      const std::uint32_t source = weights_.column(e);
      if (is_read_[source]) continue;
      is_read_[source] = true;
      for (std::size_t r = readers_.row_begin[source]; r < readers_.row_begin[source + std::size_t{1}]; ++r) ++known_[readers_.column(r)];
    }
  }

  const SparseMatrix& weights_;
  const SparseMatrix readers_;
  std::vector<bool> is_taken_, is_read_;
  std::vector<std::uint32_t> known_;  ///< of each row, how many of its sources the block reads
  std::uint32_t first_ = 0;           ///< all before it are taken
  std::uint32_t left_ = weights_.rows;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> cluster_rows(const SparseMatrix& weights, std::uint32_t rows_of_block) {
  Clustering clustering(weights);
  std::vector<std::vector<std::uint32_t>> blocks;
  for (auto block = clustering.next(rows_of_block); !block.empty(); block = clustering.next(rows_of_block)) blocks.push_back(std::move(block));
  return blocks;
}

}  // namespace lacuna::plan::gpus
