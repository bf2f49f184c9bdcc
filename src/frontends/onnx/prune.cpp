// Magnitude pruning of a model file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <lacuna/error.hpp>
#include <lacuna/onnx.hpp>
#include <set>
#include <unordered_map>

#include "frontends/onnx/names.hpp"
#include "frontends/onnx/order.hpp"
#include "frontends/onnx/rewrite.hpp"

namespace lacuna {
namespace {

using namespace frontends::onnx;

/// The constants of a model by name, and the nodes by their outputs.
struct Index {
  std::unordered_map<std::string_view, Constant> constants;
  std::unordered_map<std::string_view, const NodeProto*> producers;

  /// Weights may come by way of an Identity or a Transpose; pruning does not mind either.
  const Constant* find(std::string_view name) const {
    for (int steps = 0; steps < 8; ++steps) {
      if (const auto found = constants.find(name); found != constants.end()) return &found->second;
      const auto producer = producers.find(name);
      if (producer == producers.end() || producer->second->inputs.size() != 1) return nullptr;
      if (producer->second->operation != "Identity" && producer->second->operation != "Transpose") return nullptr;
      name = producer->second->inputs[0];
    }
    return nullptr;
  }
};

Index make_index(const GraphProto& graph) {
  Index index;
  for (const TensorProto& tensor : graph.initializers) index.constants.try_emplace(tensor.name, Constant{tensor.name, tensor});
  for (const SparseTensorProto& tensor : graph.sparse_initializers) index.constants.try_emplace(tensor.values.name, Constant{tensor.values.name, tensor});
  for (const NodeProto& node : graph.nodes) {
    for (const std::string_view output : node.outputs) index.producers.try_emplace(output, &node);
    if (node.operation != "Constant" || node.outputs.size() != 1) continue;
    for (const AttributeProto& attribute : node.attributes) {
      if (attribute.name == "value" && attribute.tensor) index.constants.try_emplace(node.outputs[0], Constant{node.outputs[0], *attribute.tensor});
      if (attribute.name == "sparse_value" && attribute.sparse_tensor) index.constants.try_emplace(node.outputs[0], Constant{node.outputs[0], *attribute.sparse_tensor});
    }
  }
  return index;
}

struct Layer {
  PrunedLayer report;
  std::vector<float> weights;
  std::optional<double> own_sparsity;
  bool is_pruned = false;
};

/// The weights of a node, or null.
const Constant* weights_of(const NodeProto& node, const Index& index) {
  if (!node.domain.empty() && node.domain != "ai.onnx" && node.domain != "com.microsoft") return nullptr;
  const bool takes_second = node.operation == "Conv" || node.operation == "FusedConv" || node.operation == "Gemm" || node.operation == "MatMul";
  if (!takes_second || node.inputs.size() < 2) return nullptr;
  if (const Constant* second = index.find(node.inputs[1])) return second;
  return node.operation == "MatMul" ? index.find(node.inputs[0]) : nullptr;
}

Value read_weights(const Constant& constant, TensorMemory& memory) {
  return std::visit([&](const auto& tensor) { return read_elements(tensor, memory); }, constant.tensor);
}

bool is_f32(const Constant& constant) {
  const auto* dense = std::get_if<TensorProto>(&constant.tensor);
  return (dense != nullptr ? dense->data_type : std::get<SparseTensorProto>(constant.tensor).values.data_type) == data_type_of(ElementType::f32);
}

std::vector<Layer> find_layers(const std::vector<const NodeProto*>& nodes, const Index& index, TensorMemory& memory, const PruneOptions& options) {
  std::vector<Layer> layers;
  std::set<const Constant*> seen;
  for (const NodeProto* node : nodes) {
    const Constant* constant = weights_of(*node, index);
    if (constant == nullptr || !is_f32(*constant) || !seen.insert(constant).second) continue;
    const Value value = read_weights(*constant, memory);
    if (value.shape.extents.size() < 2) continue;
    Layer layer;
    layer.report.node = node->name.empty() && !node->outputs.empty() ? node->outputs[0] : node->name;
    layer.report.weights = constant->name;
    layer.report.shape = value.shape.extents;
    const auto* elements = reinterpret_cast<const float*>(value.constant.data());
    layer.weights.assign(elements, elements + value.shape.size());
    const AttributeProto* group = node->find("group");
    const bool is_depthwise = group != nullptr && group->i > 1 && value.shape.extents[1] == 1;
    for (const std::string* name : {&layer.report.node, &layer.report.weights})
      if (const auto own = options.per_layer.find(*name); own != options.per_layer.end()) layer.own_sparsity = own->second;
    if (!layer.own_sparsity && layers.empty() && !options.prune_first)
      layer.report.note = "first layer";
    else if (!layer.own_sparsity && is_depthwise && !options.prune_depthwise)
      layer.report.note = "depthwise";
    else
      layer.is_pruned = layer.own_sparsity.has_value() || options.sparsity.has_value();
    if (!layer.is_pruned && layer.report.note.empty()) layer.report.note = "not asked for";
    layer.report.parameters = layer.weights.size();
    layer.report.zeros_before = static_cast<std::uint64_t>(std::count(layer.weights.begin(), layer.weights.end(), 0.0f));
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Ordered like the magnitude; NaN is largest.
std::uint32_t magnitude(float weight) { return std::bit_cast<std::uint32_t>(weight) & 0x7fffffffu; }

/// Sets a share of the weights of all `layers` together to zero: those of smallest magnitude, of equal ones the first.
void prune_together(const std::vector<Layer*>& layers, double sparsity) {
  std::vector<std::uint32_t> magnitudes;
  for (const Layer* layer : layers)
    for (const float weight : layer->weights) magnitudes.push_back(magnitude(weight));
  auto count = static_cast<std::size_t>(std::llround(sparsity * static_cast<double>(magnitudes.size())));
  if (count == 0) return;
  const auto last = magnitudes.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end());
  const std::uint32_t threshold = *last;
  std::size_t at_threshold = count - static_cast<std::size_t>(std::count_if(magnitudes.begin(), last, [&](std::uint32_t m) { return m < threshold; }));
  for (Layer* layer : layers)
    for (float& weight : layer->weights) {
      const std::uint32_t m = magnitude(weight);
      if (m > threshold || (m == threshold && at_threshold == 0)) continue;
      if (m == threshold) --at_threshold;
      weight = 0;
    }
}

void prune_layers(std::vector<Layer>& layers, const PruneOptions& options) {
  std::vector<Layer*> pool;
  for (Layer& layer : layers) {
    if (!layer.is_pruned) continue;
    if (layer.own_sparsity || !options.is_global)
      prune_together({&layer}, layer.own_sparsity ? *layer.own_sparsity : *options.sparsity);
    else
      pool.push_back(&layer);
  }
  if (!pool.empty()) prune_together(pool, *options.sparsity);
}

void check_options(const PruneOptions& options, const std::vector<Layer>& layers) {
  const auto check_share = [](const std::string& what, double share) {
    if (!(share >= 0 && share <= 1)) throw InputError(fmt::format("the sparsity of {} is {}; give a share from 0 to 1", what, share));
  };
  if (options.sparsity) check_share("all layers", *options.sparsity);
  for (const auto& [name, share] : options.per_layer) {
    check_share(quote_name(name), share);
    const auto is_it = [&wanted = name](const Layer& layer) { return layer.report.node == wanted || layer.report.weights == wanted; };
    if (std::any_of(layers.begin(), layers.end(), is_it)) continue;
    std::vector<std::string> names;
    for (const Layer& layer : layers) names.push_back(quote_name(layer.report.weights));
    constexpr std::size_t shown = 8;
    const bool is_long = names.size() > shown;
    if (is_long) names.resize(shown);
    throw InputError(fmt::format("no layer or weights are called {}; there are {}{}", quote_name(name), fmt::join(names, ", "), is_long ? ", ..." : ""));
  }
}

}  // namespace

PruneReport prune_onnx(const std::filesystem::path& from, const std::filesystem::path& to, const PruneOptions& options) {
  const MappedModel mapped = map_model(from);
  const ModelProto model = read_model(mapped.bytes, mapped.name);
  TensorMemory memory = mapped.memory();
  std::vector<Layer> layers;
  try {
    layers = find_layers(order_nodes(*model.graph), make_index(*model.graph), memory, options);
    check_options(options, layers);
  } catch (const InputError& error) {
    throw InputError(mapped.name, error.what());
  }
  prune_layers(layers, options);
  std::unordered_map<std::string_view, const Layer*> by_weights;
  for (const Layer& layer : layers) by_weights.emplace(layer.report.weights, &layer);
  const auto exchange = [&](const Constant& constant) -> std::optional<NewTensor> {
    const auto* dense = std::get_if<TensorProto>(&constant.tensor);
    const auto found = by_weights.find(constant.name);
    if (found != by_weights.end() && found->second->is_pruned) {
      const auto weights = std::as_bytes(std::span(found->second->weights));
      if (dense != nullptr) return make_dense(*dense, weights);
      Value value = read_weights(constant, memory);
      value.constant = std::vector<std::byte>(weights.begin(), weights.end());
      return make_sparse(constant.name, value, max_file_bytes);
    }
    if (dense != nullptr && read_external(*dense, memory)) return make_dense(*dense, read_elements(*dense, memory).constant.span());
    return std::nullopt;
  };
  const FileSizes sizes = rewrite_file(mapped, to, exchange);
  PruneReport report{.layers = {}, .bytes_before = sizes.before, .bytes = sizes.after};
  for (Layer& layer : layers) {
    layer.report.zeros = static_cast<std::uint64_t>(std::count(layer.weights.begin(), layer.weights.end(), 0.0f));
    report.layers.push_back(std::move(layer.report));
  }
  return report;
}

}  // namespace lacuna
