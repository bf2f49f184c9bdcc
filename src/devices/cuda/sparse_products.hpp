// Products of sparse and dense matrices by NVIDIA's cuSPARSE on a GPU: the peer that layers are measured against. The library is opened when the first one is asked for, and
// nothing else needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "devices/gpu/open.hpp"

namespace lacuna::cuda {

/// A matrix in compressed rows on the device: 32-bit indices from 0, f32 values.
struct SparseOnDevice {
  std::uint32_t rows = 0, columns = 0;
  std::size_t nonzeros = 0;
  gpu::BufferPointer row_begin, column_of, values;
};

class SparseProducts {
 public:
  /// Throws DeviceError where the library is missing (one sentence says how to get it), lacks a function or refuses; Unsupported for a device that is not CUDA's.
  explicit SparseProducts(const gpu::DevicePointer& device);
  ~SparseProducts();
  SparseProducts(const SparseProducts&) = delete;
  SparseProducts& operator=(const SparseProducts&) = delete;

  SparseOnDevice upload(std::uint32_t columns, std::span<const std::uint32_t> row_begin, std::span<const std::uint32_t> column_of, std::span<const float> values);

  /// y = matrix * x, both dense, row by row, `width` floats each. Returns at once.
  void multiply(const SparseOnDevice& matrix, const gpu::BufferPointer& x, const gpu::BufferPointer& y, std::uint32_t width);

  int version() const { return version_; }  ///< 12507: 12.5.7

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  int version_ = 0;
};

}  // namespace lacuna::cuda
