// The first layer of inputs that are on or off, in the form the counting kernels walk: a row's sum is a count of its sources that are on.
// Possible where all weights of the layer are equal, nothing is added row by row, and no later group reads the input again.
#pragma once

#include <optional>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

class CountedLayer {
 public:
  /// Nothing where the first group cannot be counted; `why_not` then says why.
  static std::optional<CountedLayer> of(const rows::SparseRows& rows, std::string* why_not = nullptr);

  /// Whether counting gives, bit by bit, the sums of the table kernel for inputs that are 0 or `value`.
  bool takes(float value) const;

  cpu::CountTable table() const { return {blocks_.data(), sources_.data(), most_sources_ > 63}; }
  cpu::CountEpilogue epilogue(float input) const;
  std::uint32_t rows() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
  std::uint32_t input_planes() const { return input_planes_; }  ///< of bits; one more, all zero, fills up the rows

 private:
  std::vector<std::uint32_t> blocks_{0};
  std::vector<std::uint32_t> sources_;
  std::uint32_t most_sources_ = 0;
  std::uint32_t input_planes_ = 0;
  cpu::CountEpilogue epilogue_;
  Array<float> bias_;
};

}  // namespace lacuna::plan
