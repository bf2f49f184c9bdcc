#include <fmt/format.h>

#include "frontends/onnx/node.hpp"

namespace lacuna::frontends::onnx {

bool bring_into_form(Builder& builder, Node& node) {
  if (node.proto.domain == "com.microsoft") {
    if (const Rule rule = find_microsoft_rule(node.call.name)) return rule(builder, node);
    return false;
  }
  move_attributes_to_inputs(builder, node);
  const Rule rule = find_rule(node.call.name);
  return rule != nullptr && rule(builder, node);
}

bool form_control_flow(Builder&, Node& node) {
  throw Unsupported(fmt::format("{} chooses what to compute while it runs, which is not supported; export the model without control flow", node.call.name));
}

}  // namespace lacuna::frontends::onnx
