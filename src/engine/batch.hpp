// The inputs of a run, sparse, bits or dense, seen the same way: how many, how wide, and how to lay some of them on planes.
#pragma once

#include <cstddef>

#include <lacuna/bit_matrix.hpp>
#include <lacuna/tensor.hpp>

#include "engine/bit_planes.hpp"

namespace lacuna::engine {

class Batch {
 public:
  explicit Batch(const SparseMatrix& inputs) : sparse_(&inputs) {}
  explicit Batch(const BitMatrix& inputs) : bits_(&inputs) {}
  explicit Batch(const Tensor& inputs) : dense_(&inputs) {}

  std::size_t size() const { return bits_ != nullptr ? bits_->rows : sparse_ != nullptr ? sparse_->rows : dense_->rows(); }
  std::size_t width() const { return bits_ != nullptr ? bits_->columns : sparse_ != nullptr ? sparse_->columns : dense_->row_size(); }

  const BitMatrix* bits() const { return bits_; }  ///< null: they are not given as bits

  /// Every value is 0 or one_value().
  bool is_on_or_off() const { return bits_ != nullptr || (sparse_ != nullptr && sparse_->has_one_value()); }
  float one_value() const { return bits_ != nullptr ? bits_->value : sparse_->values.empty() ? 0.0f : sparse_->values[0]; }

  /// Writes inputs [first, first + count) to lanes 0..count-1 of `planes`; the other lanes become zero.
  void fill(float* planes, unsigned lanes, std::size_t first, std::size_t count) const;

  /// Lays inputs [first, first + count) as bits. Needs: is_on_or_off.
  void lay(BitPlanes& planes, std::size_t first, std::size_t count, const cpu::Kernels& kernels) const;

 private:
  const SparseMatrix* sparse_ = nullptr;
  const BitMatrix* bits_ = nullptr;
  const Tensor* dense_ = nullptr;
};

}  // namespace lacuna::engine
