// Tensor: dense float32 values in row-major order.
#pragma once

#include <cstddef>
#include <vector>

namespace lacuna {

struct Tensor {
  std::vector<std::size_t> shape;  ///< shape[0] is the batch
  std::vector<float> values;

  std::size_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::size_t row_size() const { return rows() == 0 ? 0 : values.size() / rows(); }
};

}  // namespace lacuna
