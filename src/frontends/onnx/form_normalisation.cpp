// Rules of softmax, normalisations and recurrent operators.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "frontends/onnx/layers.hpp"
#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {

/// Before operator set 13 all axes from `axis` on were taken as one.
bool form_softmax(Builder& builder, Node& node) {
  if (node.operator_set >= 13) {
    node.set("axis", node.integer("axis", -1));
    return false;
  }
  const ValueId input = node.required(0);
  const Shape shape = builder.shape(input);
  const std::size_t axis = resolve_axis(node.integer("axis", 1), shape.extents.size(), true);
  const auto first = shape.extents.begin() + static_cast<std::ptrdiff_t>(axis);
  if (std::count_if(first, shape.extents.end(), [](std::uint32_t extent) { return extent != 1; }) <= 1 && first != shape.extents.end()) {
    const auto only = std::find_if(first, shape.extents.end(), [](std::uint32_t extent) { return extent != 1; });
    node.set("axis", static_cast<std::int64_t>(only == shape.extents.end() ? axis : static_cast<std::size_t>(only - shape.extents.begin())));
    return false;
  }
  const ValueId flat = builder.emit(Call{"Flatten", {{"axis", static_cast<std::int64_t>(axis)}}}, {input}, node.name_of_part("flat"));
  const ValueId normal = builder.emit(Call{node.call.name, {{"axis", std::int64_t{1}}}}, {flat}, node.name_of_part("normal"));
  const std::vector<std::int64_t> extents(shape.extents.begin(), shape.extents.end());
  const ValueId target = builder.add_constant(node.name_of_part("shape"), {static_cast<std::uint32_t>(extents.size())}, extents);
  builder.define(node.outputs[0], builder.emit(Call{"Reshape", {{"allowzero", std::int64_t{1}}}}, {normal, target}, node.outputs[0]));
  return true;
}

bool form_batch_normalization(Builder&, Node& node) {
  if (node.integer("training_mode", 0) != 0) throw Unsupported("BatchNormalization in training mode is not supported; export the model for inference");
  if (node.integer("spatial", 1) == 0) throw Unsupported("BatchNormalization with spatial = 0 is not supported; export with operator set 9 or newer");
  if (node.integer("is_test", 1) == 0) throw Unsupported("BatchNormalization in training mode is not supported; export the model for inference");
  for (std::size_t k = 1; k < node.outputs.size(); ++k)
    if (!node.outputs[k].empty()) throw Unsupported("the running statistics of BatchNormalization are not computed; export the model for inference");
  for (const std::string_view attribute : {"training_mode", "spatial", "momentum", "is_test"}) node.erase(attribute);
  return false;
}

namespace {

/// One number for each group -> the same for each of its channels.
ValueId spread_over_channels(Builder& builder, const Node& node, std::size_t position, std::uint32_t groups, std::uint32_t channels) {
  const ValueId id = node.required(position);
  const Value value = builder.value(id);
  if (value.shape.size() == channels) return id;
  if (!value.is_constant || value.shape.size() != groups)
    throw Unsupported(fmt::format("GroupNormalization whose input {} has {} elements for {} groups is not supported; export with operator set 21", position, value.shape.size(), groups));
  const std::size_t width = size_of(value.type);
  const std::size_t times = channels / groups;
  std::vector<std::byte> bytes;
  bytes.reserve(channels * width);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const auto from = value.constant.begin() + static_cast<std::ptrdiff_t>(channel / times * width);
    bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return builder.add_constant({.name = node.name_of_part(position == 1 ? "scale" : "bias"), .shape = {{channels}}, .type = value.type, .is_constant = true, .constant = std::move(bytes)});
}

}  // namespace

bool form_group_normalization(Builder& builder, Node& node) {
  if (node.operator_set >= 21) return false;
  const Shape& shape = builder.shape(node.required(0));
  const std::int64_t groups = node.integer("num_groups", 0);
  if (shape.extents.size() < 2 || groups < 1 || groups > shape.extents[1] || shape.extents[1] % groups != 0)
    throw InputError(fmt::format("the channels of {} do not make {} groups", to_string(shape), groups));
  const std::uint32_t channels = shape.extents[1];
  for (const std::size_t position : {1, 2}) node.inputs[position] = spread_over_channels(builder, node, position, static_cast<std::uint32_t>(groups), channels);
  return false;
}

/// The usual activations are left out; others have no place in a Call.
bool form_recurrent(Builder&, Node& node) {
  const AttributeProto* given = node.proto.find("activations");
  if (given == nullptr) return false;
  std::vector<std::string> usual{"sigmoid", "tanh"};
  if (node.call.name == "LSTM") usual = {"sigmoid", "tanh", "tanh"};
  if (node.call.name == "RNN") usual = {"tanh"};
  for (std::size_t k = 0; k < given->strings.size(); ++k) {
    std::string name(given->strings[k]);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name != usual[k % usual.size()]) throw Unsupported(fmt::format("{} with the activation {} is not supported; the usual ones are", node.call.name, given->strings[k]));
  }
  return false;
}

}  // namespace lacuna::frontends::onnx
