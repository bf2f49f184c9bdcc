// One convolution by Lacuna's sparse kernels and by NVIDIA's cuDNN, which multiplies all weights.
#pragma once

#include <cstdint>
#include <string>

namespace peers {

struct ConvCase {
  std::uint32_t images = 1, inputs = 64, outputs = 64, extent = 56, window = 3;  ///< padded so that the extent stays
  double sparsity = 0.9;
};

/// Prints a line for each. Gives 1 where an answer is wrong.
int compare_conv(const std::string& device, const ConvCase& wanted);

}  // namespace peers
