// ONNX's protobuf messages as far as they are read: views into the file, which outlives them. Tensors keep their message unread until somebody
// asks for the elements (tensor.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::frontends::onnx {

struct TensorProto {
  std::string_view name;
  std::vector<std::int64_t> dims;
  std::int64_t data_type = 0;
  std::string_view message;  ///< all of it
};

struct SparseTensorProto {
  TensorProto values;  ///< its name is that of the tensor
  TensorProto indices;
  std::vector<std::int64_t> dims;
};

/// TensorProto::DataType and AttributeProto::AttributeType, the numbers used here.
enum class AttributeKind : std::int64_t { none = 0, f = 1, i = 2, s = 3, tensor = 4, graph = 5, floats = 6, ints = 7, strings = 8, sparse_tensor = 11 };

struct AttributeProto {
  std::string_view name;
  AttributeKind kind = AttributeKind::none;
  float f = 0;
  std::int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string_view> strings;
  std::optional<TensorProto> tensor;
  std::optional<SparseTensorProto> sparse_tensor;
};

struct NodeProto {
  std::string_view name;
  std::string_view operation;
  std::string_view domain;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<AttributeProto> attributes;

  const AttributeProto* find(std::string_view attribute) const;
};

struct Dimension {
  std::int64_t value = 0;  ///< below 1: not fixed
  std::string_view symbol;
};

struct ValueProto {
  std::string_view name;
  bool is_tensor = false;
  std::int64_t data_type = 0;
  std::optional<std::vector<Dimension>> shape;
};

struct GraphProto {
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<SparseTensorProto> sparse_initializers;
  std::vector<ValueProto> inputs;
  std::vector<ValueProto> outputs;
};

struct OperatorSet {
  std::string_view domain;
  std::int64_t version = 0;
};

struct ModelProto {
  std::int64_t ir_version = 0;
  std::vector<OperatorSet> operator_sets;
  std::vector<std::string_view> functions;  ///< the names of local ones
  std::optional<GraphProto> graph;
};

/// `file` is the whole file; `name` stands for it in messages. Throws InputError where it is no protobuf of this kind.
ModelProto read_model(std::string_view file, const std::string& name);

/// One message each, for files other than models. Throw protozero's exceptions and InputError.
TensorProto read_tensor(std::string_view message);
SparseTensorProto read_sparse_tensor(std::string_view message);
NodeProto read_node(std::string_view message);
AttributeProto read_attribute(std::string_view message);

}  // namespace lacuna::frontends::onnx
