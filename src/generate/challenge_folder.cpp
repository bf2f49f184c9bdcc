// write_challenge_folder: a layered network as the challenge's text files, one a layer: `input \t output \t weight`,
// counted from 1, sorted by output and then by input. Biases go to a file beside the layer where the network's size
// does not say them.
#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <mutex>
#include <set>
#include <system_error>

#include "base/parallel.hpp"
#include "generate/text_lines.hpp"

namespace lacuna {
namespace generate {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// The layers in order; throws Unsupported for what these files cannot say.
std::vector<const Linear*> layers_of(const Network& network) {
  std::vector<const Linear*> layers;
  ValueId last = network.input;
  for (const Operator& step : network.operators) {
    const Linear* linear = std::get_if<Linear>(&step.operation);
    const std::string& name = network.value(step.output).name;
    if (linear == nullptr || step.inputs.size() != 1 || step.inputs[0] != last)
      throw Unsupported(
          fmt::format("{}: challenge files hold a chain of linear layers without skip connections", name));
    if (linear->activation != Activation::clip(0, 32))
      throw Unsupported(fmt::format("{}: challenge files imply the activation clip(0, 32), this layer has {}", name,
                                    to_string(linear->activation)));
    layers.push_back(linear);
    last = step.output;
  }
  return layers;
}

/// A reader of the files gives this bias to a layer without a bias file.
bool bias_is_implied(const Linear& layer, std::uint32_t neurons) {
  return layer.bias.size() == 1 && layer.bias[0] == challenge_bias(neurons);
}

std::string layer_name(std::uint32_t neurons, std::size_t layer) {
  return fmt::format("n{}-l{}.tsv", neurons, layer + 1);
}
std::string bias_name(std::uint32_t neurons, std::size_t layer) {
  return fmt::format("n{}-l{}-bias.tsv", neurons, layer + 1);
}

/// Layers of another network left in the folder would be read as part of this one.
void check_folder(const std::filesystem::path& folder, std::uint32_t neurons, const std::set<std::string>& written) {
  const std::string prefix = fmt::format("n{}-l", neurons);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find(".tsv") != std::string::npos && !written.contains(name))
      throw InputError(folder.string(),
                       fmt::format("already holds {}, which is not part of this network; give an empty folder", name));
  }
}

void write_layer(const SparseMatrix& weights, const std::filesystem::path& path) {
  base::AtomicFile file(path);
  TextLines lines(buffer_bytes);
  const std::string shared = weights.has_one_value() && weights.nnz() > 0 ? weight_text(weights.value(0)) : "";
  for (std::uint32_t row = 0; row < weights.rows; ++row) {
    std::string ending = fmt::format("\t{}\t{}\n", row + 1, shared);
    if (shared.empty()) ending.pop_back();
    for (std::size_t entry = weights.row_begin[row]; entry < weights.row_begin[row + std::size_t{1}]; ++entry) {
      lines.add(weights.column(entry) + 1);
      lines.add(ending);
      if (shared.empty()) {
        lines.add(weight_text(weights.value(entry)));
        lines.add("\n");
      }
      if (lines.full()) lines.write_to(file);
    }
  }
  lines.write_to(file);
  file.commit();
}

void write_bias(const Linear& layer, const std::filesystem::path& path) {
  base::AtomicFile file(path);
  TextLines lines(buffer_bytes);
  for (std::size_t row = 0; row < layer.weights.rows; ++row) {
    const float bias = layer.bias.empty() ? 0 : layer.bias[layer.bias.size() == 1 ? 0 : row];
    lines.add(shortest_text(bias));
    lines.add("\n");
    if (lines.full()) lines.write_to(file);
  }
  lines.write_to(file);
  file.commit();
}

}  // namespace
}  // namespace generate

void write_challenge_folder(const Network& network, const std::filesystem::path& folder, const Progress& progress) {
  const std::vector<const Linear*> layers = generate::layers_of(network);
  const std::uint32_t neurons = network.width(network.input);
  std::error_code refused;
  std::filesystem::create_directories(folder, refused);
  if (refused) throw DeviceError(fmt::format("{}: cannot be made a folder: {}", folder.string(), refused.message()));

  std::set<std::string> names;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    names.insert(generate::layer_name(neurons, l));
    if (!generate::bias_is_implied(*layers[l], neurons)) names.insert(generate::bias_name(neurons, l));
  }
  generate::check_folder(folder, neurons, names);

  std::mutex progress_mutex;
  std::size_t done = 0;
  base::parallel_for(base::thread_count(0), layers.size(), [&](std::size_t l, unsigned) {
    generate::write_layer(layers[l]->weights, folder / generate::layer_name(neurons, l));
    if (names.contains(generate::bias_name(neurons, l)))
      generate::write_bias(*layers[l], folder / generate::bias_name(neurons, l));
    const std::lock_guard lock(progress_mutex);
    ++done;
    if (progress) progress("writing layers", done, layers.size());
  });
}

}  // namespace lacuna
