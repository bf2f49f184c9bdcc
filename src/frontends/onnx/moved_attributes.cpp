// Attributes of older operator sets that are inputs in the newest, as a table.
#include <fmt/format.h>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {
namespace {

enum class Becomes { list, scalar, like_data };  ///< int64 list, int64 scalar in a list of one, a scalar of the type of input 0

struct Moved {
  std::string_view operation;
  std::int64_t before;  ///< the operator set in which it became an input
  std::string_view attribute;
  std::size_t position;
  Becomes becomes = Becomes::list;
};

constexpr Moved table[] = {
    {"Clip", 11, "min", 1, Becomes::like_data},
    {"Clip", 11, "max", 2, Becomes::like_data},
    {"DFT", 20, "axis", 2, Becomes::scalar},
    {"Pad", 11, "pads", 1},
    {"Pad", 11, "value", 2, Becomes::like_data},
    {"ReduceL1", 18, "axes", 1},
    {"ReduceL2", 18, "axes", 1},
    {"ReduceLogSum", 18, "axes", 1},
    {"ReduceLogSumExp", 18, "axes", 1},
    {"ReduceMax", 18, "axes", 1},
    {"ReduceMean", 18, "axes", 1},
    {"ReduceMin", 18, "axes", 1},
    {"ReduceProd", 18, "axes", 1},
    {"ReduceSum", 13, "axes", 1},
    {"ReduceSumSquare", 18, "axes", 1},
    {"Slice", 10, "starts", 1},
    {"Slice", 10, "ends", 2},
    {"Slice", 10, "axes", 3},
    {"Split", 13, "split", 1},
    {"Squeeze", 13, "axes", 1},
    {"TopK", 10, "k", 1, Becomes::scalar},
    {"Unsqueeze", 13, "axes", 1},
};

ValueId make_input(Builder& builder, const Node& node, const Moved& moved) {
  const std::string name = node.name_of_part(moved.attribute);
  if (moved.becomes == Becomes::scalar) return builder.add_constant<std::int64_t>(name, {1}, {node.integer(moved.attribute, 0)});
  if (moved.becomes == Becomes::list) {
    const std::vector<std::int64_t> list = node.integers(moved.attribute);
    return builder.add_constant(name, {static_cast<std::uint32_t>(list.size())}, list);
  }
  const ElementType type = builder.value(node.required(0)).type;
  const ValueId number = builder.add_constant<float>(name, {}, {node.number(moved.attribute, 0)});
  if (type == ElementType::f32) return number;
  return builder.emit(Call{"Cast", {{"to", data_type_of(type)}}}, {number}, name);
}

}  // namespace

void move_attributes_to_inputs(Builder& builder, Node& node) {
  for (const Moved& moved : table) {
    if (moved.operation != node.call.name || node.operator_set >= moved.before || !node.has(moved.attribute)) continue;
    node.set_input(moved.position, make_input(builder, node, moved));
    node.erase(moved.attribute);
  }
}

}  // namespace lacuna::frontends::onnx
