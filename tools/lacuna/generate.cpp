// `lacuna generate radix|general|inputs`: networks and inputs to measure with.
#include <fmt/format.h>

#include "command.hpp"

namespace cli {
namespace {

struct GenerateOptions : CommonOptions {
  lacuna::RadixOptions radix;
  lacuna::GeneralOptions general;
  lacuna::InputOptions inputs;
  std::string residues;
  std::string images;
  std::string out;
};

void tell_network(const GenerateOptions& options, const lacuna::Network& network, double seconds) {
  if (options.json)
    return print_json({{"folder", options.out}, {"layers", network.operators.size()}, {"edges", lacuna::count_edges(network)}, {"seconds", seconds}});
  fmt::print("{} layers, {} edges written to {} in {}\n", with_commas(network.operators.size()), with_commas(lacuna::count_edges(network)),
             options.out, in_seconds(seconds));
}

void write_network(const GenerateOptions& options, const lacuna::Network& network, const Stopwatch& watch) {
  lacuna::write_challenge_folder(network, options.out, progress_bar());
  tell_network(options, network, watch.seconds());
}

void add_radix(CLI::App& parent, const std::shared_ptr<GenerateOptions>& options) {
  CLI::App& command = *parent.add_subcommand("radix", "The challenge's RadiX-Net: n<N>-l<k>.tsv");
  command.add_option("--neurons", options->radix.neurons, "16 times a power of two")->capture_default_str();
  command.add_option("--layers", options->radix.layers, "Layers")->capture_default_str();
  command.add_option("--residues", options->residues, "The official permutations: [groups][neurons] residues");
  command.add_option("--seed", options->radix.seed, "Of the permutations, without --residues")->capture_default_str();
  command.add_option("-o,--output", options->out, "Folder to write to")->required();
  add_json_flag(command, *options);
  command.callback([options] {
    const Stopwatch watch;
    options->radix.residues = options->residues;
    write_network(*options, lacuna::generate_radix(options->radix), watch);
  });
}

void add_general(CLI::App& parent, const std::shared_ptr<GenerateOptions>& options) {
  CLI::App& command = *parent.add_subcommand("general", "Random fan-in, weights and biases, no input dies: the honest network");
  command.add_option("--neurons", options->general.neurons, "Neurons of each layer")->capture_default_str();
  command.add_option("--layers", options->general.layers, "Layers")->capture_default_str();
  command.add_option("--fan-in-low", options->general.fan_in_low, "Fewest sources of a neuron")->capture_default_str();
  command.add_option("--fan-in-high", options->general.fan_in_high, "Most sources of a neuron")->capture_default_str();
  command.add_option("--seed", options->general.seed, "Of everything random")->capture_default_str();
  command.add_option("-o,--output", options->out, "Folder to write to")->required();
  add_json_flag(command, *options);
  command.callback([options] {
    const Stopwatch watch;
    write_network(*options, lacuna::generate_general(options->general), watch);
  });
}

void add_inputs(CLI::App& parent, const std::shared_ptr<GenerateOptions>& options) {
  CLI::App& command = *parent.add_subcommand("inputs", "Official-like inputs: about 10% ones");
  command.add_option("--neurons", options->inputs.neurons, "A square")->capture_default_str();
  command.add_option("--count", options->inputs.count, "How many")->capture_default_str();
  command.add_option("--images", options->images, "MNIST images (idx; default: LACUNA_DATA's, else Debian's dataset-fashion-mnist, else strokes)");
  command.add_option("--seed", options->inputs.seed, "Of everything random")->capture_default_str();
  command.add_option("-o,--output", options->out, "File to write")->required();
  add_json_flag(command, *options);
  command.callback([options] {
    const Stopwatch watch;
    std::string source;
    options->inputs.images = options->images;
    const lacuna::SparseMatrix inputs = lacuna::generate_inputs(options->inputs, &source);
    lacuna::write_inputs(inputs, options->out);
    if (options->json)
      return print_json({{"file", options->out}, {"inputs", inputs.rows}, {"ones", inputs.nnz()}, {"source", source}, {"seconds", watch.seconds()}});
    fmt::print("{} inputs, {} ones ({}) written to {} in {}\n", with_commas(inputs.rows), with_commas(inputs.nnz()), source, options->out,
               in_seconds(watch.seconds()));
  });
}

}  // namespace

void add_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App& command = *app.add_subcommand("generate", "Make a network or inputs to measure with");
  command.require_subcommand(1);
  add_radix(command, options);
  add_general(command, options);
  add_inputs(command, options);
}

}  // namespace cli
