// The part of NVIDIA's cuDNN that Lacuna calls, as its public reference describes it (versions 8 and 9; checked against the header of 9.19). Filled from a library at run time.
#pragma once

#include <array>
#include <cstddef>

#include "devices/cuda/driver_api.hpp"
#include "devices/cuda/vendor_library.hpp"

namespace lacuna::cuda {

enum class DnnStatus : int { success = 0 };  ///< there are more, and the library names them; the numbers are others in 8 and 9
enum class DnnType : int { f32 = 0 };
enum class DnnOrder : int { channels_first = 0 };
enum class DnnConvMode : int { cross_correlation = 1 };  ///< what networks call a convolution: the window is not turned
enum class DnnMath : int { any = 0, f32_only = 3 };      ///< f32_only: no TF32, no tensor cores
enum class DnnDeterminism : int { none = 0, same_bits = 1 };
enum class DnnAlgorithm : int {};                        ///< the library's to choose

using DnnHandle = struct DnnContextObject*;
using DnnTensor = struct DnnTensorObject*;
using DnnFilter = struct DnnFilterObject*;
using DnnConv = struct DnnConvObject*;

/// What the library expects of an algorithm; laid out as in its header.
struct DnnExpected {
  DnnAlgorithm algorithm{};
  DnnStatus status{};
  float milliseconds = 0;
  std::size_t work_bytes = 0;
  DnnDeterminism determinism{};
  DnnMath math{};
  std::array<int, 3> reserved{};
};
static_assert(sizeof(DnnExpected) == 48 && offsetof(DnnExpected, work_bytes) == 16 && offsetof(DnnExpected, math) == 28);

struct DnnApi {
  using Handle = DnnHandle;
  VendorEntry<DnnStatus(DnnHandle*)> create{"cudnnCreate"};
  VendorEntry<DnnStatus(DnnHandle)> destroy{"cudnnDestroy"};
  VendorEntry<std::size_t()> version{"cudnnGetVersion"};
  VendorEntry<DnnStatus(DnnHandle, StreamHandle)> set_stream{"cudnnSetStream"};
  VendorEntry<const char*(DnnStatus)> status_name{"cudnnGetErrorString"};
  VendorEntry<DnnStatus(DnnTensor*)> create_tensor{"cudnnCreateTensorDescriptor"};
  VendorEntry<DnnStatus(DnnTensor)> destroy_tensor{"cudnnDestroyTensorDescriptor"};
  VendorEntry<DnnStatus(DnnTensor, DnnType, int images, int channels, int height, int width, int image_stride, int channel_stride, int row_stride, int column_stride)> set_tensor{
      "cudnnSetTensor4dDescriptorEx"};
  VendorEntry<DnnStatus(DnnFilter*)> create_filter{"cudnnCreateFilterDescriptor"};
  VendorEntry<DnnStatus(DnnFilter)> destroy_filter{"cudnnDestroyFilterDescriptor"};
  VendorEntry<DnnStatus(DnnFilter, DnnType, DnnOrder, int outputs, int group_channels, int height, int width)> set_filter{"cudnnSetFilter4dDescriptor"};
  VendorEntry<DnnStatus(DnnConv*)> create_conv{"cudnnCreateConvolutionDescriptor"};
  VendorEntry<DnnStatus(DnnConv)> destroy_conv{"cudnnDestroyConvolutionDescriptor"};
  VendorEntry<DnnStatus(DnnConv, int pad_y, int pad_x, int stride_y, int stride_x, int dilation_y, int dilation_x, DnnConvMode, DnnType)> set_conv{"cudnnSetConvolution2dDescriptor"};
  VendorEntry<DnnStatus(DnnConv, int groups)> set_groups{"cudnnSetConvolutionGroupCount"};
  VendorEntry<DnnStatus(DnnConv, DnnMath)> set_math{"cudnnSetConvolutionMathType"};
  VendorEntry<DnnStatus(DnnHandle, DnnTensor source, DnnFilter, DnnConv, DnnTensor output, int wanted, int* given, DnnExpected*)> algorithms{"cudnnGetConvolutionForwardAlgorithm_v7"};
  VendorEntry<DnnStatus(DnnHandle, DnnTensor source, DnnFilter, DnnConv, DnnTensor output, DnnAlgorithm, std::size_t* bytes)> work_bytes{"cudnnGetConvolutionForwardWorkspaceSize"};
  VendorEntry<DnnStatus(DnnHandle, const void* alpha, DnnTensor, DeviceAddress source, DnnFilter, DeviceAddress weights, DnnConv, DnnAlgorithm, DeviceAddress work, std::size_t work_bytes,
                        const void* beta, DnnTensor, DeviceAddress output)>
      convolve{"cudnnConvolutionForward"};

  auto all() {
    return std::tie(create, destroy, version, set_stream, status_name, create_tensor, destroy_tensor, set_tensor, create_filter, destroy_filter, set_filter, create_conv, destroy_conv, set_conv,
                    set_groups, set_math, algorithms, work_bytes, convolve);
  }
  std::string describe(DnnStatus status) const { return fmt::format("{} ({})", status_name.function(status), static_cast<int>(status)); }
};

inline constexpr std::array cudnn_files{"libcudnn.so.9", "libcudnn.so.8"};
inline constexpr VendorLibrary cudnn{"cudnn",           "LACUNA_CUDNN_LIBRARY",
                                     cudnn_files,       "only dense convolutions on GPUs need it",
                                     "install NVIDIA's cuDNN (PyPI has it as nvidia-cudnn-cu12)", "cuDNN 8"};

}  // namespace lacuna::cuda
