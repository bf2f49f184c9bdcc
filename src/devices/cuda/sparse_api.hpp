// The part of NVIDIA's cuSPARSE that Lacuna calls, as its public reference describes it (generic API, CUDA 11.4 and later; checked against the header of CUDA 13), so that
// no CUDA header is needed to build. Filled from a library at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/cuda/driver_api.hpp"
#include "devices/cuda/vendor_library.hpp"

namespace lacuna::cuda {

enum class SparseStatus : int { success = 0 };  ///< there are more, and the library names them
enum class SparseOperation : int { as_it_is = 0 };
enum class SparseIndex : int { i32 = 2 };
enum class SparseBase : int { zero = 0 };
enum class SparseOrder : int { row_by_row = 2 };
enum class SparseAlgorithm : int { automatic = 0 };
enum class DataType : int { f32 = 0 };

using SparseHandle = struct SparseContextObject*;
using SparseMatrixHandle = struct SparseMatrixObject*;
using DenseMatrixHandle = struct DenseMatrixObject*;

struct SparseApi {
  using Handle = SparseHandle;
  VendorEntry<SparseStatus(SparseHandle*)> create{"cusparseCreate"};
  VendorEntry<SparseStatus(SparseHandle)> destroy{"cusparseDestroy"};
  VendorEntry<SparseStatus(SparseHandle, int* version)> version{"cusparseGetVersion"};
  VendorEntry<SparseStatus(SparseHandle, StreamHandle)> set_stream{"cusparseSetStream"};
  VendorEntry<const char*(SparseStatus)> status_name{"cusparseGetErrorName"};
  VendorEntry<const char*(SparseStatus)> status_text{"cusparseGetErrorString"};
  VendorEntry<SparseStatus(SparseMatrixHandle*, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, DeviceAddress row_begin, DeviceAddress column_of, DeviceAddress values,
                           SparseIndex row_type, SparseIndex column_type, SparseBase, DataType)>
      create_rows{"cusparseCreateCsr"};
  VendorEntry<SparseStatus(DenseMatrixHandle*, std::int64_t rows, std::int64_t columns, std::int64_t stride, DeviceAddress values, DataType, SparseOrder)> create_dense{"cusparseCreateDnMat"};
  VendorEntry<SparseStatus(SparseMatrixHandle)> destroy_rows{"cusparseDestroySpMat"};
  VendorEntry<SparseStatus(DenseMatrixHandle)> destroy_dense{"cusparseDestroyDnMat"};
  VendorEntry<SparseStatus(SparseHandle, SparseOperation, SparseOperation, const void* alpha, SparseMatrixHandle, DenseMatrixHandle, const void* beta, DenseMatrixHandle, DataType,
                           SparseAlgorithm, std::size_t* bytes)>
      product_bytes{"cusparseSpMM_bufferSize"};
  VendorEntry<SparseStatus(SparseHandle, SparseOperation, SparseOperation, const void* alpha, SparseMatrixHandle, DenseMatrixHandle, const void* beta, DenseMatrixHandle, DataType,
                           SparseAlgorithm, DeviceAddress buffer)>
      product{"cusparseSpMM"};

  auto all() { return std::tie(create, destroy, version, set_stream, status_name, status_text, create_rows, create_dense, destroy_rows, destroy_dense, product_bytes, product); }
  std::string describe(SparseStatus status) const { return fmt::format("{} ({}: {})", status_name.function(status), static_cast<int>(status), status_text.function(status)); }
};

inline constexpr std::array cusparse_files{"libcusparse.so.12", "libcusparse.so.11"};  // CUDA 13 has .12 too
inline constexpr VendorLibrary cusparse{"cusparse",
                                        "LACUNA_CUSPARSE_LIBRARY",
                                        cusparse_files,
                                        "only the comparison with it needs it",
                                        "install NVIDIA's CUDA libraries (PyPI has them as nvidia-cusparse-cu12)",
                                        "the libraries of CUDA 11.4"};

}  // namespace lacuna::cuda
