// An ONNX model -> Network: nodes in order, each brought into the form of the newest operator set, inferred, and computed where it is constant.
#include "frontends/onnx/read_onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/exception.hpp>
#include <unordered_map>
#include <unordered_set>

#include "frontends/onnx/names.hpp"
#include "frontends/onnx/inputs.hpp"
#include "frontends/onnx/node.hpp"
#include "frontends/onnx/order.hpp"

namespace lacuna::frontends {
namespace onnx {
namespace {

constexpr std::int64_t oldest_operator_set = 7;

/// Runs `work`; what it says is wrong is said of `what`.
template <typename Work>
auto with_context(const std::string& what, Work work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(what, printable(error.what()));
  } catch (const protozero::exception& error) {
    throw InputError(what, fmt::format("is damaged: {}", error.what()));
  } catch (const Unsupported& error) {
    throw Unsupported(fmt::format("{}: {}", what, printable(error.what())));
  }
}

class Reader {
 public:
  Reader(const ModelProto& model, TensorMemory memory, const LoadOptions& options) : model_(model), graph_(*model.graph), builder_(std::move(memory)), options_(options) {}

  Network read() {
    check_model();
    add_inputs(builder_, graph_, options_);
    note_initializers();
    const std::vector<const NodeProto*> order = order_nodes(graph_);
    for (const NodeProto* node : order)
      for (const std::string_view input : node->inputs) read_.insert(input);
    for (const ValueProto& output : graph_.outputs) read_.insert(output.name);
    for (const NodeProto* node : order) with_context(describe(*node), [&] { add_node(*node); });
    return finish();
  }

 private:
  void check_model() {
    for (const OperatorSet& set : model_.operator_sets)
      if (set.domain.empty() || set.domain == "ai.onnx") operator_set_ = set.version;
    if (operator_set_ == 0) operator_set_ = model_.operator_sets.empty() ? 1 : oldest_operator_set;
    if (operator_set_ < oldest_operator_set)
      throw Unsupported(fmt::format("it is written in operator set {}; {} and newer are read (convert it with onnx.version_converter)", operator_set_, oldest_operator_set));
    if (graph_.outputs.empty()) throw InputError("the graph has no output");
  }

  void note_initializers() {
    for (const TensorProto& tensor : graph_.initializers)
      if (!initializers_.emplace(tensor.name, &tensor).second) throw InputError(fmt::format("two initialisers are called {}", quote_name(tensor.name)));
    for (const SparseTensorProto& tensor : graph_.sparse_initializers)
      if (initializers_.contains(tensor.values.name) || !sparse_initializers_.emplace(tensor.values.name, &tensor).second)
        throw InputError(fmt::format("two initialisers are called {}", quote_name(tensor.values.name)));
  }

  ValueId find_value(std::string_view name) {
    if (name.empty()) return no_value;
    if (const ValueId* known = builder_.find(name)) return *known;
    const auto dense = initializers_.find(name);
    const auto sparse = sparse_initializers_.find(name);
    if (dense == initializers_.end() && sparse == sparse_initializers_.end())
      throw InputError(fmt::format("it reads {}, which is no input, no initialiser and no node's output", quote_name(name)));
    Value constant = with_context(fmt::format("initialiser {}", quote_name(name)), [&] {
      return dense != initializers_.end() ? read_elements(*dense->second, builder_.memory()) : read_elements(*sparse->second, builder_.memory());
    });
    const ValueId id = builder_.add_constant(std::move(constant));
    builder_.define(name, id);
    return id;
  }

  void check_domain(const NodeProto& proto) const {
    if (proto.domain.empty() || proto.domain == "ai.onnx" || proto.domain == "com.microsoft") return;
    const bool is_local = std::find(model_.functions.begin(), model_.functions.end(), proto.operation) != model_.functions.end();
    if (is_local)
      throw Unsupported(fmt::format("it calls the model's own function {}.{}, which is not supported; inline it (onnx.inliner.inline_local_functions)", proto.domain, proto.operation));
    throw Unsupported(fmt::format("operators of the domain {} are not supported; export with the operators of ai.onnx", quote_name(proto.domain)));
  }

  void add_node(const NodeProto& proto) {
    check_domain(proto);
    if (proto.operation == "Constant" && proto.domain != "com.microsoft") return add_constant_node(proto);
    Node node{proto, operator_set_, {std::string(proto.operation), {}}, {}, proto.outputs};
    for (const AttributeProto& attribute : proto.attributes) add_attribute(node, attribute);
    for (const std::string_view name : proto.inputs) node.inputs.push_back(find_value(name));
    for (std::string_view& output : node.outputs)
      if (!read_.contains(output)) output = {};
    if (node.outputs.empty()) throw InputError("it has no output");
    if (bring_into_form(builder_, node)) return;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].empty()) continue;
      node.call.which_output = static_cast<std::uint32_t>(k);
      builder_.define(node.outputs[k], builder_.emit(node.call, node.inputs, node.outputs[k]));
    }
  }

  static void add_attribute(Node& node, const AttributeProto& attribute) {
    if (node.has(attribute.name)) throw InputError(fmt::format("its attribute {} is given twice", quote_name(attribute.name)));
    switch (attribute.kind) {
      case AttributeKind::i: return node.set(attribute.name, attribute.i);
      case AttributeKind::f: return node.set(attribute.name, attribute.f);
      case AttributeKind::s: return node.set(attribute.name, std::string(attribute.s));
      case AttributeKind::ints: return node.set(attribute.name, attribute.ints);
      case AttributeKind::floats: return node.set(attribute.name, attribute.floats);
      default: return;  // tensors, strings and graphs: the rules of the few operators that have them look at the file
    }
  }

  void add_constant_node(const NodeProto& proto) {
    if (proto.outputs.size() != 1) throw InputError(fmt::format("a Constant has one output, not {}", proto.outputs.size()));
    const std::string_view name = proto.outputs[0];
    builder_.define(name, make_constant(proto, name));
  }

  ValueId make_constant(const NodeProto& proto, std::string_view name) {
    for (const AttributeProto& attribute : proto.attributes) {
      if (attribute.name == "value" && attribute.tensor) {
        TensorProto tensor = *attribute.tensor;
        tensor.name = name;
        return builder_.add_constant(read_elements(tensor, builder_.memory()));
      }
      if (attribute.name == "sparse_value" && attribute.sparse_tensor) {
        SparseTensorProto tensor = *attribute.sparse_tensor;
        tensor.values.name = name;
        return builder_.add_constant(read_elements(tensor, builder_.memory()));
      }
      if (attribute.name == "value_float") return builder_.add_constant<float>(name, {}, {attribute.f});
      if (attribute.name == "value_int") return builder_.add_constant<std::int64_t>(name, {}, {attribute.i});
      if (attribute.name == "value_floats") return builder_.add_constant(name, {static_cast<std::uint32_t>(attribute.floats.size())}, attribute.floats);
      if (attribute.name == "value_ints") return builder_.add_constant(name, {static_cast<std::uint32_t>(attribute.ints.size())}, attribute.ints);
    }
    throw Unsupported("a Constant that is no tensor of numbers is not supported");
  }

  Network finish() {
    std::vector<std::string_view> outputs;
    for (const ValueProto& output : graph_.outputs) {
      with_context(fmt::format("output {}", quote_name(output.name)), [&] {
        if (output.name.empty()) throw InputError("it has no name");
        find_value(output.name);
      });
      if (std::find(outputs.begin(), outputs.end(), output.name) != outputs.end()) throw InputError(fmt::format("two outputs are called {}", quote_name(output.name)));
      outputs.push_back(output.name);
    }
    if (!builder_.has_inputs()) throw Unsupported("the graph has no input: it always gives the same; there is nothing to compile");
    Network network = builder_.finish(outputs);
    verify(network);
    return network;
  }

  const ModelProto& model_;
  const GraphProto& graph_;
  Builder builder_;
  const LoadOptions& options_;
  std::int64_t operator_set_ = 0;
  std::unordered_map<std::string_view, const TensorProto*> initializers_;
  std::unordered_map<std::string_view, const SparseTensorProto*> sparse_initializers_;
  std::unordered_set<std::string_view> read_;  ///< names that some node or the world reads
};

}  // namespace
}  // namespace onnx

Network read_onnx(const OnnxFile& file, const LoadOptions& options) {
  const onnx::ModelProto model = onnx::read_model(file.bytes, file.name);
  return onnx::with_context(file.name, [&] {
    onnx::TensorMemory memory{.file = file.owner, .folder = file.folder, .bytes_left = file.growth};
    return onnx::Reader(model, std::move(memory), options).read();
  });
}

Network load_onnx(const std::filesystem::path& path, const LoadOptions& options) {
  const auto mapped = base::MappedFile::open(path);
  const std::span<const std::byte> bytes = mapped->bytes();
  // A sparse file may hold a network dozens of times its size, hardly more.
  constexpr std::uint64_t densest = 64;
  OnnxFile file{.bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, .owner = mapped, .name = path.string()};
  file.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  file.growth = std::max<std::uint64_t>(file.growth, densest * bytes.size());
  return read_onnx(file, options);
}

}  // namespace lacuna::frontends
