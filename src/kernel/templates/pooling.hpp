// Template "pooling": the largest or the average of a window of each plane.
//
//   y[n, c, i, j] = largest or average of x[n, c, i * stride_y - pad_y + u, j * stride_x - pad_x + v]      u, v in the window and on the plane
//
// A thread owns an output pixel. Windows that are whole planes (`is_whole`) have a block each instead, whose threads meet in shared memory.
#pragma once

#include <string>

#include "kernel/templates/pixel_grid.hpp"

namespace lacuna::kernel {

struct Pooling {
  enum class Kind : std::uint8_t { maximum, average, average_with_padding };

  std::string name;
  Kind kind = Kind::maximum;
  std::uint32_t images = 1, channels = 1;
  std::uint32_t input_height = 1, input_width = 1, height = 1, width = 1;
  std::uint32_t kernel_y = 1, kernel_x = 1, stride_y = 1, stride_x = 1, pad_y = 0, pad_x = 0;
  PixelView input{}, output{};
  std::uint32_t block_threads = 128;

  bool is_whole() const { return height * width == 1 && pad_y + pad_x == 0 && kernel_y == input_height && kernel_x == input_width && kernel_y * kernel_x >= 64; }
  std::uint32_t elements() const { return images * channels * height * width; }
  std::uint32_t blocks() const { return is_whole() ? images * channels : (elements() + block_threads - 1) / block_threads; }
};

/// Parameters: input, output. Needs: every window has a pixel of the plane.
ThreadProgram build(const Pooling& pooling);

}  // namespace lacuna::kernel
