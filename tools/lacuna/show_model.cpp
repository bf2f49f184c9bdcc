#include "show_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "command.hpp"

namespace cli {
namespace {

/// One line of the table. Parameters are weights and biases, or the floating-point constants an operator reads; weights have two axes or more.
struct ModelLayer {
  std::string name;
  std::string kind;
  std::vector<std::uint32_t> shape;
  std::uint64_t parameters = 0;
  std::uint64_t weights = 0;
  std::uint64_t zeros = 0;          ///< among the weights
  std::uint64_t multiply_adds = 0;  ///< with every weight
  std::uint64_t active = 0;         ///< with those that are not zero
  std::uint64_t bytes = 0;

  double sparsity() const { return weights == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(weights); }
};

std::string kind_of(const lacuna::Conv& conv) {
  if (conv.kernel.empty()) return "connected";
  std::string kind = fmt::format("conv {}", fmt::join(conv.kernel, "x"));
  if (std::any_of(conv.strides.begin(), conv.strides.end(), [](std::uint32_t stride) { return stride != 1; })) kind += fmt::format(" /{}", fmt::join(conv.strides, "x"));
  if (conv.groups > 1) kind += conv.group_channels == 1 ? " depthwise" : fmt::format(" in {} groups", conv.groups);
  return kind;
}

void describe(const lacuna::Conv& conv, ModelLayer& layer, std::uint64_t outputs) {
  layer.kind = kind_of(conv);
  layer.weights = conv.weights.size();
  layer.parameters = layer.weights + conv.bias.size();
  layer.zeros = static_cast<std::uint64_t>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f));
  const std::uint64_t places = conv.output_channels == 0 ? 0 : outputs / conv.output_channels;
  layer.multiply_adds = conv.weights.size() * places;
  layer.active = (conv.weights.size() - layer.zeros) * places;
  layer.bytes = layer.parameters * sizeof(float);
}

std::uint64_t count_zeros(const lacuna::Value& value) {
  const auto* elements = reinterpret_cast<const float*>(value.constant.data());
  return static_cast<std::uint64_t>(std::count(elements, elements + value.shape.size(), 0.0f));
}

void count_product(const lacuna::Network& network, const lacuna::Operator& op, ModelLayer& layer) {
  const lacuna::Value& left = network.value(op.inputs[0]);
  const lacuna::Value& right = network.value(op.inputs[1]);
  if (left.shape.extents.empty()) return;
  const std::uint64_t outputs = network.value(op.output).shape.size();
  layer.multiply_adds = layer.active = outputs * left.shape.extents.back();
  const bool is_layer = right.is_constant && right.type == lacuna::ElementType::f32 && right.shape.extents.size() == 2 && right.shape.extents[1] != 0;
  if (is_layer) layer.active = outputs / right.shape.extents[1] * (right.shape.size() - count_zeros(right));
}

/// A constant is counted where it is read first.
void describe(const lacuna::Network& network, const lacuna::Operator& op, ModelLayer& layer, std::set<lacuna::ValueId>& seen) {
  layer.kind = std::get<lacuna::Call>(op.operation).name;
  for (const lacuna::ValueId id : op.inputs) {
    if (id == lacuna::no_value || !network.value(id).is_constant || !seen.insert(id).second) continue;
    const lacuna::Value& value = network.value(id);
    layer.bytes += value.constant.size();
    if (value.type != lacuna::ElementType::f32) continue;
    layer.parameters += value.shape.size();
    if (value.shape.extents.size() < 2) continue;
    layer.weights += value.shape.size();
    layer.zeros += count_zeros(value);
  }
  if (layer.kind == "MatMul" && op.inputs.size() == 2) count_product(network, op, layer);
}

std::vector<ModelLayer> describe_all(const lacuna::Network& network) {
  std::vector<ModelLayer> layers;
  std::set<lacuna::ValueId> seen;
  for (const lacuna::Operator& op : network.operators) {
    const lacuna::Value& output = network.value(op.output);
    ModelLayer layer{.name = output.name, .kind = "", .shape = output.shape.extents};
    if (const auto* conv = std::get_if<lacuna::Conv>(&op.operation))
      describe(*conv, layer, output.shape.size());
    else if (std::holds_alternative<lacuna::Call>(op.operation))
      describe(network, op, layer, seen);
    else
      layer.kind = std::holds_alternative<lacuna::Add>(op.operation) ? "add" : "linear";
    layers.push_back(std::move(layer));
  }
  return layers;
}

Json to_json(const lacuna::Network& network, const std::vector<lacuna::ValueId>& ids) {
  Json list = Json::array();
  for (const lacuna::ValueId id : ids)
    list.push_back({{"name", network.value(id).name}, {"type", lacuna::name_of(network.value(id).type)}, {"shape", network.value(id).shape.extents}});
  return list;
}

Json to_json(const ModelLayer& layer) {
  return {{"name", layer.name},         {"kind", layer.kind},
          {"shape", layer.shape},       {"parameters", layer.parameters},
          {"weights", layer.weights}, {"zeros", layer.zeros},       {"sparsity", layer.sparsity()},
          {"multiply_adds", layer.multiply_adds}, {"active_multiply_adds", layer.active},
          {"bytes", layer.bytes}};
}

/// Long names keep their end, which tells them apart.
std::string shortened(const std::string& name, std::size_t width) { return name.size() <= width ? name : ".." + name.substr(name.size() - width + 2); }

void print_values(const lacuna::Network& network, const std::vector<lacuna::ValueId>& ids, std::string_view label) {
  for (const lacuna::ValueId id : ids) {
    const lacuna::Value& value = network.value(id);
    print_line(label, fmt::format("{} {} {}", value.name, lacuna::name_of(value.type), to_string(value.shape)));
  }
}

}  // namespace

void show_model(const lacuna::Network& network, const std::string& path, bool as_json) {
  const std::vector<ModelLayer> layers = describe_all(network);
  ModelLayer all;
  for (const ModelLayer& layer : layers) {
    all.parameters += layer.parameters;
    all.weights += layer.weights;
    all.zeros += layer.zeros;
    all.multiply_adds += layer.multiply_adds;
    all.active += layer.active;
    all.bytes += layer.bytes;
  }
  if (as_json) {
    Json list = Json::array();
    for (const ModelLayer& layer : layers) list.push_back(to_json(layer));
    return print_json({{"model", path}, {"inputs", to_json(network, network.all_inputs())}, {"outputs", to_json(network, network.all_outputs())},
                       {"parameters", all.parameters}, {"weights", all.weights}, {"zeros", all.zeros}, {"sparsity", all.sparsity()}, {"multiply_adds", all.multiply_adds},
                       {"active_multiply_adds", all.active}, {"bytes", all.bytes}, {"hash", fmt::format("{:016x}", lacuna::hash(network))}, {"layers", list}});
  }
  fmt::print("{:<32} {:<20} {:>16} {:>12} {:>8} {:>16} {:>12}\n", "value", "operator", "shape", "parameters", "zeros", "multiply-adds", "bytes");
  for (const ModelLayer& layer : layers)
    fmt::print("{:<32} {:<20} {:>16} {:>12} {:>7.2f}% {:>16} {:>12}\n", shortened(layer.name, 32), layer.kind, fmt::format("{}", fmt::join(layer.shape, "x")),
               with_commas(layer.parameters), layer.sparsity() * 100, with_commas(layer.multiply_adds), with_commas(layer.bytes));
  fmt::print("\n");
  print_values(network, network.all_inputs(), "input");
  print_values(network, network.all_outputs(), "output");
  print_line("layers", fmt::format("{} operators, {} parameters ({} bytes), {:.2f}% of the {} weights zero", layers.size(), with_commas(all.parameters), with_commas(all.bytes),
                                   all.sparsity() * 100, with_commas(all.weights)));
  print_line("work", fmt::format("{} multiply-adds, {} of them with weights that are not zero", with_commas(all.multiply_adds), with_commas(all.active)));
}

}  // namespace cli
