// The part of NVIDIA's cuSPARSE that Lacuna calls, as its public reference describes it (generic API, CUDA 11.4 and later; checked against the header of CUDA 13), so that
// no CUDA header is needed to build. Filled from a library at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "devices/cuda/driver_api.hpp"

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

template <typename Function>
struct SparseEntry {
  const char* name;
  Function* function = nullptr;
};

struct SparseApi {
  SparseEntry<SparseStatus(SparseHandle*)> create{"cusparseCreate"};
  SparseEntry<SparseStatus(SparseHandle)> destroy{"cusparseDestroy"};
  SparseEntry<SparseStatus(SparseHandle, int* version)> version{"cusparseGetVersion"};
  SparseEntry<SparseStatus(SparseHandle, StreamHandle)> set_stream{"cusparseSetStream"};
  SparseEntry<const char*(SparseStatus)> status_name{"cusparseGetErrorName"};
  SparseEntry<const char*(SparseStatus)> status_text{"cusparseGetErrorString"};
  SparseEntry<SparseStatus(SparseMatrixHandle*, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, DeviceAddress row_begin, DeviceAddress column_of, DeviceAddress values,
                           SparseIndex row_type, SparseIndex column_type, SparseBase, DataType)>
      create_rows{"cusparseCreateCsr"};
  SparseEntry<SparseStatus(DenseMatrixHandle*, std::int64_t rows, std::int64_t columns, std::int64_t stride, DeviceAddress values, DataType, SparseOrder)> create_dense{"cusparseCreateDnMat"};
  SparseEntry<SparseStatus(SparseMatrixHandle)> destroy_rows{"cusparseDestroySpMat"};
  SparseEntry<SparseStatus(DenseMatrixHandle)> destroy_dense{"cusparseDestroyDnMat"};
  SparseEntry<SparseStatus(SparseHandle, SparseOperation, SparseOperation, const void* alpha, SparseMatrixHandle, DenseMatrixHandle, const void* beta, DenseMatrixHandle, DataType,
                           SparseAlgorithm, std::size_t* bytes)>
      product_bytes{"cusparseSpMM_bufferSize"};
  SparseEntry<SparseStatus(SparseHandle, SparseOperation, SparseOperation, const void* alpha, SparseMatrixHandle, DenseMatrixHandle, const void* beta, DenseMatrixHandle, DataType,
                           SparseAlgorithm, DeviceAddress buffer)>
      product{"cusparseSpMM"};

  auto all() { return std::tie(create, destroy, version, set_stream, status_name, status_text, create_rows, create_dense, destroy_rows, destroy_dense, product_bytes, product); }
};

}  // namespace lacuna::cuda
