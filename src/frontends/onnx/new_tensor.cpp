// Messages of tensors, dense and sparse.
#include <algorithm>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "frontends/onnx/rewrite.hpp"

namespace lacuna::frontends::onnx {
namespace {

constexpr std::uint32_t raw_data = 9;

bool holds_elements(std::uint32_t tag) {
  constexpr std::uint32_t tags[] = {4, 5, 6, 7, raw_data, 10, 11, 13, 14};  // typed data, external data and where it is
  return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags);
}

void add_head(protozero::pbf_writer& writer, const std::vector<std::int64_t>& dims, ElementType type, std::string_view name) {
  writer.add_packed_int64(1, dims.begin(), dims.end());
  writer.add_int32(2, static_cast<std::int32_t>(data_type_of(type)));
  if (!name.empty()) writer.add_string(8, name.data(), name.size());
}

std::vector<std::int64_t> dims_of(const Shape& shape) { return {shape.extents.begin(), shape.extents.end()}; }

}  // namespace

NewTensor make_dense(const TensorProto& tensor, std::span<const std::byte> elements) {
  NewTensor result;
  protozero::pbf_reader reader(tensor.message.data(), tensor.message.size());
  const char* begin = tensor.message.data();
  while (reader.next()) {
    const bool is_left_out = holds_elements(reader.tag());
    reader.skip();
    const char* end = tensor.message.data() + (tensor.message.size() - reader.length());
    if (!is_left_out) result.message.append(begin, end);
    begin = end;
  }
  protozero::pbf_writer(result.message).add_bytes(raw_data, reinterpret_cast<const char*>(elements.data()), elements.size());
  return result;
}

NewTensor make_dense(std::string_view name, const Value& value) {
  NewTensor result;
  protozero::pbf_writer writer(result.message);
  add_head(writer, dims_of(value.shape), value.type, name);
  writer.add_bytes(raw_data, reinterpret_cast<const char*>(value.constant.data()), value.constant.size());
  return result;
}

std::optional<NewTensor> make_sparse(std::string_view name, const Value& value, std::uint64_t bytes_at_most) {
  const std::size_t width = size_of(value.type);
  static constexpr std::byte zero[8]{};
  std::vector<std::int64_t> places;
  std::string nonzeros;
  const std::byte* elements = value.constant.data();
  const std::size_t count = value.constant.size() / width;
  for (std::size_t k = 0; k < count; ++k) {
    if (std::memcmp(elements + k * width, zero, width) == 0) continue;  // by its bits: a negative zero stays one
    places.push_back(static_cast<std::int64_t>(k));
    nonzeros.append(reinterpret_cast<const char*>(elements + k * width), width);
    if (nonzeros.size() + places.size() > bytes_at_most) return std::nullopt;
  }
  const std::vector<std::int64_t> head{static_cast<std::int64_t>(places.size())};
  std::string values;
  std::string indices;
  protozero::pbf_writer values_writer(values);
  add_head(values_writer, head, value.type, name);
  values_writer.add_bytes(raw_data, nonzeros);
  protozero::pbf_writer indices_writer(indices);
  add_head(indices_writer, head, ElementType::i64, {});
  indices_writer.add_packed_int64(7, places.begin(), places.end());
  NewTensor result{.is_sparse = true, .message = {}};
  protozero::pbf_writer writer(result.message);
  writer.add_bytes(1, values);
  writer.add_bytes(2, indices);
  const std::vector<std::int64_t> dims = dims_of(value.shape);
  writer.add_packed_int64(3, dims.begin(), dims.end());
  if (result.message.size() > bytes_at_most) return std::nullopt;
  return result;
}

}  // namespace lacuna::frontends::onnx
