// The list of operators that need more than a look to take the form of the newest operator set.
#include <algorithm>
#include <iterator>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {
namespace {

struct NamedRule {
  std::string_view operation;
  Rule rule;
};

constexpr NamedRule rules[] = {
    {"AveragePool", form_pool},
    {"BatchNormalization", form_batch_normalization},
    {"CastLike", form_cast_like},
    {"ConstantOfShape", form_constant_of_shape},
    {"Conv", form_conv},
    {"ConvTranspose", form_conv_transpose},
    {"Dropout", form_dropout},
    {"GRU", form_recurrent},
    {"Gemm", form_gemm},
    {"GridSample", form_grid_sample},
    {"GroupNormalization", form_group_normalization},
    {"Hardmax", form_softmax},
    {"Identity", form_identity},
    {"If", form_control_flow},
    {"LSTM", form_recurrent},
    {"LogSoftmax", form_softmax},
    {"Loop", form_control_flow},
    {"LpPool", form_pool},
    {"MatMul", form_matmul},
    {"MaxPool", form_pool},
    {"QLinearConv", form_qlinear_conv},
    {"QLinearMatMul", form_qlinear_matmul},
    {"RNN", form_recurrent},
    {"Reshape", form_reshape},
    {"Resize", form_resize},
    {"Scan", form_control_flow},
    {"Scatter", form_scatter},
    {"Shape", form_shape},
    {"Size", form_size},
    {"Softmax", form_softmax},
    {"Split", form_split},
    {"Upsample", form_upsample},
};

constexpr NamedRule microsoft_rules[] = {
    {"FusedConv", form_fused_conv},
    {"QGemm", form_qgemm},
    {"QLinearAdd", form_qlinear_binary},
    {"QLinearAveragePool", form_qlinear_unary},
    {"QLinearConcat", form_qlinear_concat},
    {"QLinearGlobalAveragePool", form_qlinear_unary},
    {"QLinearLeakyRelu", form_qlinear_unary},
    {"QLinearMul", form_qlinear_binary},
    {"QLinearSigmoid", form_qlinear_unary},
};

Rule find(std::string_view operation, const NamedRule* begin, const NamedRule* end) {
  const auto* found = std::find_if(begin, end, [&](const NamedRule& entry) { return entry.operation == operation; });
  return found == end ? nullptr : found->rule;
}

}  // namespace

Rule find_rule(std::string_view operation) { return find(operation, std::begin(rules), std::end(rules)); }
Rule find_microsoft_rule(std::string_view operation) { return find(operation, std::begin(microsoft_rules), std::end(microsoft_rules)); }

}  // namespace lacuna::frontends::onnx
