#include "frontends/onnx/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_writer.hpp>
#include <unordered_set>

#include "base/atomic_file.hpp"
#include "base/text.hpp"
#include "frontends/onnx/fields.hpp"

namespace lacuna::frontends::onnx {
namespace {

/// One field of a message: what it holds, and all its bytes, tag included.
struct RawField {
  std::uint32_t tag = 0;
  std::string_view content;  ///< of a message, string or packed list
  std::string_view all;
};

template <typename Take>
void each_field(std::string_view message, Take take) {
  protozero::pbf_reader reader(message.data(), message.size());
  const char* begin = message.data();
  while (reader.next()) {
    RawField field{.tag = reader.tag(), .content = {}, .all = {}};
    if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      const auto view = reader.get_view();
      field.content = {view.data(), view.size()};
    } else {
      reader.skip();
    }
    const char* end = message.data() + (message.size() - reader.length());
    field.all = {begin, static_cast<std::size_t>(end - begin)};
    begin = end;
    take(field);
  }
}

std::string replace_attribute(std::string_view node, const AttributeProto& old, const NewTensor& tensor) {
  std::string attribute;
  protozero::pbf_writer writer(attribute);
  writer.add_string(1, tensor.is_sparse ? "sparse_value" : "value");
  writer.add_int32(20, static_cast<std::int32_t>(tensor.is_sparse ? AttributeKind::sparse_tensor : AttributeKind::tensor));
  writer.add_bytes(tensor.is_sparse ? 22 : 5, tensor.message);
  std::string out;
  protozero::pbf_writer result(out);
  each_field(node, [&](const RawField& field) {
    if (field.tag == 5 && read_attribute(field.content).name == old.name)
      result.add_bytes(5, attribute);
    else
      out.append(field.all);
  });
  return out;
}

/// Rewrites the graph; what it needs to know of the rest of the model was read before.
class GraphRewriter {
 public:
  GraphRewriter(const ModelProto& model, const Exchange& exchange) : exchange_(exchange) {
    std::int64_t operator_set = 0;
    for (const OperatorSet& set : model.operator_sets)
      if (set.domain.empty() || set.domain == "ai.onnx") operator_set = set.version;
    constexpr std::int64_t first_with_sparse_constants = 11;
    constants_may_be_sparse_ = operator_set >= first_with_sparse_constants;
    for (const ValueProto& input : model.graph->inputs) inputs_.insert(input.name);
  }

  std::string rewrite(std::string_view graph) {
    std::string out;
    out.reserve(graph.size());
    protozero::pbf_writer writer(out);
    each_field(graph, [&](const RawField& field) {
      if (field.tag == 5)
        add_initializer(writer, out, field, read_tensor(field.content));
      else if (field.tag == 15)
        add_initializer(writer, out, field, read_sparse_tensor(field.content));
      else if (field.tag == 1)
        add_node(writer, out, field);
      else
        out.append(field.all);
    });
    return out;
  }

 private:
  static std::string_view name_of(const TensorProto& tensor) { return tensor.name; }
  static std::string_view name_of(const SparseTensorProto& tensor) { return tensor.values.name; }

  template <typename Proto>
  void add_initializer(protozero::pbf_writer& writer, std::string& out, const RawField& field, Proto tensor) {
    const std::string_view name = name_of(tensor);
    const auto changed = exchange_({name, std::move(tensor), !inputs_.contains(name)});
    if (changed)
      writer.add_bytes(changed->is_sparse ? 15 : 5, changed->message);
    else
      out.append(field.all);
  }

  void add_node(protozero::pbf_writer& writer, std::string& out, const RawField& field) {
    const NodeProto node = read_node(field.content);
    if (node.operation == "Constant" && node.outputs.size() == 1)
      for (const AttributeProto& attribute : node.attributes) {
        std::optional<NewTensor> changed;
        if (attribute.name == "value" && attribute.tensor) changed = exchange_({node.outputs[0], *attribute.tensor, constants_may_be_sparse_});
        if (attribute.name == "sparse_value" && attribute.sparse_tensor) changed = exchange_({node.outputs[0], *attribute.sparse_tensor, constants_may_be_sparse_});
        if (changed) return writer.add_bytes(1, replace_attribute(field.content, attribute, *changed));
      }
    out.append(field.all);
  }

  const Exchange& exchange_;
  bool constants_may_be_sparse_ = false;
  std::unordered_set<std::string_view> inputs_;
};

}  // namespace

std::string rewrite_model(std::string_view file, const std::string& name, const Exchange& exchange) {
  const ModelProto model = read_model(file, name);
  try {
    std::string out;
    protozero::pbf_writer writer(out);
    each_field(file, [&](const RawField& field) {
      if (field.tag == 7)
        writer.add_bytes(7, GraphRewriter(model, exchange).rewrite(field.content));
      else
        out.append(field.all);
    });
    return out;
  } catch (const protozero::exception& error) {
    throw InputError(name, fmt::format("is damaged: {}", error.what()));
  } catch (const InputError& error) {
    throw InputError(name, error.what());
  }
}

TensorMemory MappedModel::memory() const {
  constexpr std::uint64_t enough = std::uint64_t{1} << 33;
  return {.file = file, .folder = folder, .bytes_left = enough};
}

MappedModel map_model(const std::filesystem::path& path) {
  MappedModel model{.file = base::MappedFile::open(path), .bytes = {}, .name = path.string(), .folder = path.has_parent_path() ? path.parent_path() : "."};
  const auto bytes = model.file->bytes();
  model.bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return model;
}

FileSizes rewrite_file(const MappedModel& model, const std::filesystem::path& to, const Exchange& exchange) {
  const std::string out = rewrite_model(model.bytes, model.name, exchange);
  if (out.size() > max_file_bytes)
    throw Unsupported(fmt::format("{}: it would take {}, but ONNX files end at 2 GiB, and weights are not written to files beside them", to.string(), base::human_bytes(out.size())));
  base::AtomicFile writer(to);
  writer.write(out.data(), out.size());
  writer.commit();
  return {model.bytes.size(), out.size()};
}

}  // namespace lacuna::frontends::onnx
