// The inputs of a run, sparse or dense, seen the same way: how many, how wide, and how to lay some of them on planes.
#pragma once

#include <cstddef>

#include <lacuna/sparse_matrix.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna::engine {

class Batch {
 public:
  explicit Batch(const SparseMatrix& inputs) : sparse_(&inputs) {}
  explicit Batch(const Tensor& inputs) : dense_(&inputs) {}

  std::size_t size() const { return sparse_ != nullptr ? sparse_->rows : dense_->rows(); }
  std::size_t width() const { return sparse_ != nullptr ? sparse_->columns : dense_->row_size(); }

  /// Writes inputs [first, first + count) to lanes 0..count-1 of `planes`; the other lanes become zero.
  void fill(float* planes, unsigned lanes, std::size_t first, std::size_t count) const;

 private:
  const SparseMatrix* sparse_ = nullptr;
  const Tensor* dense_ = nullptr;
};

}  // namespace lacuna::engine
