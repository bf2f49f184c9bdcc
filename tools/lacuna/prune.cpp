// `lacuna prune`: magnitude pruning of an ONNX file.
#include <fmt/format.h>

#include <fstream>
#include <lacuna/onnx.hpp>

#include "command.hpp"

namespace cli {
namespace {

struct PruneCommand : CommonOptions {
  std::string from;
  std::string to;
  double sparsity = -1;
  std::string per_layer;
  std::string scope = "layer";
  bool keep_first = false;
  bool prune_first = false;
  bool depthwise = false;
};

std::map<std::string, double> read_per_layer(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw lacuna::InputError(file, "cannot be opened");
  const Json json = Json::parse(stream, nullptr, false);
  const auto is_share = [](const Json& value) { return value.is_number(); };
  if (!json.is_object() || !std::all_of(json.begin(), json.end(), is_share))
    throw lacuna::InputError(file, "is not of the form {\"name of weights or node\": 0.9, ...}");
  std::map<std::string, double> shares;
  for (const auto& [name, share] : json.items()) shares[name] = share.get<double>();
  return shares;
}

void show(const lacuna::PruneReport& report, const PruneCommand& command) {
  std::uint64_t parameters = 0;
  std::uint64_t zeros = 0;
  Json layers = Json::array();
  if (!command.json) fmt::print("{:<40} {:>20} {:>12} {:>9} {:>9}\n", "weights", "shape", "parameters", "before", "zeros");
  for (const lacuna::PrunedLayer& layer : report.layers) {
    parameters += layer.parameters;
    zeros += layer.zeros;
    const auto share = [&](std::uint64_t count) { return layer.parameters == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(layer.parameters); };
    if (command.json)
      layers.push_back({{"node", layer.node}, {"weights", layer.weights}, {"shape", layer.shape}, {"parameters", layer.parameters}, {"sparsity_before", share(layer.zeros_before)},
                        {"sparsity", share(layer.zeros)}, {"note", layer.note}});
    else
      fmt::print("{:<40} {:>20} {:>12} {:>8.2f}% {:>8.2f}%{}\n", layer.weights, fmt::format("{}", fmt::join(layer.shape, "x")), with_commas(layer.parameters),
                 share(layer.zeros_before) * 100, share(layer.zeros) * 100, layer.note.empty() ? "" : "  kept: " + layer.note);
  }
  const double sparsity = parameters == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(parameters);
  if (command.json)
    return print_json({{"model", command.from}, {"output", command.to}, {"parameters", parameters}, {"sparsity", sparsity}, {"bytes_before", report.bytes_before},
                       {"bytes", report.bytes}, {"layers", layers}});
  fmt::print("\n{} of {} weights are zero now ({:.2f}%); written to {} ({} bytes; `lacuna convert --sparse` leaves the zeros out)\n", with_commas(zeros), with_commas(parameters),
             sparsity * 100, command.to, with_commas(report.bytes));
}

void prune(const PruneCommand& command) {
  lacuna::PruneOptions options;
  if (command.sparsity >= 0) options.sparsity = command.sparsity;
  if (!command.per_layer.empty()) options.per_layer = read_per_layer(command.per_layer);
  if (!options.sparsity && options.per_layer.empty()) throw lacuna::InputError("give --sparsity, --per-layer or both");
  options.is_global = command.scope == "global";
  options.prune_first = command.prune_first;
  options.prune_depthwise = command.depthwise;
  check_folder_of(command.to);
  show(lacuna::prune_onnx(command.from, command.to, options), command);
}

}  // namespace

void add_prune(CLI::App& app) {
  auto options = std::make_shared<PruneCommand>();
  CLI::App& command = *app.add_subcommand("prune", "Set the smallest weights of an ONNX model to zero");
  command.add_option("model", options->from, "ONNX model")->required();
  command.add_option("-o,--output", options->to, "Where the pruned model goes")->required();
  command.add_option("--sparsity", options->sparsity, "Share of zeros, 0 to 1")->check(CLI::Range(0.0, 1.0));
  command.add_option("--per-layer", options->per_layer, "JSON file {name of weights or node: share}; the others take --sparsity, or stay");
  command.add_option("--scope", options->scope, "layer (each takes the share) or global (one threshold for all)")->capture_default_str()->check(CLI::IsMember({"layer", "global"}));
  auto* keep = command.add_flag("--keep-first", options->keep_first, "Leave the first layer alone (as is usual)");
  command.add_flag("--prune-first", options->prune_first, "Prune the first layer, too")->excludes(keep);
  command.add_flag("--depthwise", options->depthwise, "Prune depthwise convolutions, too");
  add_json_flag(command, *options);
  command.callback([options] { prune(*options); });
}

}  // namespace cli
