// Tensor: dense float32 values in row-major order, and its .npy file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace lacuna {

struct Tensor {
  std::vector<std::size_t> shape;  ///< shape[0] is the batch
  std::vector<float> values;

  std::size_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::size_t row_size() const { return rows() == 0 ? 0 : values.size() / rows(); }
};

/// Reads NumPy's .npy (float32, float64, integers and bool, C order) or MNIST's .idx (unsigned bytes; plain, .gz or .zst;
/// images are scaled to [0, 1], labels are not).
Tensor load_tensor(const std::filesystem::path& file);

/// Writes .npy version 1.0, float32: to a temporary file first, then renamed.
void save_tensor(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace lacuna
