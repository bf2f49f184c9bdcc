// Challenge layers: `input \t output \t weight`, counted from 1, or the same as a Matrix Market matrix.
#include <fmt/format.h>

#include <lacuna/error.hpp>
#include <lacuna/load.hpp>

#include "base/parallel.hpp"
#include "frontends/graph_challenge/folder.hpp"
#include "frontends/layer_plan.hpp"
#include "frontends/text/compress_rows.hpp"
#include "frontends/text/matrix_market.hpp"
#include "frontends/text/value_list.hpp"

namespace lacuna::frontends {
namespace {

namespace fs = std::filesystem;

/// The head's sizes bound nothing here: they only have to agree with the name's.
void check_shape(const MatrixMarketHead& head, std::uint32_t neurons, const std::string& name) {
  if (head.rows != neurons || head.columns != neurons)
    throw InputError(
        name, head.lines, 1,
        fmt::format("the matrix is {} x {}, but its name promises {} x {}", head.rows, head.columns, neurons, neurons));
}

Array<float> read_bias(const fs::path& file, std::uint32_t neurons) {
  const auto source = base::open_source(file);
  std::vector<float> bias = read_values(*source, file.string());
  if (bias.size() != neurons)
    throw InputError(file.string(), fmt::format("holds {} biases for {} neurons", bias.size(), neurons));
  return bias;
}

store::Fingerprint fingerprint_of(const ChallengeFolder& folder, const LoadOptions& options) {
  store::FingerprintBuilder builder;
  builder.add_text(fmt::format("challenge {} {}", folder.neurons, folder.layers.size()));
  builder.add_text(options.bias ? fmt::format("bias {}", *options.bias) : "bias of the challenge");
  builder.add_text(options.activation ? to_string(*options.activation) : "activation of the challenge");
  for (const ChallengeLayer& layer : folder.layers) {
    builder.add_file(layer.weights);
    if (!layer.bias.empty()) builder.add_file(layer.bias);
  }
  return builder.finish();
}

}  // namespace

SparseMatrix read_challenge_layer(base::ByteSource& source, const std::string& name, std::uint32_t neurons,
                                  std::uint32_t number, unsigned threads, std::uint64_t& text_bytes) {
  base::TextBlocks blocks(source, name);
  const std::string place = fmt::format("layer {} ({} neurons)", number, neurons);
  EdgeRules rules{.first = {"row", neurons, place}, .second = {"column", neurons, place}};
  MatrixMarketHead head;
  const bool has_head = is_matrix_market(name);
  if (has_head) {
    head = read_matrix_market_head(blocks, name);
    check_shape(head, neurons, name);
    rules.has_value = head.has_value;
    rules.counting = matrix_market_counting;
  }
  const EdgeList list = read_edges(blocks, source, name, rules, head.lines, threads, nullptr);
  if (has_head) check_entries(head, list.size(), name);
  if (list.size() == 0) throw InputError(name, fmt::format("is empty; layer {} needs at least one edge", number));
  text_bytes = list.text_bytes;
  return compress_rows(list, RowIndex::second, neurons, neurons, name, rules);
}

Network load_challenge(const fs::path& folder, const LoadOptions& options, LoadReport& report) {
  const ChallengeFolder found = find_challenge_layers(folder, options);
  const auto layers = static_cast<std::uint32_t>(found.layers.size());
  const unsigned threads_for_one = std::max(1u, base::thread_count(options.threads) / layers);
  const Array<float> constant = std::vector{options.bias ? *options.bias : challenge_bias(found.neurons)};

  LayerPlan plan;
  plan.layers = layers;
  plan.store = folder / fmt::format("n{}-l{}.lstore", found.neurons, layers);
  plan.fingerprint = fingerprint_of(found, options);
  plan.read = [&](std::uint32_t k, std::atomic<std::uint64_t>& text_bytes) {
    const ChallengeLayer& layer = found.layers[k];
    const auto source = base::open_source(layer.weights);
    std::uint64_t bytes = 0;
    Linear linear;
    linear.weights =
        read_challenge_layer(*source, layer.weights.string(), found.neurons, k + 1, threads_for_one, bytes);
    linear.bias = layer.bias.empty() ? constant : read_bias(layer.bias, found.neurons);
    linear.activation = options.activation.value_or(Activation::clip(0, 32));
    text_bytes += bytes;
    return linear;
  };
  return load_layers(plan, options, report);
}

}  // namespace lacuna::frontends

namespace lacuna {

float challenge_bias(std::uint32_t neurons) {
  if (neurons <= 1024) return -0.3f;
  if (neurons <= 4096) return -0.35f;
  if (neurons <= 16384) return -0.4f;
  return -0.45f;
}

}  // namespace lacuna
