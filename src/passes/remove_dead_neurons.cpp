// remove_dead_neurons: a neuron nobody reads need not be computed, and then its sources may have one reader less. One sweep from the output to
// the input finds all of them. A weight that is stored reads its source even if it is zero: zero times infinity is not zero.
#include <algorithm>

#include "base/parallel.hpp"
#include "network/select_rows.hpp"
#include "passes/fixed_values.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// Some neurons of a value, one flag each; empty: all of them.
using Neurons = std::vector<std::uint8_t>;

template <typename Column>
Neurons sources_of(const SparseMatrix& weights, const Column* columns, const Neurons& rows) {
  Neurons read(weights.columns, 0);
  const auto all_read = [&] { return std::find(read.begin(), read.end(), 0) == read.end(); };
  std::size_t next_look = std::size_t{weights.columns} * 2;  // most layers read all their sources long before their last row
  for (std::size_t row = 0; row < weights.rows; ++row) {
    if (!rows.empty() && rows[row] == 0) continue;
    for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + 1]; ++e) read[columns[e]] = 1;
    if (weights.row_begin[row + 1] < next_look) continue;
    if (all_read()) return {};
    next_look = weights.row_begin[row + 1] + std::size_t{weights.columns} * 2;
  }
  return all_read() ? Neurons{} : read;
}

/// The neurons that the given rows read.
Neurons sources_of(const SparseMatrix& weights, const Neurons& rows) {
  if (weights.wide_columns.empty()) return sources_of(weights, weights.narrow_columns.data(), rows);
  return sources_of(weights, weights.wide_columns.data(), rows);
}

/// Who is read in a value, reader by reader.
class ReadNeurons {
 public:
  void add(const Neurons& read) {
    all_ = all_ || read.empty();
    if (all_) return;
    if (read_.empty()) read_.resize(read.size(), 0);
    for (std::size_t k = 0; k < read.size(); ++k) read_[k] |= read[k];
    all_ = std::find(read_.begin(), read_.end(), 0) == read_.end();
  }

  /// A value keeps at least one neuron, even if nobody reads it.
  Neurons kept(std::uint32_t width) const {
    if (all_) return {};
    Neurons kept = read_;
    kept.resize(width, 0);
    if (std::find(kept.begin(), kept.end(), 1) == kept.end()) kept[0] = 1;
    return kept.size() == 1 ? Neurons{} : kept;
  }

 private:
  bool all_ = false;
  Neurons read_;
};

/// For each value the neurons to keep.
std::vector<Neurons> find_kept(const Network& network, unsigned threads) {
  const std::size_t count = network.operators.size();
  const std::vector<bool> fixed = fixed_values(network);
  const auto layer = [&](std::size_t k) -> const Linear* {  // whose source may lose neurons
    const auto* linear = std::get_if<Linear>(&network.operators[k].operation);
    return linear != nullptr && !fixed[static_cast<std::size_t>(network.operators[k].inputs[0])] ? linear : nullptr;
  };
  std::vector<Neurons> sources(count);
  base::parallel_for(threads, count, [&](std::size_t k, unsigned) {
    if (const Linear* linear = layer(k)) sources[k] = sources_of(linear->weights, {});
  });

  std::vector<Neurons> kept(network.values.size());
  std::vector<ReadNeurons> read(network.values.size());
  for (std::size_t k = count; k-- > 0;) {
    const Operator& op = network.operators[k];
    const auto output = static_cast<std::size_t>(op.output);
    if (!fixed[output]) kept[output] = read[output].kept(network.width(op.output));
    const Linear* linear = layer(k);
    if (linear == nullptr) continue;
    if (!kept[output].empty()) sources[k] = sources_of(linear->weights, kept[output]);
    read[static_cast<std::size_t>(op.inputs[0])].add(sources[k]);
    sources[k] = Neurons();  // = {} would keep its memory
  }
  return kept;
}

std::vector<std::uint32_t> numbers_of(const Neurons& neurons, std::uint32_t width) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < width; ++k)
    if (neurons.empty() || neurons[k] != 0) numbers.push_back(k);
  return numbers;
}

/// For each neuron how many before it are kept: its new number.
std::vector<std::uint32_t> new_numbers(const Neurons& kept) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t next = 0;
  for (const std::uint8_t is_kept : kept) {
    numbers.push_back(next);
    next += is_kept;
  }
  return numbers;
}

}  // namespace

Network remove_dead_neurons(Network network, const PassSettings& settings) {
  const std::vector<Neurons> kept = find_kept(network, settings.threads);
  base::parallel_for(settings.threads, network.operators.size(), [&](std::size_t k, unsigned) {
    Operator& op = network.operators[k];
    auto* linear = std::get_if<Linear>(&op.operation);
    if (linear == nullptr) return;
    const Neurons& sources = kept[static_cast<std::size_t>(op.inputs[0])];
    const Neurons& outputs = kept[static_cast<std::size_t>(op.output)];
    if (sources.empty() && outputs.empty()) return;
    const std::vector<std::uint32_t> rows = numbers_of(outputs, linear->weights.rows);
    const std::vector<std::uint32_t> names = new_numbers(sources);
    const auto columns = sources.empty() ? linear->weights.columns : static_cast<std::uint32_t>(std::count(sources.begin(), sources.end(), 1));
    linear->weights = network::select_rows(linear->weights, rows, {names, columns});
    linear->bias = network::select_bias(linear->bias, rows);
  });
  for (std::size_t value = 0; value < kept.size(); ++value)
    if (!kept[value].empty()) network.values[value].shape = {{static_cast<std::uint32_t>(std::count(kept[value].begin(), kept[value].end(), 1))}};
  return network;
}

}  // namespace lacuna::passes
