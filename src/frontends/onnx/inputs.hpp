// Shapes of a model's inputs: the file's, made definite by the batch and the shapes that were asked for.
#pragma once

#include <vector>

#include <lacuna/load.hpp>

#include "frontends/onnx/builder.hpp"
#include "frontends/onnx/proto.hpp"

namespace lacuna::frontends::onnx {

/// Adds the inputs to the builder; those of old files that are initialisers are left out. Throws InputError for a dimension that nobody gave.
void add_inputs(Builder& builder, const GraphProto& graph, const LoadOptions& options);

}  // namespace lacuna::frontends::onnx
