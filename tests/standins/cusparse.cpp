// Stands in for NVIDIA's cuSPARSE in the tests: the same entry points with the types of its public header. It refuses whatever the real one would read differently from how it is meant, so that a wrong
// layout, order or type is found here.
#include <cstring>

#include "standin.hpp"

namespace {

using standin::is_to_fail;
using standin::read;
using standin::write;

enum Status { success = 0, not_initialized = 1, invalid_value = 3, execution_failed = 6, not_supported = 10 };

struct Context {
  void* stream = nullptr;
};
struct SparseMatrix {
  std::int64_t rows, columns, nonzeros;
  std::uint64_t row_begin, column_of, values;
};
struct DenseMatrix {
  std::int64_t rows, columns, stride;
  std::uint64_t values;
};

constexpr std::size_t work_bytes = 256;
constexpr int index_i32 = 2, base_zero = 0, data_f32 = 0, row_by_row = 2, as_it_is = 0;

Status check_product(const Context* context, int a, int b, const void* alpha, const SparseMatrix* matrix, const DenseMatrix* x, const void* beta, const DenseMatrix* y, int compute_type) {
  if (context == nullptr) return not_initialized;
  if (alpha == nullptr || beta == nullptr || matrix == nullptr || x == nullptr || y == nullptr) return invalid_value;
  if (a != as_it_is || b != as_it_is || compute_type != data_f32) return not_supported;
  if (matrix->columns != x->rows || matrix->rows != y->rows || x->columns != y->columns) return invalid_value;
  return success;
}

}  // namespace

EXPORT int lacuna_computes_on_simulated_memory() { return standin::objects; }

EXPORT Status cusparseCreate(Context** context) {
  if (is_to_fail("cusparseCreate")) return not_initialized;
  standin::create(context);
  return success;
}
EXPORT Status cusparseDestroy(Context* context) {
  standin::destroy(context);
  return success;
}
EXPORT Status cusparseGetVersion(Context*, int* version) {
  *version = 12507;
  return is_to_fail("cusparseGetVersion") ? invalid_value : success;
}
EXPORT Status cusparseSetStream(Context* context, void* stream) {
  context->stream = stream;
  return success;
}
EXPORT const char* cusparseGetErrorName(Status status) { return status == execution_failed ? "CUSPARSE_STATUS_EXECUTION_FAILED" : status == not_initialized ? "CUSPARSE_STATUS_NOT_INITIALIZED" : "CUSPARSE_STATUS_INVALID_VALUE"; }
EXPORT const char* cusparseGetErrorString(Status status) { return status == execution_failed ? "execution failed" : status == not_initialized ? "initialization error" : "invalid value"; }

EXPORT Status cusparseCreateCsr(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, std::uint64_t row_begin, std::uint64_t column_of, std::uint64_t values,
                                int row_type, int column_type, int base, int value_type) {
  if (row_type != index_i32 || column_type != index_i32 || base != base_zero || value_type != data_f32) return not_supported;
  standin::create(matrix, SparseMatrix{rows, columns, nonzeros, row_begin, column_of, values});
  return success;
}
EXPORT Status cusparseCreateDnMat(DenseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stride, std::uint64_t values, int value_type, int order) {
  if (value_type != data_f32 || order != row_by_row || stride < columns) return invalid_value;
  standin::create(matrix, DenseMatrix{rows, columns, stride, values});
  return success;
}
EXPORT Status cusparseDestroySpMat(SparseMatrix* matrix) {
  standin::destroy(matrix);
  return success;
}
EXPORT Status cusparseDestroyDnMat(DenseMatrix* matrix) {
  standin::destroy(matrix);
  return success;
}

EXPORT Status cusparseSpMM_bufferSize(Context* context, int a, int b, const void* alpha, SparseMatrix* matrix, DenseMatrix* x, const void* beta, DenseMatrix* y, int compute_type, int,
                                      std::size_t* bytes) {
  *bytes = work_bytes;
  return check_product(context, a, b, alpha, matrix, x, beta, y, compute_type);
}

EXPORT Status cusparseSpMM(Context* context, int a, int b, const void* alpha, SparseMatrix* matrix, DenseMatrix* x, const void* beta, DenseMatrix* y, int compute_type, int, std::uint64_t work) {
  if (const Status status = check_product(context, a, b, alpha, matrix, x, beta, y, compute_type); status != success) return status;
  if (is_to_fail("cusparseSpMM")) return execution_failed;
  std::vector<std::byte> of_work(work_bytes);
  std::vector<std::int32_t> row_begin(static_cast<std::size_t>(matrix->rows) + 1), column_of(static_cast<std::size_t>(matrix->nonzeros));
  std::vector<float> values(column_of.size()), from(static_cast<std::size_t>(x->rows * x->stride)), to(static_cast<std::size_t>(y->rows * y->stride));
  const bool is_there = read(of_work, work, context->stream) && read(row_begin, matrix->row_begin, context->stream) && read(column_of, matrix->column_of, context->stream) &&
                        read(values, matrix->values, context->stream) && read(from, x->values, context->stream) && read(to, y->values, context->stream);
  if (!is_there) return execution_failed;
  float times = 0, plus = 0;
  std::memcpy(&times, alpha, sizeof times);
  std::memcpy(&plus, beta, sizeof plus);
  for (std::int64_t row = 0; row < matrix->rows; ++row)
    for (std::int64_t column = 0; column < y->columns; ++column) {
      float sum = 0;
      for (std::int32_t e = row_begin[static_cast<std::size_t>(row)]; e < row_begin[static_cast<std::size_t>(row) + 1]; ++e)
        sum += values[static_cast<std::size_t>(e)] * from[static_cast<std::size_t>(column_of[static_cast<std::size_t>(e)] * x->stride + column)];
      float& place = to[static_cast<std::size_t>(row * y->stride + column)];
      place = times * sum + (plus == 0 ? 0 : plus * place);
    }
  return write(to, y->values, context->stream) ? success : execution_failed;
}
