#include "kernel/templates/line_pair_block.hpp"

#include <cmath>

namespace lacuna::kernel {
namespace {

class Builder {
 public:
  explicit Builder(const LinePairBlock& block) : block_(block), points_(block.ending.size()) {
    kernel_.name = block.name;
    kernel_.rows = static_cast<unsigned>(block.outputs.size() * points_);
  }

  Kernel build() && {
    for (std::size_t c = 0; c < block_.outputs.size(); ++c)
      for (std::size_t p = 0; p < points_; ++p) start(c, p);
    for (std::size_t k = 0; k < block_.weights.size(); ++k) {
      const LinePairBlock::Weight& entry = block_.weights[k];
      if (k == 0 || block_.weights[k - 1].source != entry.source) step(Op::load, 0, 0, entry.source);
      step(Op::multiply_add, sum(entry.output, entry.point), constant(entry.weight));
    }
    for (std::size_t c = 0; c < block_.outputs.size(); ++c) combine(c);
    bound(Op::maximum, block_.low);
    bound(Op::minimum, block_.high);
    for (std::size_t c = 0; c < block_.outputs.size(); ++c) {
      step(Op::store, sum(c, 0), 0, block_.outputs[c].first, Space::destination);
      step(Op::store, sum(c, points_ - 1), 0, block_.outputs[c].second, Space::destination);
    }
    return std::move(kernel_);
  }

 private:
  std::size_t sum(std::size_t output, std::size_t point) const { return output * points_ + point; }

  void step(Op op, std::size_t row, std::uint32_t index = 0, std::uint64_t offset = 0, Space space = Space::memory) {
    kernel_.steps.push_back({op, static_cast<std::uint16_t>(row), index, offset, space});
  }

  std::uint32_t constant(float value) {
    kernel_.constants.push_back(value);
    return static_cast<std::uint32_t>(kernel_.constants.size() - 1);
  }

  /// The first point goes to the first line only, the last to the second only: the bias is in both.
  void start(std::size_t c, std::size_t p) {
    if (p == 0 || p + 1 == points_)
      step(Op::set, sum(c, p), constant(block_.outputs[c].bias));
    else
      step(Op::clear, sum(c, p));
  }

  void combine(std::size_t c) {
    for (std::size_t p = 1; p + 1 < points_; ++p) {
      step(Op::hold, sum(c, p));
      step(Op::add, sum(c, 0));
      step(Op::multiply_add, sum(c, points_ - 1), constant(block_.ending[p]));
    }
  }

  void bound(Op op, float value) {
    if (std::isinf(value)) return;
    step(Op::take, 0, constant(value));
    for (std::size_t c = 0; c < block_.outputs.size(); ++c) {
      step(op, sum(c, 0));
      step(op, sum(c, points_ - 1));
    }
  }

  const LinePairBlock& block_;
  const std::size_t points_;
  Kernel kernel_;
};

}  // namespace

Kernel build(const LinePairBlock& block) { return Builder(block).build(); }

}  // namespace lacuna::kernel
