// `lacuna run`: a network, inputs, outputs.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "graph_commands.hpp"
#include "network_inputs.hpp"
#include "prediction.hpp"
#include "tensor_commands.hpp"

namespace cli {
namespace {

struct RunOptions : CommonOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string input;
  std::string output;
  std::string labels;
};

/// The share of inputs whose largest output stands at the label.
double accuracy(const lacuna::Tensor& outputs, const lacuna::Tensor& labels, const std::string& file) {
  if (labels.values.size() != outputs.rows())
    throw lacuna::InputError(file, fmt::format("{} labels for {} inputs", labels.values.size(), outputs.rows()));
  std::size_t right = 0;
  for (std::size_t row = 0; row < outputs.rows(); ++row) {
    const auto begin = outputs.values.begin() + static_cast<std::ptrdiff_t>(row * outputs.row_size());
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(outputs.row_size())) - begin;
    right += static_cast<float>(best) == labels.values[row];
  }
  return static_cast<double>(right) / static_cast<double>(outputs.rows());
}

/// A layered network has one input and one output.
void take_single_files(RunOptions& options) {
  if (options.inputs.size() != 1 || options.outputs.size() > 1) throw lacuna::InputError("a layered network takes one --input and one --output");
  options.input = options.inputs[0];
  if (!options.outputs.empty()) options.output = options.outputs[0];
}

void run_network(const RunOptions& options) {
  if (!options.output.empty()) check_folder_of(options.output);
  lacuna::LoadReport loaded;
  const Stopwatch load_watch;
  const lacuna::Network network = load_network(options.path, load_options(options), &loaded);
  if (network.has_neuron_graphs()) return run_graphs(network, options.path, options.input, options.output, load_watch.seconds(), options);
  const NetworkInputs inputs = load_network_inputs(options.input, network, options);
  const double seconds_load = load_watch.seconds();
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile_options(options, loaded));
  const double seconds_compile = compile_watch.seconds();
  lacuna::Session session = program.open();
  const lacuna::Outputs outputs = run_inputs(session, inputs);

  Json json{{"inputs", outputs.inputs}, {"outputs", outputs.width}, {"survivors", outputs.survivors.size()}, {"device", program.device()},
            {"isa", program.isa()}, {"threads", program.threads()}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile},
            {"seconds_run", session.report().seconds}};
  if (!options.output.empty() || !options.labels.empty()) {
    const lacuna::Tensor tensor = outputs.to_tensor();
    if (!options.output.empty()) {
      lacuna::save_tensor(tensor, options.output);
      json["output"] = options.output;
    }
    if (!options.labels.empty()) json["accuracy"] = accuracy(tensor, lacuna::load_tensor(options.labels), options.labels);
  }
  add_streaming(json, session.report());
  if (options.json) return print_json(json);
  print_line("inputs", fmt::format("{} ({})", with_commas(outputs.inputs), options.input));
  print_line("outputs", fmt::format("{} each{}", with_commas(outputs.width), options.output.empty() ? "" : ", written to " + options.output));
  print_line("survivors", fmt::format("{} inputs have a nonzero output", with_commas(outputs.survivors.size())));
  print_line("time", fmt::format("load {}, compile {}, run {} on {}", in_seconds(seconds_load), in_seconds(seconds_compile),
                                 in_seconds(session.report().seconds), where(program)));
  print_streaming(session.report(), Json::array());
  if (!options.labels.empty()) print_line("accuracy", fmt::format("{:.2f}%", 100 * json["accuracy"].get<double>()));
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Run inputs through a network");
  command.add_option("network", options->path, network_help)->required();
  command.add_option("--input", options->inputs, "Inputs: .npy, MNIST idx, challenge TSV or Matrix Market; a model with several takes as many")->required();
  command.add_option("--output", options->outputs, "Where the outputs go, as .npy; a model with several takes as many");
  command.add_option("--labels", options->labels, "Labels (.npy or MNIST idx): tells the accuracy");
  add_load_flags(command, *options);
  add_compile_flags(command, *options);
  add_json_flag(command, *options);
  command.callback([options] {
    if (is_model(options->path)) return run_model(options->path, options->inputs, options->outputs, *options);
    take_single_files(*options);
    run_network(*options);
  });
}

}  // namespace cli
