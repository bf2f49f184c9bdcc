// The nodes that the outputs need, in an order in which every value is known before it is read.
#pragma once

#include <string>
#include <vector>

#include "frontends/onnx/proto.hpp"

namespace lacuna::frontends::onnx {

/// The file's order where it is one. Throws InputError for a cycle, and for two nodes that give one value.
std::vector<const NodeProto*> order_nodes(const GraphProto& graph);

/// How messages call a node: node "conv1" (Conv).
std::string describe(const NodeProto& node);

}  // namespace lacuna::frontends::onnx
