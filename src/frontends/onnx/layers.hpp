// Layers: what a convolution, Gemm or MatMul becomes, and constants as their weights.
#pragma once

#include <string_view>

#include <lacuna/network.hpp>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {

/// The same memory, as floats. Needs: it is aligned to them, as all constants are.
Array<float> as_floats(const Array<std::byte>& bytes);

// Each emits a layer called `name` where the weights are constant, else a Call.
ValueId emit_conv(Builder& builder, Node& node, std::string_view name);
ValueId emit_gemm(Builder& builder, Node& node, std::string_view name);
ValueId emit_matmul(Builder& builder, Node& node, std::string_view name);

}  // namespace lacuna::frontends::onnx
