// Products of matrices, with batches that broadcast. A row of the result is summed in wide accumulators, along the row.
#include <algorithm>

#include "operators/families.hpp"
#include "operators/walk.hpp"

namespace lacuna::operators {
namespace {

/// Shapes as matrices with their batches: a list on the left is a row, on the right a column.
struct Product {
  Shape left_batch, right_batch, batch;
  std::int64_t rows, inner, columns;
  Shape output;
};

Product product_of_shapes(const Call& call, const Shape& left, const Shape& right) {
  const auto misfit = [&] { fail(call, "{} times {}: the last axis on the left and the last but one on the right must be equal", describe(left), describe(right)); };
  if (left.extents.empty() || right.extents.empty()) misfit();
  const bool left_list = left.extents.size() == 1;
  const bool right_list = right.extents.size() == 1;
  Product product;
  product.inner = left.extents.back();
  product.rows = left_list ? 1 : left.extents[left.extents.size() - 2];
  product.columns = right_list ? 1 : right.extents.back();
  if ((right_list ? right.extents[0] : right.extents[right.extents.size() - 2]) != product.inner) misfit();
  if (!left_list) product.left_batch.extents.assign(left.extents.begin(), left.extents.end() - 2);
  if (!right_list) product.right_batch.extents.assign(right.extents.begin(), right.extents.end() - 2);
  const Shape* const batches[] = {&product.left_batch, &product.right_batch};
  product.batch = broadcast(call, batches);
  Integers extents = extents_of(product.batch);
  if (!left_list) extents.push_back(product.rows);
  if (!right_list) extents.push_back(product.columns);
  product.output = make_shape(call, extents);
  return product;
}

/// result = left * right, one matrix each; an element is at row * row_stride + column * column_stride.
template <typename T, typename Store>
void multiply_matrices(const T* left, std::int64_t left_row, std::int64_t left_column, const T* right, std::int64_t right_row, std::int64_t right_column,
                       std::int64_t rows, std::int64_t inner, std::int64_t columns, Store store) {
  using Sum = Summed<T>;
  std::vector<Sum> sums(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::fill(sums.begin(), sums.end(), Sum{0});
    for (std::int64_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<Sum>(static_cast<Computed<T>>(left[row * left_row + k * left_column]));
      const T* const from = right + k * right_row;
      if (right_column == 1)
        for (std::int64_t column = 0; column < columns; ++column)
          sums[static_cast<std::size_t>(column)] += factor * static_cast<Sum>(static_cast<Computed<T>>(from[column]));
      else
        for (std::int64_t column = 0; column < columns; ++column)
          sums[static_cast<std::size_t>(column)] += factor * static_cast<Sum>(static_cast<Computed<T>>(from[column * right_column]));
    }
    store(row, sums);
  }
}

template <typename T, typename StoreMatrix>
void multiply_batches(const Product& product, const T* left, const T* right, StoreMatrix store) {
  Walk<3> walk{extents_of(product.batch),
               {broadcast_strides(product.left_batch, product.batch), broadcast_strides(product.right_batch, product.batch), strides_of(product.batch)}};
  walk.extents.push_back(1);  // a run is one matrix
  for (Integers& strides : walk.strides) strides.push_back(0);
  walk.for_each_run([&](const auto& place) {
    multiply_matrices(left + place[0] * product.rows * product.inner, product.inner, 1, right + place[1] * product.inner * product.columns, product.columns, 1,
                      product.rows, product.inner, product.columns,
                      [&](std::int64_t row, const auto& sums) { store((place[2] * product.rows + row) * product.columns, sums); });
  });
}

struct Gemm {
  bool left_turned, right_turned;
  std::int64_t rows, inner, columns;
};

Gemm gemm_of(const Call& call, const Shape& left, const Shape& right) {
  if (left.extents.size() != 2 || right.extents.size() != 2) fail(call, "{} times {}; expected two matrices", describe(left), describe(right));
  Gemm gemm{flag_attribute(call, "transA", false), flag_attribute(call, "transB", false), 0, 0, 0};
  gemm.rows = left.extents[gemm.left_turned ? 1 : 0];
  gemm.inner = left.extents[gemm.left_turned ? 0 : 1];
  gemm.columns = right.extents[gemm.right_turned ? 0 : 1];
  if (right.extents[gemm.right_turned ? 1 : 0] != gemm.inner)
    fail(call, "{}{} times {}{}: the inner extents differ", describe(left), gemm.left_turned ? " transposed" : "", describe(right), gemm.right_turned ? " transposed" : "");
  return gemm;
}

}  // namespace

Shape matmul_shape(const Call& call, const Shape& left, const Shape& right) { return product_of_shapes(call, left, right).output; }

void multiply_as_doubles(const Call& call, const Shape& left_shape, const Shape& right_shape, const double* left, const double* right, StoreRow store) {
  multiply_batches(product_of_shapes(call, left_shape, right_shape), left, right, [&](std::int64_t at, const std::vector<double>& sums) { store(static_cast<std::size_t>(at), sums); });
}

Signature infer_matmul(const Inference& question) {
  question.check_same_type(1);
  return {question.type(0), matmul_shape(question.call, question.shape(0), question.shape(1))};
}
void matmul(const Evaluation& job) {
  const Product product = product_of_shapes(job.call, job.shape(0), job.shape(1));
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    multiply_batches(product, job.in<T>(0), job.in<T>(1), [&](std::int64_t at, const auto& sums) {
      for (std::size_t k = 0; k < sums.size(); ++k) job.out<T>()[static_cast<std::size_t>(at) + k] = static_cast<T>(sums[k]);
    });
  });
}

Signature infer_gemm(const Inference& question) {
  question.check_same_type(1);
  const Gemm gemm = gemm_of(question.call, question.shape(0), question.shape(1));
  const Shape shape = make_shape(question.call, Integers{gemm.rows, gemm.columns});
  if (question.has(2)) {
    const Shape* const both[] = {&shape, &question.shape(2)};
    if (broadcast(question.call, both) != shape) fail(question.call, "an addend of {} does not broadcast to {}", describe(question.shape(2)), describe(shape));
  }
  return {question.type(0), shape};
}
void gemm(const Evaluation& job) {
  const Gemm gemm = gemm_of(job.call, job.shape(0), job.shape(1));
  const double alpha = number_attribute(job.call, "alpha", 1);
  const double beta = number_attribute(job.call, "beta", 1);
  const Integers steps = job.has(2) ? broadcast_strides(job.shape(2), job.signature.shape) : Integers{0, 0};
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t left_row = gemm.left_turned ? 1 : gemm.inner;
    const std::int64_t left_column = gemm.left_turned ? gemm.rows : 1;
    const std::int64_t right_row = gemm.right_turned ? 1 : gemm.columns;
    const std::int64_t right_column = gemm.right_turned ? gemm.inner : 1;
    multiply_matrices(job.in<T>(0), left_row, left_column, job.in<T>(1), right_row, right_column, gemm.rows, gemm.inner, gemm.columns,
                      [&](std::int64_t row, const auto& sums) {
                        for (std::size_t k = 0; k < sums.size(); ++k) {
                          T& out = job.out<T>()[static_cast<std::size_t>(row) * sums.size() + k];
                          const auto addend = job.has(2) ? static_cast<Computed<T>>(job.in<T>(2)[row * steps[0] + static_cast<std::int64_t>(k) * steps[1]]) : Computed<T>{0};
                          if constexpr (is_float<T>) {
                            out = static_cast<T>(alpha * sums[k] + beta * static_cast<double>(addend));
                          } else {
                            const auto sum = static_cast<T>(sums[k]);
                            const bool plain = alpha == 1 && beta == 1;
                            out = plain ? static_cast<T>(sums[k] + static_cast<std::uint64_t>(addend))
                                        : saturated<T>(alpha * static_cast<double>(sum) + beta * static_cast<double>(addend));
                          }
                        }
                      });
  });
}

}  // namespace lacuna::operators
