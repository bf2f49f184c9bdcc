// Protobuf -> the views of proto.hpp.
#include <protozero/exception.hpp>

#include <algorithm>

#include "frontends/onnx/fields.hpp"
#include "frontends/onnx/proto.hpp"

namespace lacuna::frontends::onnx {

const AttributeProto* NodeProto::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const AttributeProto& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

TensorProto read_tensor(std::string_view message) {
  TensorProto tensor;
  tensor.message = message;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: fields.integers([&](std::int64_t dim) { tensor.dims.push_back(dim); }); break;
      case 2: tensor.data_type = fields.integer(); break;
      case 8: tensor.name = fields.bytes(); break;
      default: fields.skip();
    }
  return tensor;
}

SparseTensorProto read_sparse_tensor(std::string_view message) {
  SparseTensorProto tensor;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: tensor.values = read_tensor(fields.bytes()); break;
      case 2: tensor.indices = read_tensor(fields.bytes()); break;
      case 3: fields.integers([&](std::int64_t dim) { tensor.dims.push_back(dim); }); break;
      default: fields.skip();
    }
  return tensor;
}

AttributeProto read_attribute(std::string_view message) {
  AttributeProto attribute;
  AttributeKind seen = AttributeKind::none;  // very old files do not tell the kind
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: attribute.name = fields.bytes(); break;
      case 2: attribute.f = fields.single(), seen = AttributeKind::f; break;
      case 3: attribute.i = fields.integer(), seen = AttributeKind::i; break;
      case 4: attribute.s = fields.bytes(), seen = AttributeKind::s; break;
      case 5: attribute.tensor = read_tensor(fields.bytes()), seen = AttributeKind::tensor; break;
      case 6: fields.skip(), seen = AttributeKind::graph; break;
      case 7: fields.singles([&](float f) { attribute.floats.push_back(f); }), seen = AttributeKind::floats; break;
      case 8: fields.integers([&](std::int64_t i) { attribute.ints.push_back(i); }), seen = AttributeKind::ints; break;
      case 9: attribute.strings.push_back(fields.bytes()), seen = AttributeKind::strings; break;
      case 20: attribute.kind = static_cast<AttributeKind>(fields.integer()); break;
      case 22: attribute.sparse_tensor = read_sparse_tensor(fields.bytes()), seen = AttributeKind::sparse_tensor; break;
      default: fields.skip();
    }
  if (attribute.kind == AttributeKind::none) attribute.kind = seen;
  return attribute;
}

NodeProto read_node(std::string_view message) {
  NodeProto node;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: node.inputs.push_back(fields.bytes()); break;
      case 2: node.outputs.push_back(fields.bytes()); break;
      case 3: node.name = fields.bytes(); break;
      case 4: node.operation = fields.bytes(); break;
      case 5: node.attributes.push_back(read_attribute(fields.bytes())); break;
      case 7: node.domain = fields.bytes(); break;
      default: fields.skip();
    }
  return node;
}

namespace {

Dimension read_dimension(std::string_view message) {
  Dimension dimension;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: dimension.value = fields.integer(); break;
      case 2: dimension.symbol = fields.bytes(); break;
      default: fields.skip();
    }
  return dimension;
}

/// Calls `take` with each field of that tag; the others are skipped.
template <typename Take>
void each(std::string_view message, std::uint32_t tag, Take take) {
  for (Fields fields(message); fields.next();)
    if (fields.tag() == tag)
      take(fields.bytes());
    else
      fields.skip();
}

void read_tensor_type(std::string_view message, ValueProto& value) {
  value.is_tensor = true;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: value.data_type = fields.integer(); break;
      case 2: {
        value.shape.emplace();
        each(fields.bytes(), 1, [&](std::string_view dim) { value.shape->push_back(read_dimension(dim)); });
        break;
      }
      default: fields.skip();
    }
}

ValueProto read_value(std::string_view message) {
  ValueProto value;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: value.name = fields.bytes(); break;
      case 2: each(fields.bytes(), 1, [&](std::string_view type) { read_tensor_type(type, value); }); break;
      default: fields.skip();
    }
  return value;
}

GraphProto read_graph(std::string_view message) {
  GraphProto graph;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: graph.nodes.push_back(read_node(fields.bytes())); break;
      case 5: graph.initializers.push_back(read_tensor(fields.bytes())); break;
      case 11: graph.inputs.push_back(read_value(fields.bytes())); break;
      case 12: graph.outputs.push_back(read_value(fields.bytes())); break;
      case 15: graph.sparse_initializers.push_back(read_sparse_tensor(fields.bytes())); break;
      default: fields.skip();
    }
  return graph;
}

OperatorSet read_operator_set(std::string_view message) {
  OperatorSet set;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: set.domain = fields.bytes(); break;
      case 2: set.version = fields.integer(); break;
      default: fields.skip();
    }
  return set;
}

ModelProto read_fields(std::string_view file) {
  ModelProto model;
  for (Fields fields(file); fields.next();) switch (fields.tag()) {
      case 1: model.ir_version = fields.integer(); break;
      case 7: model.graph = read_graph(fields.bytes()); break;
      case 8: model.operator_sets.push_back(read_operator_set(fields.bytes())); break;
      case 25: each(fields.bytes(), 1, [&](std::string_view name) { model.functions.push_back(name); }); break;
      default: fields.skip();
    }
  return model;
}

}  // namespace

ModelProto read_model(std::string_view file, const std::string& name) {
  try {
    ModelProto model = read_fields(file);
    if (!model.graph) throw InputError("there is no graph in it");
    return model;
  } catch (const protozero::exception& error) {
    throw InputError(name, fmt::format("is no ONNX model, or it is cut short or damaged: {} (its {} bytes)", error.what(), file.size()));
  } catch (const InputError& error) {
    throw InputError(name, fmt::format("is no ONNX model, or it is cut short or damaged: {}", error.what()));
  }
}

}  // namespace lacuna::frontends::onnx
