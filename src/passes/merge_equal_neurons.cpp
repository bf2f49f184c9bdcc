// merge_equal_neurons: two neurons of a layer with the same sources, weights and bias always have the same value, so one of them is enough;
// readers of both read the one with the sum of their weights. Layers are taken in order (network/merge_layers.hpp), so merges in one layer
// make more rows equal in the next.
#include <algorithm>
#include <cmath>

#include "base/ascending_set.hpp"
#include "base/parallel.hpp"
#include "network/merge_layers.hpp"
#include "passes/fixed_values.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// Rows in the making: sources that were merged become one, with the sum of their weights, added in double and rounded once. A source that
/// stands alone keeps its weight bit by bit; a sum of zero stays an entry, so that infinite and undefined values still reach the row.
class AddedRows {
 public:
  void add(const SparseMatrix& weights, std::span<const std::uint32_t> rows, const network::Renaming& sources) {
    if (sum_.size() != sources.columns) {
      sum_.resize(sources.columns);
      seen_.resize(sources.columns);
    }
    columns.clear();
    values.clear();
    row_ends.clear();
    for (const std::uint32_t row : rows) {
      if (weights.wide_columns.empty())
        add_row(weights, weights.narrow_columns.data(), row, sources);
      else
        add_row(weights, weights.wide_columns.data(), row, sources);
      row_ends.push_back(static_cast<std::uint32_t>(columns.size()));
    }
  }

  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint32_t> row_ends;

 private:
  template <typename Column>
  void add_row(const SparseMatrix& weights, const Column* sources_of_row, std::uint32_t row, const network::Renaming& sources) {
    const std::size_t begin = weights.row_begin[row];
    names_.resize(weights.row_begin[row + std::size_t{1}] - begin);
    for (std::size_t k = 0; k < names_.size(); ++k) names_[k] = sources.name[sources_of_row[begin + k]];  // apart: loads that wait for nothing
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::uint32_t source = names_[k];
      const double weight = weights.value(begin + k);
      sum_[source] = seen_.add(source) ? weight : sum_[source] + weight;
    }
    seen_.empty([&](std::uint32_t source) {
      columns.push_back(source);
      values.push_back(static_cast<float>(sum_[source]));
    });
  }

  std::vector<double> sum_;           // of each source that was seen in the row
  base::AscendingSet seen_;
  std::vector<std::uint32_t> names_;  // of the row's sources, one for each entry
};

/// A layer whose sources were merged, its rows shared out to all threads. Keeps its memory from layer to layer.
class WeightAdder {
 public:
  explicit WeightAdder(unsigned threads) : blocks_(threads) {}

  SparseMatrix operator()(const SparseMatrix& weights, std::span<const std::uint32_t> rows, const network::Renaming& sources) {
    constexpr std::size_t worth_a_thread = 512;  // rows: starting a thread takes as long as some dozens of them
    const std::size_t used = std::clamp<std::size_t>(rows.size() / worth_a_thread, 1, blocks_.size());
    base::parallel_for(static_cast<unsigned>(used), used, [&](std::size_t k, unsigned) {
      const std::size_t first = rows.size() * k / used;
      blocks_[k].add(weights, rows.subspan(first, rows.size() * (k + 1) / used - first), sources);
    });

    std::size_t nnz = 0;
    for (std::size_t k = 0; k < used; ++k) nnz += blocks_[k].columns.size();
    std::vector<std::uint32_t> row_begin{0};
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    row_begin.reserve(rows.size() + 1);
    columns.reserve(nnz);
    values.reserve(nnz);
    for (const AddedRows& block : std::span(blocks_).first(used)) {
      const auto before = static_cast<std::uint32_t>(columns.size());
      for (const std::uint32_t end : block.row_ends) row_begin.push_back(before + end);
      columns.insert(columns.end(), block.columns.begin(), block.columns.end());
      values.insert(values.end(), block.values.begin(), block.values.end());
    }
    return make_sparse_matrix(static_cast<std::uint32_t>(rows.size()), sources.columns, std::move(row_begin), std::move(columns), std::move(values));
  }

 private:
  std::vector<AddedRows> blocks_;
};

/// Sums of up to max_neurons such weights stay finite as floats. Larger ones exist in no trained network; their sources are left alone.
constexpr float largest_weight = 1e30f;
static_assert(double{largest_weight} * max_neurons < 3.4e38);

/// Values one of whose readers has weights too large to be added.
std::vector<bool> read_with_large_weights(const Network& network, unsigned threads) {
  std::vector<std::uint8_t> is_large(network.operators.size(), 0);
  base::parallel_for(threads, network.operators.size(), [&](std::size_t k, unsigned) {
    if (const auto* linear = std::get_if<Linear>(&network.operators[k].operation)) {
      unsigned large = 0;  // no early end: many at a time
      for (const float value : linear->weights.values) large |= static_cast<unsigned>(std::abs(value) > largest_weight);
      is_large[k] = large != 0;
    }
  });
  std::vector<bool> values(network.values.size(), false);
  for (std::size_t k = 0; k < is_large.size(); ++k)
    if (is_large[k] != 0) values[static_cast<std::size_t>(network.operators[k].inputs[0])] = true;
  return values;
}

}  // namespace

Network merge_equal_neurons(Network network, const PassSettings& settings) {
  const std::vector<bool> fixed = fixed_values(network);
  const std::vector<bool> large = read_with_large_weights(network, settings.threads);
  std::vector<network::MergeLayer> layers;
  for (Operator& op : network.operators) {
    auto* linear = std::get_if<Linear>(&op.operation);
    if (linear == nullptr) continue;
    const auto output = static_cast<std::size_t>(op.output);
    layers.push_back({&linear->weights, &linear->bias, static_cast<std::size_t>(op.inputs[0]), output, !fixed[output] && !large[output]});
  }
  network::merge_layers(layers, network.values.size(), WeightAdder(settings.threads), {settings.threads, settings.progress, "merging equal neurons"});
  for (const network::MergeLayer& layer : layers)
    if (network.values[layer.output].shape.size() != layer.weights->rows) network.values[layer.output].shape = {{layer.weights->rows}};
  return network;
}

}  // namespace lacuna::passes
