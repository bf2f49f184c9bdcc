// Dense layers by libraries of a GPU's maker: cuDNN for convolutions and cuBLAS for products, where the device is CUDA's and they are installed. They multiply all weights, zeros too;
// bias, skip connection and activation come after, in a kernel of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "devices/gpu/open.hpp"

namespace lacuna::gpu {

/// Element (n, c, y, x) is float number origin + n * image + c * channel + y * row + x of its buffer.
struct DensePlanes {
  std::uint32_t images = 1, channels = 1, height = 1, width = 1;
  std::size_t origin = 0, image = 0, channel = 0, row = 0;

  std::size_t floats() const { return origin + (images - std::size_t{1}) * image + (channels - std::size_t{1}) * channel + (height - std::size_t{1}) * row + width; }  ///< of the buffer, at least
};

/// Weights stand side by side: {output channels, channels of a group, kernel_y, kernel_x}. The same padding above and below, left and right.
struct DenseConv {
  DensePlanes source, output;
  std::uint32_t groups = 1;
  std::uint32_t kernel_y = 1, kernel_x = 1, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1, pad_y = 0, pad_x = 0;

  std::size_t weights() const { return std::size_t{output.channels} * (source.channels / groups) * kernel_y * kernel_x; }
};

/// output[n, k] = sum over c of weights[k, c] * source[n, c]; weights {outputs, inputs} stand side by side, the others row by row.
struct DenseProduct {
  struct Rows {
    std::size_t origin = 0, stride = 0;  ///< in floats
  };
  std::uint32_t images = 1, inputs = 1, outputs = 1;
  Rows source, output;
};

using DenseLayer = std::variant<DenseConv, DenseProduct>;

/// A layer that a library was prepared for. Keeps the library.
class DenseWork {
 public:
  virtual ~DenseWork() = default;
  /// Returns at once. Not while work is recorded.
  virtual void run(const BufferPointer& source, const BufferPointer& weights, const BufferPointer& output) = 0;
};

class DenseConvs {
 public:
  virtual ~DenseConvs() = default;
  virtual const std::string& name() const = 0;  ///< "cuDNN 9.1.0"
  /// Throws Unsupported where the library has no algorithm for it in f32.
  virtual std::unique_ptr<DenseWork> prepare(const DenseConv& conv) = 0;
};

class DenseProducts {
 public:
  virtual ~DenseProducts() = default;
  virtual const std::string& name() const = 0;  ///< "cuBLAS 12.4.5"
  virtual std::unique_ptr<DenseWork> prepare(const DenseProduct& product) = 0;
};

/// Throw DeviceError where the library is missing (one sentence says how to get it), lacks an entry or refuses; Unsupported for a device that has none.
std::shared_ptr<DenseConvs> open_dense_convs(const DevicePointer& device);
std::shared_ptr<DenseProducts> open_dense_products(const DevicePointer& device);

}  // namespace lacuna::gpu
