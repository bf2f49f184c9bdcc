// Rules of Resize and its forerunner Upsample.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {
namespace {

/// Before operator set 11 there was one way: places are divided by the scale and rounded down; where it shrinks, onnxruntime rounds up.
void form_as_upsample(const Builder& builder, Node& node, ValueId scales) {
  bool shrinks = false;
  if (builder.is_constant(scales) && builder.value(scales).type == ElementType::f32) {
    const auto& bytes = builder.value(scales).constant;
    const std::span<const float> values(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
    shrinks = std::any_of(values.begin(), values.end(), [](float scale) { return scale < 1; });
  }
  node.call.name = "Resize";
  node.set("coordinate_transformation_mode", std::string("asymmetric"));
  if (node.text("mode", "nearest") == "nearest") node.set("nearest_mode", std::string(shrinks ? "ceil" : "floor"));
  if (node.text("mode", "nearest") == "bilinear") node.set("mode", std::string("linear"));
  node.inputs = {node.required(0), no_value, scales};
}

}  // namespace

bool form_upsample(Builder& builder, Node& node) {
  ValueId scales = node.input(1);
  if (scales == no_value) {
    const std::vector<float> list = node.numbers("scales");
    if (list.empty()) throw InputError("it has no scales");
    scales = builder.add_constant(node.name_of_part("scales"), {static_cast<std::uint32_t>(list.size())}, list);
    node.erase("scales");
  }
  form_as_upsample(builder, node, scales);
  return false;
}

bool form_resize(Builder& builder, Node& node) {
  if (node.operator_set < 11) {
    form_as_upsample(builder, node, node.required(1));
    return false;
  }
  for (const std::size_t optional : {1, 2, 3})  // an empty tensor was the way to leave one out
    if (builder.is_constant(node.input(optional)) && builder.shape(node.inputs[optional]).size() == 0) node.inputs[optional] = no_value;
  if (node.text("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize" && node.inputs.size() > 1) node.inputs[1] = no_value;
  return false;
}

bool form_grid_sample(Builder&, Node& node) {
  const std::string mode = node.text("mode", "linear");  // renamed in operator set 20
  if (mode == "bilinear") node.set("mode", std::string("linear"));
  if (mode == "bicubic") node.set("mode", std::string("cubic"));
  return false;
}

}  // namespace lacuna::frontends::onnx
