// Tensors: dense values in row-major order. Tensor is float32, what layered networks take and give; TypedTensor may hold any element type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <lacuna/array.hpp>
#include <lacuna/element_type.hpp>

namespace lacuna {

struct Tensor {
  std::vector<std::size_t> shape;  ///< shape[0] is the batch
  std::vector<float> values;

  std::size_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::size_t row_size() const { return rows() == 0 ? 0 : values.size() / rows(); }
};

/// Copies share the memory; elements do not change once it is made.
struct TypedTensor {
  ElementType type = ElementType::f32;
  std::vector<std::size_t> shape;  ///< empty: one element without axes
  Array<std::byte> bytes;

  std::size_t size() const {
    std::size_t product = 1;
    for (std::size_t extent : shape) product *= extent;
    return product;
  }
  /// The elements. Needs: T is the C++ type of `type`, or as wide as it. Memory must be aligned to T: it is, unless borrowed otherwise.
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// Copies `values` into a tensor of their type.
template <typename T>
TypedTensor make_tensor(std::vector<std::size_t> shape, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {element_type_of<T>, std::move(shape), std::vector<std::byte>(bytes.begin(), bytes.end())};
}

}  // namespace lacuna
