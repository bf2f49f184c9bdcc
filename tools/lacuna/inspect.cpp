// `lacuna inspect`: what a network file holds.
#include <fmt/format.h>

#include <fstream>

#include "command.hpp"
#include "show_graphs.hpp"
#include "show_model.hpp"

namespace cli {
namespace {

struct InspectOptions : CommonOptions {
  std::string path;
  bool text = false;
  std::uint32_t batch = 0;
  std::string svg;
  std::string dot;
};

/// One line of the table.
struct Layer {
  std::string name;
  std::string kind;
  std::string inputs;
  std::string shape;
  std::uint64_t edges = 0;
  double density = 0;
  std::string activation;
};

Layer describe(const lacuna::Network& network, const lacuna::Operator& op) {
  Layer layer;
  layer.name = network.value(op.output).name;
  layer.shape = to_string(network.value(op.output).shape);
  for (lacuna::ValueId id : op.inputs) layer.inputs += (layer.inputs.empty() ? "" : " + ") + network.value(id).name;
  if (const auto* linear = std::get_if<lacuna::Linear>(&op.operation)) {
    layer.kind = "linear";
    layer.edges = linear->weights.nnz();
    layer.density = static_cast<double>(layer.edges) / (static_cast<double>(linear->weights.rows) * linear->weights.columns);
    layer.activation = to_string(linear->activation);
  } else if (const auto* add = std::get_if<lacuna::Add>(&op.operation)) {
    layer.kind = "add";
    layer.activation = to_string(add->activation);
  }
  return layer;
}

void draw(const lacuna::Network& network, const InspectOptions& options) {
  if (!options.svg.empty()) {
    check_folder_of(options.svg);
    std::ofstream file(options.svg, std::ios::binary);
    file << lacuna::draw_svg(only_graph(network, options.path, "--svg"));
    file.close();
    if (!file) throw lacuna::DeviceError(fmt::format("{}: cannot be written", options.svg));
  }
  if (!options.dot.empty()) {
    check_folder_of(options.dot);
    if (!options.dot.ends_with(".dot")) throw lacuna::InputError(options.dot, "--dot writes a file that ends in .dot");
    lacuna::save_neuron_graph(only_graph(network, options.path, "--dot"), options.dot);
  }
}

void inspect(const InspectOptions& options) {
  lacuna::LoadReport report;
  lacuna::LoadOptions load = load_options(options);
  load.batch = options.batch;
  const lacuna::Network network = load_network(options.path, load, &report);
  draw(network, options);
  if (options.text) {
    fmt::print("{}", lacuna::print(network));
    return;
  }
  if (network.has_neuron_graphs()) return show_graphs(network, options.path, options.json);
  if (network.has_batch_in_shapes) return show_model(network, options.path, options.json);
  Json layers = Json::array();
  if (!options.json) fmt::print("{:<12} {:<8} {:<16} {:>10} {:>14} {:>9}  {}\n", "value", "operator", "of", "neurons", "edges", "density", "activation");
  for (const lacuna::Operator& op : network.operators) {
    const Layer layer = describe(network, op);
    if (options.json)
      layers.push_back({{"name", layer.name}, {"operator", layer.kind}, {"inputs", layer.inputs}, {"shape", layer.shape}, {"edges", layer.edges},
                        {"density", layer.density}, {"activation", layer.activation}});
    else
      fmt::print("{:<12} {:<8} {:<16} {:>10} {:>14} {:>8.2f}%  {}\n", layer.name, layer.kind, layer.inputs, layer.shape, with_commas(layer.edges),
                 layer.density * 100, layer.activation);
  }
  const std::uint64_t edges = lacuna::count_edges(network);
  const std::string hash = fmt::format("{:016x}", lacuna::hash(network));
  if (options.json)
    return print_json({{"input", network.width(network.input)}, {"output", network.width(network.output)}, {"edges", edges}, {"hash", hash},
                       {"from_store", report.from_store}, {"layers", layers}});
  fmt::print("\n{} inputs, {} outputs, {} edges, hash {}{}\n", with_commas(network.width(network.input)), with_commas(network.width(network.output)),
             with_commas(edges), hash, report.from_store ? fmt::format(", from {}", report.store.string()) : "");
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& command = *app.add_subcommand("inspect", "Show what a network file holds");
  command.add_option("network", options->path, "ONNX model, folder of layers, binary store, text form, genome or population")->required();
  command.add_option("--batch", options->batch, "ONNX models: inputs at once (default: what the file says, else 1)")->check(CLI::Range(1u, 1u << 20));
  auto* text = command.add_flag("--text", options->text, "Print the complete text form");
  command.add_option("--svg", options->svg, "Neuron graphs: where a picture goes");
  command.add_option("--dot", options->dot, "Neuron graphs: where a file for Graphviz goes");
  add_load_flags(command, *options);
  add_json_flag(command, *options);
  text->excludes("--json");
  command.callback([options] { inspect(*options); });
}

}  // namespace cli
