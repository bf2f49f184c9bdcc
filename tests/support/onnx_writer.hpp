// Small ONNX models, built field by field: what a test wants to say of a file, and no more.
#pragma once

#include <cstdint>
#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::tests::onnx {

inline constexpr int f32 = 1;
inline constexpr int u8 = 2;
inline constexpr int i8 = 3;
inline constexpr int i32 = 6;
inline constexpr int i64 = 7;

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A TensorProto with raw_data.
inline std::string tensor(std::string_view name, int type, const std::vector<std::int64_t>& dims, const std::string& data) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_packed_int64(1, dims.begin(), dims.end());
  writer.add_int32(2, type);
  writer.add_string(8, name.data(), name.size());
  writer.add_bytes(9, data);
  return message;
}
inline std::string floats(std::string_view name, const std::vector<std::int64_t>& dims, const std::vector<float>& values) { return tensor(name, f32, dims, raw(values)); }
inline std::string integers(std::string_view name, const std::vector<std::int64_t>& values) {
  return tensor(name, i64, {static_cast<std::int64_t>(values.size())}, raw(values));
}

/// A ValueInfoProto; a dimension below 1 is the symbol "n".
inline std::string value(std::string_view name, const std::vector<std::int64_t>& dims, int type = f32) {
  std::string shape;
  for (const std::int64_t dim : dims) {
    std::string dimension;
    protozero::pbf_writer writer(dimension);
    if (dim > 0)
      writer.add_int64(1, dim);
    else
      writer.add_string(2, "n");
    protozero::pbf_writer(shape).add_bytes(1, dimension);
  }
  std::string tensor_type;
  protozero::pbf_writer type_writer(tensor_type);
  type_writer.add_int32(1, type);
  type_writer.add_bytes(2, shape);
  std::string type_proto;
  protozero::pbf_writer(type_proto).add_bytes(1, tensor_type);
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  writer.add_bytes(2, type_proto);
  return message;
}

// AttributeProtos.
inline std::string attribute(std::string_view name, std::int64_t number) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  writer.add_int64(3, number);
  writer.add_int32(20, 2);
  return message;
}
inline std::string attribute(std::string_view name, const std::vector<std::int64_t>& numbers) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  for (const std::int64_t number : numbers) writer.add_int64(8, number);
  writer.add_int32(20, 7);
  return message;
}
inline std::string attribute(std::string_view name, float number) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  writer.add_float(2, number);
  writer.add_int32(20, 1);
  return message;
}
inline std::string attribute(std::string_view name, const std::string& text) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  writer.add_bytes(4, text);
  writer.add_int32(20, 3);
  return message;
}
inline std::string tensor_attribute(std::string_view name, const std::string& tensor_message) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, name.data(), name.size());
  writer.add_bytes(5, tensor_message);
  writer.add_int32(20, 4);
  return message;
}

/// A ModelProto that grows: `Model().input(...).node(...).output(...).file()`.
class Model {
 public:
  explicit Model(std::int64_t operator_set = 17) : operator_set_(operator_set) {}

  Model& node(std::string_view operation, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {},
              std::string_view domain = "") {
    std::string message;
    protozero::pbf_writer writer(message);
    for (const std::string& input : inputs) writer.add_string(1, input);
    for (const std::string& output : outputs) writer.add_string(2, output);
    writer.add_string(4, operation.data(), operation.size());
    for (const std::string& attribute : attributes) writer.add_bytes(5, attribute);
    if (!domain.empty()) writer.add_string(7, domain.data(), domain.size());
    return add(1, message);
  }
  Model& initializer(const std::string& tensor_message) { return add(5, tensor_message); }
  Model& sparse_initializer(const std::string& values, const std::string& indices, const std::vector<std::int64_t>& dims) {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_bytes(1, values);
    writer.add_bytes(2, indices);
    writer.add_packed_int64(3, dims.begin(), dims.end());
    return add(15, message);
  }
  Model& input(std::string_view name, const std::vector<std::int64_t>& dims, int type = f32) { return add(11, value(name, dims, type)); }
  Model& output(std::string_view name) { return add(12, value(name, {})); }

  std::string file() const {
    std::string operators;
    protozero::pbf_writer(operators).add_int64(2, operator_set_);
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_int64(1, 8);
    writer.add_bytes(8, operators);
    writer.add_bytes(7, graph_);
    writer.add_string(2, "lacuna's tests");  // after the graph: fields come in any order
    return message;
  }

 private:
  Model& add(std::uint32_t tag, const std::string& message) {
    protozero::pbf_writer(graph_).add_bytes(tag, message);
    return *this;
  }

  std::int64_t operator_set_;
  std::string graph_;
};

}  // namespace lacuna::tests::onnx
