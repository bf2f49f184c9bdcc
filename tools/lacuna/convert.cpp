// `lacuna convert`: ONNX files with their zeros left out, or stored again; neuron graphs from one format to another.
#include <fmt/format.h>

#include <filesystem>

#include <lacuna/neuro.hpp>
#include <lacuna/onnx.hpp>

#include "command.hpp"
#include "show_graphs.hpp"

namespace cli {
namespace {

struct ConvertCommand : CommonOptions {
  std::string from;
  std::string to;
  bool sparse = false;
  bool dense = false;
};

void convert_graph(const ConvertCommand& command) {
  if (command.sparse || command.dense) throw lacuna::InputError("--sparse and --dense are for ONNX models");
  check_folder_of(command.to);
  const lacuna::Network network = load_network(command.from, load_options(command));
  const lacuna::NeuronGraph& graph = only_graph(network, command.from, "convert");
  lacuna::save_neuron_graph(graph, command.to);
  if (command.json) return print_json({{"network", command.from}, {"output", command.to}, {"nodes", graph.nodes()}, {"edges", graph.weights.size()}});
  fmt::print("{} nodes and {} edges written to {}\n", with_commas(graph.nodes()), with_commas(graph.weights.size()), command.to);
}

void convert(const ConvertCommand& command) {
  const bool is_model = std::filesystem::path(command.from).extension() == ".onnx" || command.sparse || command.dense;
  if (!is_model) return convert_graph(command);
  if (!command.sparse && !command.dense) throw lacuna::InputError("give --sparse or --dense");
  check_folder_of(command.to);
  const lacuna::ConvertReport report = lacuna::convert_onnx(command.from, command.to, command.sparse ? lacuna::OnnxZeros::left_out : lacuna::OnnxZeros::stored);
  const double share = report.bytes_before == 0 ? 0 : static_cast<double>(report.bytes) / static_cast<double>(report.bytes_before);
  if (command.json)
    return print_json({{"model", command.from}, {"output", command.to}, {"tensors", report.tensors}, {"bytes_before", report.bytes_before}, {"bytes", report.bytes}});
  fmt::print("{} tensors are {} now; written to {}: {} bytes of {} ({:.1f}%)\n", with_commas(report.tensors), command.sparse ? "sparse" : "dense", command.to,
             with_commas(report.bytes), with_commas(report.bytes_before), share * 100);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertCommand>();
  CLI::App& command = *app.add_subcommand("convert", "Write an ONNX model with its zeros left out, or stored; or a neuron graph in another format");
  command.add_option("model", options->from, "ONNX model, or the file of a neuron graph")->required();
  command.add_option("output", options->to, "Where the new one goes; of a neuron graph .json (neat-python), .net (SharpNEAT), .edges, .graphml or .dot")->required();
  auto* sparse = command.add_flag("--sparse", options->sparse, "ONNX: leave zeros out (sparse_initializer) where that makes the file smaller");
  command.add_flag("--dense", options->dense, "ONNX: store every zero")->excludes(sparse);
  add_json_flag(command, *options);
  command.callback([options] { convert(*options); });
}

}  // namespace cli
