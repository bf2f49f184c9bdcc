#include "frontends/trained/folder.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>
#include <map>
#include <string>

#include "base/text_blocks.hpp"
#include "frontends/layer_plan.hpp"
#include "frontends/text/compress_rows.hpp"
#include "frontends/text/value_list.hpp"

namespace lacuna::frontends {
namespace {

namespace fs = std::filesystem;

struct TrainedLayer {
  fs::path weights;
  fs::path bias;
  bool dense = false;
};

/// The file of layer `number` in one of its forms, packed or not; empty if there is none.
fs::path find_form(const fs::path& folder, std::uint32_t number, const char* form) {
  for (const char* packing : {"", ".zst", ".gz"}) {
    fs::path file = folder / fmt::format("l{}-{}.tsv{}", number, form, packing);
    if (fs::is_regular_file(file)) return file;
  }
  return {};
}

std::vector<TrainedLayer> find_layers(const fs::path& folder, const LoadOptions& options) {
  std::vector<TrainedLayer> layers;
  for (std::uint32_t number = 1; options.layers == 0 || number <= options.layers; ++number) {
    TrainedLayer layer;
    layer.weights = find_form(folder / "weights", number, "sparse");
    layer.dense = layer.weights.empty();
    if (layer.dense) layer.weights = find_form(folder / "weights", number, "dense");
    if (layer.weights.empty()) break;
    layer.bias = find_form(folder / "biases", number, layer.dense ? "dense" : "sparse");
    if (layer.bias.empty())
      throw InputError(
          (folder / "biases" / fmt::format("l{}-{}.tsv", number, layer.dense ? "dense" : "sparse")).string(),
          fmt::format("is missing: layer {} has weights but no biases", number));
    layers.push_back(std::move(layer));
  }
  if (layers.empty() || layers.size() < options.layers)
    throw InputError((folder / "weights" / fmt::format("l{}-sparse.tsv", layers.size() + 1)).string(),
                     fmt::format("is missing, and so is the dense form: {} layers were asked for, the folder holds {}",
                                 std::max(1u, options.layers), layers.size()));
  return layers;
}

std::vector<float> read_all_values(const fs::path& file) {
  const auto source = base::open_source(file);
  std::vector<float> values = read_values(*source, file.string());
  if (values.empty()) throw InputError(file.string(), "is empty; it needs one value a line");
  return values;
}

/// Row-major inputs x outputs on the disk; zeros are no edges.
SparseMatrix read_dense(const fs::path& file, std::uint32_t inputs, std::uint32_t outputs) {
  const std::vector<float> dense = read_all_values(file);
  if (dense.size() % outputs != 0 || (inputs != 0 && dense.size() / outputs != inputs))
    throw InputError(file.string(), fmt::format("holds {} weights, which are not {} inputs x {} outputs", dense.size(),
                                                inputs == 0 ? "any number of" : std::to_string(inputs), outputs));
  inputs = static_cast<std::uint32_t>(dense.size() / outputs);
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::uint32_t output = 0; output < outputs; ++output) {
    for (std::uint32_t input = 0; input < inputs; ++input) {
      const float value = dense[input * std::size_t{outputs} + output];
      if (value == 0) continue;
      columns.push_back(input);
      values.push_back(value);
    }
    row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  return make_sparse_matrix(outputs, inputs, std::move(row_begin), std::move(columns), std::move(values));
}

/// `inputs` 0: as many as the largest index says.
SparseMatrix read_sparse(const fs::path& file, std::uint32_t number, std::uint32_t inputs, std::uint32_t outputs,
                         std::uint64_t& text_bytes) {
  const auto source = base::open_source(file);
  base::TextBlocks blocks(*source, file.string());
  const EdgeRules rules{
      .first = {"row", inputs != 0 ? inputs : static_cast<std::uint32_t>(max_neurons),
                fmt::format("the inputs of layer {} ({} neurons)", number, inputs != 0 ? inputs : max_neurons)},
      .second = {"column", outputs, fmt::format("layer {} ({} neurons)", number, outputs)},
      .index_base = 0,
      .counting = "trained folders count from 0"};
  const EdgeList list = read_edges(blocks, *source, file.string(), rules, 0, 1, nullptr);
  if (list.size() == 0)
    throw InputError(file.string(), fmt::format("is empty; layer {} needs at least one edge", number));
  if (inputs == 0) inputs = static_cast<std::uint32_t>(count_indices(list, RowIndex::first));
  text_bytes = list.text_bytes;
  return compress_rows(list, RowIndex::second, outputs, inputs, file.string(), rules);
}

store::Fingerprint fingerprint_of(const std::vector<TrainedLayer>& layers, const LoadOptions& options) {
  store::FingerprintBuilder builder;
  builder.add_text(fmt::format("trained {} {}", options.neurons, layers.size()));
  builder.add_text(options.activation ? to_string(*options.activation) : "clip to one");
  for (const TrainedLayer& layer : layers) {
    builder.add_file(layer.weights);
    builder.add_file(layer.bias);
  }
  return builder.finish();
}

}  // namespace

bool is_trained_folder(const fs::path& folder) {
  return fs::is_directory(folder / "weights") && fs::is_directory(folder / "biases");
}

Network load_trained(const fs::path& folder, const LoadOptions& options, LoadReport& report) {
  if (options.bias) throw InputError(folder.string(), "brings its own biases; none can be given for it");
  const std::vector<TrainedLayer> layers = find_layers(folder, options);
  LayerPlan plan;
  plan.layers = static_cast<std::uint32_t>(layers.size());
  plan.store = folder / "network.lstore";
  plan.fingerprint = fingerprint_of(layers, options);
  plan.read = [&](std::uint32_t k, std::atomic<std::uint64_t>& text_bytes) {
    const TrainedLayer& layer = layers[k];
    Linear linear;
    std::vector<float> bias = read_all_values(layer.bias);
    const auto outputs = static_cast<std::uint32_t>(bias.size());
    const std::uint32_t inputs =
        k == 0 ? options.neurons : static_cast<std::uint32_t>(read_all_values(layers[k - 1].bias).size());
    std::uint64_t bytes = fs::file_size(layer.weights);
    linear.weights = layer.dense ? read_dense(layer.weights, inputs, outputs)
                                 : read_sparse(layer.weights, k + 1, inputs, outputs, bytes);
    linear.bias = std::move(bias);
    linear.activation =
        k + 1 == layers.size() ? Activation::identity() : options.activation.value_or(Activation::clip(0, 1));
    text_bytes += bytes;
    return linear;
  };
  return load_layers(plan, options, report);
}

}  // namespace lacuna::frontends
