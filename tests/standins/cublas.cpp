// Stands in for NVIDIA's cuBLAS in the tests: the same entry points with the types of its public header. It refuses what would not be plain f32, and strides that the real one refuses.
#include "standin.hpp"

namespace {

using standin::is_to_fail;
using standin::read;
using standin::write;

enum Status { success = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15 };
enum Operation { as_it_is = 0, transposed = 1 };
constexpr int pedantic = 2;

struct Context {
  void* stream = nullptr;
  int math = 0;
};

/// Column by column.
struct Matrix {
  std::vector<float> values;
  std::size_t stride;

  Matrix(int columns, int stride_of) : values(static_cast<std::size_t>(columns) * static_cast<std::size_t>(stride_of)), stride(static_cast<std::size_t>(stride_of)) {}
  float& at(int row, int column) { return values[static_cast<std::size_t>(column) * stride + static_cast<std::size_t>(row)]; }
  /// What is behind the last element belongs to others.
  void end_at(int rows) { values.resize(values.size() - stride + static_cast<std::size_t>(rows)); }
};

}  // namespace

EXPORT int lacuna_computes_on_simulated_memory() { return standin::objects; }

EXPORT Status cublasCreate_v2(Context** context) {
  if (is_to_fail("cublasCreate_v2")) return not_initialized;
  standin::create(context);
  return success;
}
EXPORT Status cublasDestroy_v2(Context* context) {
  standin::destroy(context);
  return success;
}
EXPORT Status cublasGetVersion_v2(Context*, int* version) {
  *version = 120405;
  return is_to_fail("cublasGetVersion_v2") ? invalid_value : success;
}
EXPORT Status cublasSetStream_v2(Context* context, void* stream) {
  context->stream = stream;
  return is_to_fail("cublasSetStream_v2") ? invalid_value : success;
}
EXPORT Status cublasSetMathMode(Context* context, int math) {
  context->math = math;
  return is_to_fail("cublasSetMathMode") ? invalid_value : success;
}
EXPORT const char* cublasGetStatusName(Status status) {
  return status == execution_failed ? "CUBLAS_STATUS_EXECUTION_FAILED" : status == not_initialized ? "CUBLAS_STATUS_NOT_INITIALIZED" : "CUBLAS_STATUS_INVALID_VALUE";
}
EXPORT const char* cublasGetStatusString(Status status) { return status == execution_failed ? "the function failed to launch on the GPU" : "an unsupported value or parameter"; }

EXPORT Status cublasSgemm_v2(Context* context, Operation a_is, Operation b_is, int rows, int columns, int inner, const float* alpha, std::uint64_t a_at, int a_stride, std::uint64_t b_at, int b_stride,
                             const float* beta, std::uint64_t c_at, int c_stride) {
  if (context == nullptr) return not_initialized;
  if (context->math != pedantic) return not_supported;
  const int a_rows = a_is == transposed ? inner : rows, a_columns = a_is == transposed ? rows : inner;
  const int b_rows = b_is == transposed ? columns : inner, b_columns = b_is == transposed ? inner : columns;
  if (rows < 1 || columns < 1 || inner < 1 || a_stride < a_rows || b_stride < b_rows || c_stride < rows || alpha == nullptr || beta == nullptr) return invalid_value;
  if (is_to_fail("cublasSgemm_v2")) return execution_failed;
  Matrix a(a_columns, a_stride), b(b_columns, b_stride), c(columns, c_stride);
  a.end_at(a_rows), b.end_at(b_rows), c.end_at(rows);
  if (!read(a.values, a_at, context->stream) || !read(b.values, b_at, context->stream) || !read(c.values, c_at, context->stream)) return execution_failed;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += (a_is == transposed ? a.at(k, row) : a.at(row, k)) * (b_is == transposed ? b.at(column, k) : b.at(k, column));
      c.at(row, column) = *alpha * sum + (*beta == 0 ? 0 : *beta * c.at(row, column));
    }
  return write(c.values, c_at, context->stream) ? success : execution_failed;
}
