// merge_equal_rows: merging without rounding. The rows themselves are merged as merge_equal_neurons merges neurons
// (network/merge_layers.hpp); only what a reader of merged planes does differs.
#include <algorithm>

#include "network/merge_layers.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::rows {
namespace {

constexpr std::size_t the_input = 0;  // value 0; group k computes value k + 1

/// Follows which value stands on which planes while the groups go by.
class Writers {
 public:
  explicit Writers(PlaneRange input) { write(input, the_input); }

  void write(PlaneRange range, std::size_t value) {
    std::erase_if(standing_, [&](const Standing& other) {
      return other.range.first < range.first + range.count && range.first < other.range.first + other.range.count;
    });
    standing_.push_back({range, value});
  }
  std::size_t value_on(PlaneRange range) const {
    return std::find_if(standing_.begin(), standing_.end(), [&](const Standing& other) { return other.range == range; })->value;
  }

 private:
  struct Standing {
    PlaneRange range;
    std::size_t value;
  };
  std::vector<Standing> standing_;  // few: values that are alive, or dead and not written over yet
};

/// Which values the groups read and which of them must keep all their rows.
struct Readers {
  std::vector<std::size_t> source;                ///< of each group
  std::vector<std::vector<std::size_t>> live;     ///< of each group: the values of live_after
  std::vector<bool> fixed;                        ///< of each value
};

Readers find_readers(const SparseRows& rows) {
  Readers readers{{}, {}, std::vector<bool>(rows.groups.size() + 1, false)};
  Writers writers(rows.input);
  readers.fixed[the_input] = true;
  for (std::size_t k = 0; k < rows.groups.size(); ++k) {
    const RowGroup& group = rows.groups[k];
    readers.source.push_back(writers.value_on(group.source));
    for (const PlaneRange residual : group.residuals) readers.fixed[writers.value_on(residual)] = true;
    if (!group.residuals.empty()) readers.fixed[k + 1] = true;
    writers.write(group.destination, k + 1);
    std::vector<std::size_t>& live = readers.live.emplace_back();
    for (const PlaneRange range : group.live_after) live.push_back(writers.value_on(range));
  }
  readers.fixed[writers.value_on(rows.output)] = true;
  return readers;
}

std::uint32_t planes_used(const SparseRows& rows) {
  std::uint32_t planes = rows.input.first + rows.input.count;
  for (const RowGroup& group : rows.groups) planes = std::max(planes, group.destination.first + group.destination.count);
  return planes;
}

}  // namespace

SparseRows merge_equal_rows(SparseRows rows, unsigned threads, const Progress& progress) {
  const Readers readers = find_readers(rows);
  std::vector<network::MergeLayer> layers;
  for (std::size_t k = 0; k < rows.groups.size(); ++k) {
    RowGroup& group = rows.groups[k];
    layers.push_back({&group.weights, &group.bias, readers.source[k], k + 1, !readers.fixed[k + 1]});
  }
  network::merge_layers(layers, rows.groups.size() + 1, network::select_rows, {threads, progress, "merging equal rows"});

  const auto shrink = [&](PlaneRange& range, std::size_t value) {
    if (value != the_input) range.count = rows.groups[value - 1].weights.rows;
  };
  for (std::size_t k = 0; k < rows.groups.size(); ++k) {
    RowGroup& group = rows.groups[k];
    shrink(group.source, readers.source[k]);
    shrink(group.destination, k + 1);
    for (std::size_t place = 0; place < group.live_after.size(); ++place) shrink(group.live_after[place], readers.live[k][place]);
  }
  rows.planes = planes_used(rows);
  return rows;
}

}  // namespace lacuna::rows
