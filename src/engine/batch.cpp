#include "engine/batch.hpp"

#include <algorithm>
#include <bit>

namespace lacuna::engine {
namespace {

template <typename Column>
void scatter(const SparseMatrix& inputs, const Column* columns, std::size_t input, float* lane, unsigned lanes) {
  const std::size_t begin = inputs.row_begin[input];
  const std::size_t end = inputs.row_begin[input + 1];
  if (inputs.has_one_value()) {
    const float value = begin == end ? 0 : inputs.values[0];
    for (std::size_t e = begin; e < end; ++e) lane[std::size_t{columns[e]} * lanes] = value;
  } else {
    for (std::size_t e = begin; e < end; ++e) lane[std::size_t{columns[e]} * lanes] = inputs.values[e];
  }
}

void scatter(const BitMatrix& inputs, std::size_t input, float* lane, unsigned lanes) {
  const std::size_t words = inputs.words_per_row();
  for (std::size_t word = 0; word < words; ++word)
    for (std::uint64_t left = inputs.words[input * words + word]; left != 0; left &= left - 1)
      lane[(word * 64 + static_cast<std::size_t>(std::countr_zero(left))) * lanes] = inputs.value;
}

}  // namespace

void Batch::fill(float* planes, unsigned lanes, std::size_t first, std::size_t count) const {
  std::fill_n(planes, width() * lanes, 0.0f);
  for (std::size_t k = 0; k < count; ++k) {
    if (dense_ != nullptr) {
      const float* row = dense_->values.data() + (first + k) * width();
      for (std::size_t c = 0; c < width(); ++c) planes[c * lanes + k] = row[c];
    } else if (bits_ != nullptr) {
      scatter(*bits_, first + k, planes + k, lanes);
    } else if (sparse_->wide_columns.empty()) {
      scatter(*sparse_, sparse_->narrow_columns.data(), first + k, planes + k, lanes);
    } else {
      scatter(*sparse_, sparse_->wide_columns.data(), first + k, planes + k, lanes);
    }
  }
}

void Batch::lay(BitPlanes& planes, std::size_t first, std::size_t count, const cpu::Kernels& kernels) const {
  if (bits_ != nullptr)
    planes.lay(*bits_, first, count, kernels);
  else
    planes.lay(*sparse_, first, count, kernels);
}

}  // namespace lacuna::engine
