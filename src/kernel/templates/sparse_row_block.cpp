#include "kernel/templates/sparse_row_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lacuna::kernel {
namespace {

/// The nonzeros in the order they are visited: lowest source first, but those of a row in the order the row gives, so that its sum has the
/// same bits as anywhere else. Rows whose sources ascend, as nearly all do, share every load they can.
std::vector<SparseRowBlock::Nonzero> in_order_of_visit(const SparseRowBlock& block) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  const std::size_t rows = block.rows.size();
  std::vector<std::size_t> begin(rows + 1, 0);
  for (const SparseRowBlock::Nonzero& entry : block.nonzeros) ++begin[entry.row + std::size_t{1}];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<SparseRowBlock::Nonzero> by_row(block.nonzeros.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const SparseRowBlock::Nonzero& entry : block.nonzeros) by_row[next[entry.row]++] = entry;
  std::copy(begin.begin(), begin.end() - 1, next.begin());
  std::vector<std::uint64_t> source(rows);  // of the next nonzero of each row
  const auto look = [&](std::size_t row) { source[row] = next[row] < begin[row + 1] ? by_row[next[row]].source : none; };
  for (std::size_t row = 0; row < rows; ++row) look(row);
  std::vector<SparseRowBlock::Nonzero> ordered;
  ordered.reserve(by_row.size());
  while (ordered.size() < by_row.size()) {
    std::uint64_t lowest = none;
    for (std::uint64_t one : source) lowest = std::min(lowest, one);  // no branch to predict, unlike min_element
    for (std::size_t row = 0; row < rows; ++row)
      for (; source[row] == lowest; look(row)) ordered.push_back(by_row[next[row]++]);
  }
  return ordered;
}

class Builder {
 public:
  explicit Builder(const SparseRowBlock& block) : block_(block), nonzeros_(in_order_of_visit(block)) {
    one_weight_ = block.may_multiply_at_end && nonzeros_.size() > block.rows.size() &&
                  std::all_of(nonzeros_.begin(), nonzeros_.end(), [&](const auto& entry) { return entry.weight == nonzeros_[0].weight; });
    kernel_.name = block.name;
    kernel_.rows = static_cast<unsigned>(block.rows.size());
  }

  Kernel build() && {
    kernel_.steps.reserve(2 * nonzeros_.size() + 4 * block_.rows.size());
    kernel_.constants.reserve(nonzeros_.size() + block_.rows.size() + 2);
    start();
    visit_sources();
    if (one_weight_) scale();
    if (block_.suspends) {
      for (std::size_t r = 0; r < block_.rows.size(); ++r) step(Op::store, r, 0, block_.rows[r].partial, Space::partial);
      return std::move(kernel_);
    }
    add_residuals();
    clip();
    for (std::size_t r = 0; r < block_.rows.size() && block_.blanks; ++r) step(Op::blank, r);
    for (std::size_t r = 0; r < block_.rows.size(); ++r) step(Op::store, r, 0, block_.rows[r].destination, apart(Space::destination));
    return std::move(kernel_);
  }

 private:
  void step(Op op, std::size_t row, std::uint32_t index = 0, std::uint64_t offset = 0, Space space = Space::memory) {
    kernel_.steps.push_back({op, static_cast<std::uint16_t>(row), index, offset, space});
  }

  Space apart(Space space) const { return block_.spaces_apart ? space : Space::memory; }

  std::uint32_t constant(float value) {
    kernel_.constants.push_back(value);
    return static_cast<std::uint32_t>(kernel_.constants.size() - 1);
  }

  void start() {
    for (std::size_t r = 0; r < block_.rows.size(); ++r) {
      const float bias = block_.rows[r].bias;
      if (block_.resumes)
        step(Op::resume, r, 0, block_.rows[r].partial, Space::partial);
      else if (one_weight_ || (bias == 0 && !std::signbit(bias)))
        step(Op::clear, r);
      else
        step(Op::set, r, constant(bias));
    }
  }

  void visit_sources() {
    for (std::size_t k = 0; k < nonzeros_.size(); ++k) {
      const auto& entry = nonzeros_[k];
      if (k == 0 || nonzeros_[k - 1].source != entry.source) step(Op::load, 0, 0, entry.source);
      if (one_weight_)
        step(Op::add, entry.row);
      else
        step(Op::multiply_add, entry.row, constant(entry.weight));
    }
  }

  void scale() {
    step(Op::take, 0, constant(nonzeros_[0].weight));
    for (std::size_t r = 0; r < block_.rows.size(); ++r) step(Op::scale, r, constant(block_.rows[r].bias));
  }

  void add_residuals() {
    for (std::size_t r = 0; r < block_.rows.size(); ++r)
      for (std::uint64_t residual : block_.rows[r].residuals) {
        step(Op::load, 0, 0, residual, apart(Space::skip));
        step(Op::add, r);
      }
  }

  void clip() {
    const auto bound = [&](Op op, float value) {
      if (std::isinf(value)) return;
      step(Op::take, 0, constant(value));
      for (std::size_t r = 0; r < block_.rows.size(); ++r) step(op, r);
    };
    bound(Op::maximum, block_.low);
    bound(Op::minimum, block_.high);
  }

  const SparseRowBlock& block_;
  std::vector<SparseRowBlock::Nonzero> nonzeros_;
  bool one_weight_ = false;
  Kernel kernel_;
};

}  // namespace

Kernel build(const SparseRowBlock& block) { return Builder(block).build(); }

}  // namespace lacuna::kernel
