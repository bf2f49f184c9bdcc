// merge_equal_neurons: two neurons of a layer with the same sources, weights and bias always have the same value, so one of them is enough;
// readers of both read the one with the sum of their weights. Layers are taken in order, so merges in one layer make more rows equal in
// the next. Equal rows are found by hash and confirmed by value.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// For each neuron as given, the neuron that stands for it; empty: nothing was merged.
using Merged = std::vector<std::uint32_t>;

/// The rows of a layer while they are compared: columns and weights in full width.
struct Rows {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> weights;
  std::vector<float> bias;  ///< one for each row

  std::size_t size() const { return begin.size() - 1; }
  std::size_t length(std::size_t row) const { return begin[row + 1] - begin[row]; }

  std::uint64_t hash(std::size_t row) const {
    const std::uint64_t of_columns = XXH3_64bits(columns.data() + begin[row], length(row) * sizeof(std::uint32_t));
    return XXH3_64bits_withSeed(weights.data() + begin[row], length(row) * sizeof(float), of_columns ^ std::bit_cast<std::uint32_t>(bias[row]));
  }
  bool equal(std::size_t a, std::size_t b) const {
    return length(a) == length(b) && std::bit_cast<std::uint32_t>(bias[a]) == std::bit_cast<std::uint32_t>(bias[b]) &&
           std::memcmp(columns.data() + begin[a], columns.data() + begin[b], length(a) * sizeof(std::uint32_t)) == 0 &&
           std::memcmp(weights.data() + begin[a], weights.data() + begin[b], length(a) * sizeof(float)) == 0;
  }
};

Rows rows_of(const Linear& linear) {
  const SparseMatrix& matrix = linear.weights;
  Rows rows;
  rows.begin.assign(matrix.row_begin.begin(), matrix.row_begin.end());
  rows.columns.resize(matrix.nnz());
  rows.weights.resize(matrix.nnz());
  for (std::size_t e = 0; e < matrix.nnz(); ++e) {
    rows.columns[e] = matrix.column(e);
    rows.weights[e] = matrix.value(e);
  }
  for (std::size_t row = 0; row < matrix.rows; ++row)
    rows.bias.push_back(linear.bias.empty() ? 0.0f : linear.bias[linear.bias.size() == 1 ? 0 : row]);
  return rows;
}

/// For each row the first row equal to it.
std::vector<std::uint32_t> first_equals(const Rows& rows) {
  std::unordered_multimap<std::uint64_t, std::uint32_t> firsts;
  std::vector<std::uint32_t> first(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    first[row] = row;
    const std::uint64_t hash = rows.hash(row);
    const auto [begin, end] = firsts.equal_range(hash);
    const auto match = std::find_if(begin, end, [&](const auto& entry) { return rows.equal(entry.second, row); });
    if (match != end)
      first[row] = match->second;
    else
      firsts.emplace(hash, row);
  }
  return first;
}

/// Keeps the rows that stand for others or for themselves alone, and tells which new row stands for each old one.
Merged keep_firsts(Rows& rows) {
  Merged merged = first_equals(rows);
  Rows kept;
  std::vector<std::uint32_t> place(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (merged[row] != row) continue;
    place[row] = static_cast<std::uint32_t>(kept.size());
    kept.columns.insert(kept.columns.end(), rows.columns.begin() + rows.begin[row], rows.columns.begin() + rows.begin[row + std::size_t{1}]);
    kept.weights.insert(kept.weights.end(), rows.weights.begin() + rows.begin[row], rows.weights.begin() + rows.begin[row + std::size_t{1}]);
    kept.begin.push_back(static_cast<std::uint32_t>(kept.columns.size()));
    kept.bias.push_back(rows.bias[row]);
  }
  for (std::uint32_t& row : merged) row = place[row];
  rows = std::move(kept);
  return merged;
}

/// Sources that were merged become one, with the sum of their weights (added in double, rounded once).
void merge_sources(Rows& rows, const Merged& sources, std::size_t source_count) {
  if (sources.empty()) return;
  Rows result;
  std::vector<double> sum(source_count, 0.0);
  std::vector<std::uint32_t> seen;
  std::vector<bool> is_seen(source_count, false);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    seen.clear();
    for (std::size_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e) {
      const std::uint32_t source = sources[rows.columns[e]];
      if (!is_seen[source]) seen.push_back(source);
      is_seen[source] = true;
      sum[source] += rows.weights[e];
    }
    std::sort(seen.begin(), seen.end());
    for (std::uint32_t source : seen) {
      result.columns.push_back(source);
      result.weights.push_back(static_cast<float>(sum[source]));
      sum[source] = 0;
      is_seen[source] = false;
    }
    result.begin.push_back(static_cast<std::uint32_t>(result.columns.size()));
  }
  result.bias = std::move(rows.bias);
  rows = std::move(result);
}

/// Values whose neurons must stay as they are: the network's own ends, and whatever is added row by row.
std::vector<bool> pinned_values(const Network& network) {
  std::vector<bool> pinned(network.values.size(), false);
  const auto pin = [&](ValueId id) { pinned[static_cast<std::size_t>(id)] = true; };
  pin(network.input);
  pin(network.output);
  for (const Operator& op : network.operators) {
    const bool is_linear = std::holds_alternative<Linear>(op.operation);
    for (std::size_t k = is_linear ? 1 : 0; k < op.inputs.size(); ++k) pin(op.inputs[k]);
    if (!is_linear || op.inputs.size() > 1) pin(op.output);
  }
  return pinned;
}

}  // namespace

Network merge_equal_neurons(Network network) {
  const std::vector<bool> pinned = pinned_values(network);
  std::vector<Merged> merged(network.values.size());
  for (Operator& op : network.operators) {
    auto* linear = std::get_if<Linear>(&op.operation);
    if (linear == nullptr) continue;
    const Merged& sources = merged[static_cast<std::size_t>(op.inputs[0])];
    const auto output = static_cast<std::size_t>(op.output);
    if (sources.empty() && pinned[output]) continue;

    Rows rows = rows_of(*linear);
    Merged before;  // rows that are equal as given need only be merged once
    if (!pinned[output]) before = keep_firsts(rows);
    merge_sources(rows, sources, network.width(op.inputs[0]));
    if (!pinned[output]) {
      const Merged after = keep_firsts(rows);
      for (std::uint32_t& row : before) row = after[row];
      if (rows.size() < linear->weights.rows) {
        merged[output] = std::move(before);
        network.values[output].shape = {{static_cast<std::uint32_t>(rows.size())}};
      } else if (sources.empty()) {
        continue;  // nothing to merge here
      }
    }
    const auto count = static_cast<std::uint32_t>(rows.size());
    linear->weights = make_sparse_matrix(count, network.width(op.inputs[0]), std::move(rows.begin), std::move(rows.columns), std::move(rows.weights));
    if (linear->bias.size() > 1) linear->bias = std::move(rows.bias);
  }
  return network;
}

}  // namespace lacuna::passes
