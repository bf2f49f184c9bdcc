// The part of NVIDIA's cuBLAS that Lacuna calls, as its public reference describes it (CUDA 11.4 and later; checked against the header of CUDA 13). Filled from a library at run time.
#pragma once

#include <array>

#include "devices/cuda/driver_api.hpp"
#include "devices/cuda/vendor_library.hpp"

namespace lacuna::cuda {

enum class BlasStatus : int { success = 0 };  ///< there are more, and the library names them
enum class BlasOperation : int { as_it_is = 0, transposed = 1 };
enum class BlasMath : int { pedantic = 2 };   ///< f32 in every step: no TF32, nothing emulated

using BlasHandle = struct BlasContextObject*;

/// Matrices stand column by column.
struct BlasApi {
  using Handle = BlasHandle;
  VendorEntry<BlasStatus(BlasHandle*)> create{"cublasCreate_v2"};
  VendorEntry<BlasStatus(BlasHandle)> destroy{"cublasDestroy_v2"};
  VendorEntry<BlasStatus(BlasHandle, int* version)> version{"cublasGetVersion_v2"};
  VendorEntry<BlasStatus(BlasHandle, StreamHandle)> set_stream{"cublasSetStream_v2"};
  VendorEntry<BlasStatus(BlasHandle, BlasMath)> set_math{"cublasSetMathMode"};
  VendorEntry<const char*(BlasStatus)> status_name{"cublasGetStatusName"};
  VendorEntry<const char*(BlasStatus)> status_text{"cublasGetStatusString"};
  VendorEntry<BlasStatus(BlasHandle, BlasOperation a_is, BlasOperation b_is, int rows, int columns, int inner, const float* alpha, DeviceAddress a, int a_stride, DeviceAddress b, int b_stride,
                         const float* beta, DeviceAddress c, int c_stride)>
      multiply{"cublasSgemm_v2"};

  auto all() { return std::tie(create, destroy, version, set_stream, set_math, status_name, status_text, multiply); }
  std::string describe(BlasStatus status) const { return fmt::format("{} ({}: {})", status_name.function(status), static_cast<int>(status), status_text.function(status)); }
};

inline constexpr std::array cublas_files{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
inline constexpr VendorLibrary cublas{"cublas",
                                      "LACUNA_CUBLAS_LIBRARY",
                                      cublas_files,
                                      "only dense fully connected layers on GPUs need it",
                                      "install NVIDIA's CUDA libraries (PyPI has them as nvidia-cublas-cu12)",
                                      "the libraries of CUDA 11.4"};

}  // namespace lacuna::cuda
