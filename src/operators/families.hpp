// What the families of operators offer to the list and to each other, one block for each file.
#pragma once

#include <functional>
#include <utility>

#include "operators/inference.hpp"

namespace lacuna::operators {

// unary.cpp
Infer infer_same, infer_question;
Evaluate relu, leaky_relu, elu, selu, celu, thresholded_relu, shrink, sigmoid, hard_sigmoid, hard_swish, swish, mish, gelu, tanh, softplus, softsign, erf, exp,
    log, sqrt, reciprocal, abs, negate, sign, floor, ceil, round, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, logical_not, bitwise_not,
    is_nan, is_inf;

// binary.cpp
Infer infer_broadcast, infer_comparison, infer_where, infer_prelu, infer_pow, infer_clip;
Evaluate add, subtract, multiply, divide, mod, pow, prelu, minimum, maximum, sum, mean, logical_and, logical_or, logical_xor, bitwise_and, bitwise_or,
    bitwise_xor, equal, less, less_or_equal, greater, greater_or_equal, where, clip;

// reshape.cpp
Infer infer_reshape, infer_flatten, infer_squeeze, infer_unsqueeze, infer_shape_of, infer_size_of, infer_dropout, infer_constant_of_shape;
Evaluate copy_elements, shape_of, size_of_tensor, dropout, constant_of_shape;
/// The axes start..end-1 that Shape tells.
std::pair<std::size_t, std::size_t> shape_range(const Call& call, std::size_t rank);

// move.cpp
Infer infer_transpose, infer_slice, infer_split, infer_concat, infer_expand, infer_tile;
Evaluate transpose, slice, split, concat, expand, tile;

// gather.cpp
Infer infer_gather, infer_gather_elements, infer_gather_nd;
Evaluate gather, gather_elements, gather_nd;
/// The next position in row-major order; after the last comes the first.
void advance_position(std::vector<std::uint32_t>& position, const Shape& shape);

// arrange.cpp
Infer infer_pad, infer_depth_to_space, infer_space_to_depth, infer_trilu;
Evaluate pad, depth_to_space, space_to_depth, trilu;

// scatter.cpp
Infer infer_scatter_nd, infer_scatter_elements;
Evaluate scatter_nd, scatter_elements;

// search.cpp
Infer infer_arg, infer_top_k, infer_non_zero, infer_cum_sum;
Evaluate arg_max, arg_min, top_k, non_zero, cum_sum;

// fill.cpp
Infer infer_range, infer_eye_like, infer_one_hot;
Evaluate range, eye_like, one_hot;

// cast.cpp
Infer infer_cast, infer_cast_like;
Evaluate cast;
ElementType type_of_number(const Call& call, std::int64_t number);  ///< ONNX's TensorProto.DataType

// reduce.cpp
Infer infer_reduce;
Evaluate reduce_sum, reduce_mean, reduce_prod, reduce_l1, reduce_l2, reduce_sum_square, reduce_log_sum, reduce_log_sum_exp, reduce_max, reduce_min;

// pool.cpp
Infer infer_pool, infer_global_pool;
Evaluate max_pool, average_pool, lp_pool, global_average_pool, global_max_pool, global_lp_pool;
std::int64_t product_of(const Integers& extents);

// convolve.cpp
Infer infer_conv;
Evaluate conv;
Shape convolved_shape(const Call& call, const Shape& input, const Shape& weights);
using StorePlane = std::function<void(std::size_t plane, std::size_t channel, const std::vector<double>& sums)>;
/// Gives the sums of every plane of the output, one after another. Integers stay exact up to 2^53.
void convolve_call(const Call& call, const Shape& shape, const Shape& weights_shape, const double* input, const double* weights, StorePlane store);

// matmul.cpp
Infer infer_matmul, infer_gemm;
Evaluate matmul, gemm;
Shape matmul_shape(const Call& call, const Shape& left, const Shape& right);
using StoreRow = std::function<void(std::size_t at, const std::vector<double>& sums)>;
/// Gives the rows of the product, each with the place of its first element in the output.
void multiply_as_doubles(const Call& call, const Shape& left_shape, const Shape& right_shape, const double* left, const double* right, StoreRow store);

// normalise.cpp
Infer infer_softmax, infer_batch_normalization, infer_instance_normalization;
Evaluate softmax, log_softmax, hardmax, batch_normalization, instance_normalization;

// normalise_axes.cpp
Infer infer_layer_normalization, infer_rms_normalization, infer_group_normalization, infer_lrn, infer_lp_normalization, infer_mean_variance;
Evaluate layer_normalization, rms_normalization, group_normalization, lrn, lp_normalization, mean_variance_normalization;

// convolve_transposed.cpp
Infer infer_conv_transpose;
Evaluate conv_transpose;

// resize.cpp
Infer infer_resize;
Evaluate resize;

// suppress.cpp
Infer infer_non_max_suppression;
Evaluate non_max_suppression;

// quantised.cpp
Infer infer_quantize, infer_dequantize, infer_dynamic_quantize, infer_matmul_integer, infer_qlinear_matmul, infer_conv_integer, infer_qlinear_conv;
Evaluate quantize_linear, dequantize_linear, dynamic_quantize_linear, matmul_integer, qlinear_matmul, conv_integer, qlinear_conv;

}  // namespace lacuna::operators
