// A node on its way from the file's operator set to the form of the newest: its attributes as a Call, its inputs as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/network.hpp>

#include "frontends/onnx/builder.hpp"
#include "frontends/onnx/proto.hpp"

namespace lacuna::frontends::onnx {

struct Node {
  const NodeProto& proto;
  std::int64_t operator_set = 0;
  Call call;
  std::vector<ValueId> inputs;
  std::vector<std::string_view> outputs;  ///< of those nobody reads the name is empty

  /// The input at `position`, or no_value.
  ValueId input(std::size_t position) const { return position < inputs.size() ? inputs[position] : no_value; }
  void set_input(std::size_t position, ValueId id) {
    if (inputs.size() <= position) inputs.resize(position + 1, no_value);
    inputs[position] = id;
  }
  /// Throws InputError when it is missing.
  ValueId required(std::size_t position) const;

  bool has(std::string_view attribute) const;
  void erase(std::string_view attribute);
  void set(std::string_view attribute, Attribute value);

  // Throw InputError when the attribute is of another kind.
  std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  float number(std::string_view attribute, float otherwise) const;
  std::string text(std::string_view attribute, std::string_view otherwise) const;
  std::vector<std::int64_t> integers(std::string_view attribute) const;  ///< empty if there is none
  std::vector<float> numbers(std::string_view attribute) const;

  /// The names of values made on the way.
  std::string name_of_part(std::string_view part) const;
};

/// `axis` counted from the end where it is negative. Throws InputError unless it is one of `rank`, or `rank` itself where that is allowed.
std::size_t resolve_axis(std::int64_t axis, std::size_t rank, bool may_be_end = false);

/// How the operators of the file become those of the newest set. Gives true if it has defined the outputs itself; else the node, as changed, is to be emitted.
bool bring_into_form(Builder& builder, Node& node);

// The rules, by what they are about; each gives what bring_into_form gives.
using Rule = bool (*)(Builder& builder, Node& node);
Rule find_rule(std::string_view operation);
Rule find_microsoft_rule(std::string_view operation);

bool form_conv(Builder& builder, Node& node);
bool form_fused_conv(Builder& builder, Node& node);
bool form_conv_transpose(Builder& builder, Node& node);
bool form_pool(Builder& builder, Node& node);
bool form_gemm(Builder& builder, Node& node);
bool form_matmul(Builder& builder, Node& node);
bool form_qlinear_conv(Builder& builder, Node& node);
bool form_qlinear_matmul(Builder& builder, Node& node);
bool form_qgemm(Builder& builder, Node& node);
bool form_qlinear_binary(Builder& builder, Node& node);
bool form_qlinear_unary(Builder& builder, Node& node);
bool form_qlinear_concat(Builder& builder, Node& node);
bool form_resize(Builder& builder, Node& node);
bool form_upsample(Builder& builder, Node& node);
bool form_softmax(Builder& builder, Node& node);
bool form_batch_normalization(Builder& builder, Node& node);
bool form_group_normalization(Builder& builder, Node& node);
bool form_recurrent(Builder& builder, Node& node);
bool form_grid_sample(Builder& builder, Node& node);
bool form_shape(Builder& builder, Node& node);
bool form_size(Builder& builder, Node& node);
bool form_constant_of_shape(Builder& builder, Node& node);
bool form_cast_like(Builder& builder, Node& node);
bool form_reshape(Builder& builder, Node& node);
bool form_split(Builder& builder, Node& node);
bool form_identity(Builder& builder, Node& node);
bool form_dropout(Builder& builder, Node& node);
bool form_scatter(Builder& builder, Node& node);
bool form_control_flow(Builder& builder, Node& node);

/// Attributes of older operator sets that are inputs now.
void move_attributes_to_inputs(Builder& builder, Node& node);

}  // namespace lacuna::frontends::onnx
