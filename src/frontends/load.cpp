// load: looks at what is there and hands it to the front end that reads it.
#include <fmt/format.h>

#include <filesystem>
#include <lacuna/error.hpp>
#include <lacuna/load.hpp>
#include <string_view>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "frontends/graph_challenge/folder.hpp"
#include "frontends/neuro/file_text.hpp"
#include "frontends/neuro/load_neuro.hpp"
#include "frontends/onnx/read_onnx.hpp"
#include "frontends/trained/folder.hpp"
#include "store/network_store.hpp"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view accepted =
    "a folder of challenge layers (n1024-l1.tsv, ...), a trained folder (weights/ and biases/), a binary store "
    "(.lstore), "
    "the text form (first line \"lacuna network\"), an ONNX model (.onnx), or networks of neuroevolution (.json, .net, .edges, .graphml, .yml, genomes; a folder "
    "or an archive of them)";

/// A store and a text form say everything themselves; options that disagree are a mistake, not a wish.
void check_options(const Network& network, const fs::path& file, const LoadOptions& options) {
  if (options.bias || options.activation)
    throw InputError(file.string(), "brings its own biases and activations; they cannot be given for it");
  if (options.neurons != 0 && options.neurons != network.width(network.input))
    throw InputError(file.string(), fmt::format("has {} input neurons, but {} were asked for",
                                                network.width(network.input), options.neurons));
  if (options.layers != 0 && options.layers != network.operators.size())
    throw InputError(file.string(),
                     fmt::format("has {} layers, but {} were asked for", network.operators.size(), options.layers));
}

/// Neuron graphs say everything themselves but how often they are updated.
void check_graph_options(const fs::path& path, const LoadOptions& options) {
  if (options.bias || options.activation || options.neurons != 0 || options.layers != 0)
    throw InputError(path.string(), "brings its own neurons, biases and activations; they cannot be given for it");
}

Network load_file(const fs::path& file, const LoadOptions& options, LoadReport& report) {
  constexpr std::string_view first_words = "lacuna network";
  Network network;
  if (store::is_store(file)) {
    network = store::open_network(file, base::thread_count(options.threads), store::Checksums::check, &report.key);
    report.from_store = true;
    report.store = file;
  } else {
    const frontends::FileText held(file);
    const std::string_view text = held.text();
    if (const frontends::GraphReader reader = frontends::find_graph_reader(file, text); reader != nullptr && !text.starts_with(first_words)) {
      check_graph_options(file, options);
      report.text_bytes = text.size();
      return frontends::load_graph_file(text, file, reader, options);
    }
    if (!text.starts_with(first_words))
      throw InputError(file.string(), fmt::format("is no network: it starts with {}; give {}",
                                                  base::quote(text.substr(0, 16)), accepted));
    network = parse(text, file.string());
    report.text_bytes = text.size();
  }
  check_options(network, file, options);
  return network;
}

Network load_onnx_model(const fs::path& file, const LoadOptions& options) {
  if (options.bias || options.activation || options.neurons != 0 || options.layers != 0)
    throw InputError(file.string(), "brings its own layers, biases and activations; they cannot be given for it");
  return frontends::load_onnx(file, options);
}

Network load_path(const fs::path& path, const LoadOptions& options, LoadReport& told) {
  if (!fs::exists(path)) throw InputError(path.string(), fmt::format("does not exist; give {}", accepted));
  if (!fs::is_directory(path) && path.extension() == ".onnx") return load_onnx_model(path, options);
  if (!fs::is_directory(path) && frontends::is_archive(path)) {
    check_graph_options(path, options);
    return frontends::load_archive(path, options, told);
  }
  if (!fs::is_directory(path)) return load_file(path, options, told);
  if (frontends::is_trained_folder(path)) return frontends::load_trained(path, options, told);
  if (frontends::has_challenge_layers(path)) return frontends::load_challenge(path, options, told);
  if (frontends::has_population(path)) {
    check_graph_options(path, options);
    return frontends::load_population(path, options, told);
  }
  throw InputError(path.string(), fmt::format("holds no network; give {}", accepted));
}

}  // namespace

Network load(const fs::path& path, const LoadOptions& options, LoadReport* report) {
  LoadReport told;
  try {
    Network network = load_path(path, options, told);
    if ((options.steps != 0 || options.time_step != 0) && !network.has_neuron_graphs())
      throw InputError(path.string(), "is no neuron graph; steps and a time step cannot be given for it");
    if (report != nullptr) *report = std::move(told);
    return network;
  } catch (const fs::filesystem_error& error) {
    throw InputError(path.string(), "cannot be examined: " + error.code().message());
  }
}

}  // namespace lacuna
