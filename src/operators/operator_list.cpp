// The one list of operators: name, fewest and most inputs, types of the first input, what its output is like, and what it is.
#include <algorithm>
#include <array>
#include <iterator>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

constexpr Types bytes = types_of(ElementType::i8, ElementType::u8);

constexpr Entry list[] = {
    {"Abs", 1, 1, numbers, infer_same, abs},
    {"Acos", 1, 1, floats, infer_same, acos},
    {"Acosh", 1, 1, floats, infer_same, acosh},
    {"Add", 2, 2, numbers, infer_broadcast, add},
    {"And", 2, 2, booleans, infer_broadcast, logical_and},
    {"ArgMax", 1, 1, numbers, infer_arg, arg_max},
    {"ArgMin", 1, 1, numbers, infer_arg, arg_min},
    {"Asin", 1, 1, floats, infer_same, asin},
    {"Asinh", 1, 1, floats, infer_same, asinh},
    {"Atan", 1, 1, floats, infer_same, atan},
    {"Atanh", 1, 1, floats, infer_same, atanh},
    {"AveragePool", 1, 1, floats, infer_pool, average_pool},
    {"BatchNormalization", 5, 5, floats, infer_batch_normalization, batch_normalization},
    {"BitwiseAnd", 2, 2, integers, infer_broadcast, bitwise_and},
    {"BitwiseNot", 1, 1, integers, infer_same, bitwise_not},
    {"BitwiseOr", 2, 2, integers, infer_broadcast, bitwise_or},
    {"BitwiseXor", 2, 2, integers, infer_broadcast, bitwise_xor},
    {"Cast", 1, 1, all_types, infer_cast, cast},
    {"CastLike", 2, 2, all_types, infer_cast_like, cast},
    {"Ceil", 1, 1, floats, infer_same, ceil},
    {"Celu", 1, 1, floats, infer_same, celu},
    {"Clip", 1, 3, numbers, infer_clip, clip},
    {"Concat", 1, any_number, all_types, infer_concat, concat},
    {"ConstantOfShape", 1, 2, all_types, infer_constant_of_shape, constant_of_shape},
    {"Conv", 2, 3, floats, infer_conv, conv},
    {"ConvInteger", 2, 4, bytes, infer_conv_integer, conv_integer},
    {"ConvTranspose", 2, 3, floats, infer_conv_transpose, conv_transpose},
    {"Cos", 1, 1, floats, infer_same, cos},
    {"Cosh", 1, 1, floats, infer_same, cosh},
    {"CumSum", 2, 2, numbers, infer_cum_sum, cum_sum},
    {"DepthToSpace", 1, 1, all_types, infer_depth_to_space, depth_to_space},
    {"DequantizeLinear", 2, 3, integers, infer_dequantize, dequantize_linear},
    {"Div", 2, 2, numbers, infer_broadcast, divide},
    {"Dropout", 1, 3, all_types, infer_dropout, dropout, 2},
    {"DynamicQuantizeLinear", 1, 1, types_of(ElementType::f32), infer_dynamic_quantize, dynamic_quantize_linear, 3},
    {"Elu", 1, 1, floats, infer_same, elu},
    {"Equal", 2, 2, all_types, infer_comparison, equal},
    {"Erf", 1, 1, numbers, infer_same, erf},
    {"Exp", 1, 1, floats, infer_same, exp},
    {"Expand", 2, 2, all_types, infer_expand, expand},
    {"EyeLike", 1, 1, all_types, infer_eye_like, eye_like},
    {"Flatten", 1, 1, all_types, infer_flatten, copy_elements},
    {"Floor", 1, 1, floats, infer_same, floor},
    {"Gather", 2, 2, all_types, infer_gather, gather},
    {"GatherElements", 2, 2, all_types, infer_gather_elements, gather_elements},
    {"GatherND", 2, 2, all_types, infer_gather_nd, gather_nd},
    {"Gelu", 1, 1, floats, infer_same, gelu},
    {"Gemm", 2, 3, numbers, infer_gemm, gemm},
    {"GlobalAveragePool", 1, 1, floats, infer_global_pool, global_average_pool},
    {"GlobalLpPool", 1, 1, floats, infer_global_pool, global_lp_pool},
    {"GlobalMaxPool", 1, 1, floats, infer_global_pool, global_max_pool},
    {"Greater", 2, 2, numbers, infer_comparison, greater},
    {"GreaterOrEqual", 2, 2, numbers, infer_comparison, greater_or_equal},
    {"GroupNormalization", 3, 3, floats, infer_group_normalization, group_normalization},
    {"HardSigmoid", 1, 1, floats, infer_same, hard_sigmoid},
    {"HardSwish", 1, 1, floats, infer_same, hard_swish},
    {"Hardmax", 1, 1, floats, infer_softmax, hardmax},
    {"Identity", 1, 1, all_types, infer_same, copy_elements},
    {"InstanceNormalization", 3, 3, floats, infer_instance_normalization, instance_normalization},
    {"IsInf", 1, 1, floats, infer_question, is_inf},
    {"IsNaN", 1, 1, floats, infer_question, is_nan},
    {"LRN", 1, 1, floats, infer_lrn, lrn},
    {"LayerNormalization", 2, 3, floats, infer_layer_normalization, layer_normalization, 3},
    {"LeakyRelu", 1, 1, floats, infer_same, leaky_relu},
    {"Less", 2, 2, numbers, infer_comparison, less},
    {"LessOrEqual", 2, 2, numbers, infer_comparison, less_or_equal},
    {"Log", 1, 1, floats, infer_same, log},
    {"LogSoftmax", 1, 1, floats, infer_softmax, log_softmax},
    {"LpNormalization", 1, 1, floats, infer_lp_normalization, lp_normalization},
    {"LpPool", 1, 1, floats, infer_pool, lp_pool},
    {"MatMul", 2, 2, numbers, infer_matmul, matmul},
    {"MatMulInteger", 2, 4, bytes, infer_matmul_integer, matmul_integer},
    {"Max", 1, any_number, numbers, infer_broadcast, maximum},
    {"MaxPool", 1, 1, numbers, infer_pool, max_pool, 2},
    {"Mean", 1, any_number, floats, infer_broadcast, mean},
    {"MeanVarianceNormalization", 1, 1, floats, infer_mean_variance, mean_variance_normalization},
    {"Min", 1, any_number, numbers, infer_broadcast, minimum},
    {"Mish", 1, 1, floats, infer_same, mish},
    {"Mod", 2, 2, numbers, infer_broadcast, mod},
    {"Mul", 2, 2, numbers, infer_broadcast, multiply},
    {"Neg", 1, 1, numbers, infer_same, negate},
    {"NonMaxSuppression", 2, 5, types_of(ElementType::f32), infer_non_max_suppression, non_max_suppression},
    {"NonZero", 1, 1, all_types, infer_non_zero, non_zero},
    {"Not", 1, 1, booleans, infer_same, logical_not},
    {"OneHot", 3, 3, numbers, infer_one_hot, one_hot},
    {"Or", 2, 2, booleans, infer_broadcast, logical_or},
    {"PRelu", 2, 2, numbers, infer_prelu, prelu},
    {"Pad", 2, 4, all_types, infer_pad, pad},
    {"Pow", 2, 2, numbers, infer_pow, pow},
    {"QLinearConv", 8, 9, bytes, infer_qlinear_conv, qlinear_conv},
    {"QLinearMatMul", 8, 8, bytes, infer_qlinear_matmul, qlinear_matmul},
    {"QuantizeLinear", 2, 3, floats | types_of(ElementType::i32), infer_quantize, quantize_linear},
    {"RMSNormalization", 2, 2, floats, infer_rms_normalization, rms_normalization},
    {"Range", 3, 3, numbers, infer_range, range},
    {"Reciprocal", 1, 1, floats, infer_same, reciprocal},
    {"ReduceL1", 1, 2, numbers, infer_reduce, reduce_l1},
    {"ReduceL2", 1, 2, numbers, infer_reduce, reduce_l2},
    {"ReduceLogSum", 1, 2, numbers, infer_reduce, reduce_log_sum},
    {"ReduceLogSumExp", 1, 2, numbers, infer_reduce, reduce_log_sum_exp},
    {"ReduceMax", 1, 2, all_types, infer_reduce, reduce_max},
    {"ReduceMean", 1, 2, numbers, infer_reduce, reduce_mean},
    {"ReduceMin", 1, 2, all_types, infer_reduce, reduce_min},
    {"ReduceProd", 1, 2, numbers, infer_reduce, reduce_prod},
    {"ReduceSum", 1, 2, numbers, infer_reduce, reduce_sum},
    {"ReduceSumSquare", 1, 2, numbers, infer_reduce, reduce_sum_square},
    {"Relu", 1, 1, numbers, infer_same, relu},
    {"Reshape", 2, 2, all_types, infer_reshape, copy_elements},
    {"Resize", 1, 4, all_types, infer_resize, resize},
    {"Round", 1, 1, floats, infer_same, round},
    {"ScatterElements", 3, 3, all_types, infer_scatter_elements, scatter_elements},
    {"ScatterND", 3, 3, all_types, infer_scatter_nd, scatter_nd},
    {"Selu", 1, 1, floats, infer_same, selu},
    {"Shape", 1, 1, all_types, infer_shape_of, shape_of},
    {"Shrink", 1, 1, numbers, infer_same, shrink},
    {"Sigmoid", 1, 1, floats, infer_same, sigmoid},
    {"Sign", 1, 1, numbers, infer_same, sign},
    {"Sin", 1, 1, floats, infer_same, sin},
    {"Sinh", 1, 1, floats, infer_same, sinh},
    {"Size", 1, 1, all_types, infer_size_of, size_of_tensor},
    {"Slice", 3, 5, all_types, infer_slice, slice},
    {"Softmax", 1, 1, floats, infer_softmax, softmax},
    {"Softplus", 1, 1, floats, infer_same, softplus},
    {"Softsign", 1, 1, floats, infer_same, softsign},
    {"SpaceToDepth", 1, 1, all_types, infer_space_to_depth, space_to_depth},
    {"Split", 1, 2, all_types, infer_split, split, any_number},
    {"Sqrt", 1, 1, floats, infer_same, sqrt},
    {"Squeeze", 1, 2, all_types, infer_squeeze, copy_elements},
    {"Sub", 2, 2, numbers, infer_broadcast, subtract},
    {"Sum", 1, any_number, numbers, infer_broadcast, sum},
    {"Swish", 1, 1, floats, infer_same, swish},
    {"Tan", 1, 1, floats, infer_same, tan},
    {"Tanh", 1, 1, floats, infer_same, tanh},
    {"ThresholdedRelu", 1, 1, floats, infer_same, thresholded_relu},
    {"Tile", 2, 2, all_types, infer_tile, tile},
    {"TopK", 2, 2, numbers, infer_top_k, top_k, 2},
    {"Transpose", 1, 1, all_types, infer_transpose, transpose},
    {"Trilu", 1, 2, all_types, infer_trilu, trilu},
    {"Unsqueeze", 2, 2, all_types, infer_unsqueeze, copy_elements},
    {"Where", 3, 3, booleans, infer_where, where},
    {"Xor", 2, 2, booleans, infer_broadcast, logical_xor},
};

constexpr bool ascends() {
  for (std::size_t k = 1; k < std::size(list); ++k)
    if (!(list[k - 1].name < list[k].name)) return false;
  return true;
}
static_assert(ascends(), "the list is searched by halves");

const Entry* find(std::string_view name) {
  const Entry* const entry = std::lower_bound(std::begin(list), std::end(list), name, [](const Entry& e, std::string_view n) { return e.name < n; });
  return entry != std::end(list) && entry->name == name ? entry : nullptr;
}

const Entry& entry_of(const Call& call) {
  if (const Entry* const entry = find(call.name)) return *entry;
  throw Unsupported(fmt::format("the operator {} is not known", call.name));
}

std::string names_of(Types types) {
  std::string names;
  for (unsigned k = 0; k <= static_cast<unsigned>(ElementType::boolean); ++k)
    if (contains(types, static_cast<ElementType>(k))) names += (names.empty() ? "" : ", ") + std::string(name_of(static_cast<ElementType>(k)));
  return names;
}

}  // namespace

std::vector<std::string_view> known_operators() {
  std::vector<std::string_view> names;
  for (const Entry& entry : list) names.push_back(entry.name);
  return names;
}

bool is_known(std::string_view name) { return find(name) != nullptr; }

Signature infer(const Call& call, std::span<const Argument> inputs) {
  const Entry& entry = entry_of(call);
  if (inputs.size() < entry.least_inputs || inputs.size() > entry.most_inputs)
    fail(call, "{} inputs; expected {} to {}", inputs.size(), entry.least_inputs, entry.most_inputs);
  if (call.which_output >= entry.outputs) refuse(call, "output {}; only {} can be computed", call.which_output, entry.outputs);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].is_missing()) {
      if (k < entry.least_inputs) fail(call, "input {} is missing", k);
      continue;
    }
    make_shape(call, extents_of(*inputs[k].shape));  // not too large
    if (inputs[k].constant != nullptr && inputs[k].constant->size() != inputs[k].shape->size() * size_of(inputs[k].type))
      fail(call, "input {} has {} bytes for {} elements of {}", k, inputs[k].constant->size(), inputs[k].shape->size(), name_of(inputs[k].type));
  }
  if (!inputs.empty() && !contains(entry.types, inputs[0].type))
    refuse(call, "elements of {} in its first input; known are {}", name_of(inputs[0].type), names_of(entry.types));
  return entry.infer({call, inputs});
}

void evaluate(const Call& call, std::span<const TensorView> inputs, const Signature& signature, std::byte* output) {
  entry_of(call).evaluate({call, inputs, signature, output});
}

}  // namespace lacuna::operators
