#include "network/merge_layers.hpp"

#include <numeric>
#include <string>

#include "base/parallel_in_order.hpp"
#include "base/progress_counter.hpp"
#include "network/equal_rows.hpp"

namespace lacuna::network {
namespace {

/// What became of a value's neurons.
struct Merged {
  std::vector<std::uint32_t> place;  ///< for each neuron as given, the one that stands for it; empty: nothing was merged
  std::uint32_t neurons = 0;         ///< left
  std::size_t readers = 0;           ///< to come; with the last one `place` goes
};

class LayerMerger {
 public:
  LayerMerger(std::span<const MergeLayer> layers, std::size_t values, const ReadMerged& read_merged)
      : layers_(layers), read_merged_(read_merged), merged_(values) {
    for (const MergeLayer& layer : layers) ++merged_[layer.source].readers;
  }

  EqualRows equal_as_given(std::size_t k) const {
    return layers_[k].may_merge ? find_equal_rows(*layers_[k].weights, *layers_[k].bias) : EqualRows{};
  }

  void merge(std::size_t k, EqualRows equal) {
    const MergeLayer& layer = layers_[k];
    Merged& sources = merged_[layer.source];
    if (!sources.place.empty() || !equal.all_differ()) rewrite(layer, sources, std::move(equal));
    if (--sources.readers == 0) sources.place = std::vector<std::uint32_t>();  // = {} would keep its memory
  }

 private:
  void rewrite(const MergeLayer& layer, const Merged& sources, EqualRows equal) {
    const std::uint32_t rows = layer.weights->rows;
    if (equal.kept.empty()) {
      equal.kept.resize(rows);
      std::iota(equal.kept.begin(), equal.kept.end(), 0u);
    }
    if (sources.place.empty()) {
      keep(layer, equal.kept);
    } else {
      *layer.weights = read_merged_(*layer.weights, equal.kept, {sources.place, sources.neurons});
      *layer.bias = select_bias(*layer.bias, equal.kept);
      if (layer.may_merge) merge_again(layer, equal);
    }
    if (!equal.all_differ()) {
      merged_[layer.output].place = std::move(equal.place);
      merged_[layer.output].neurons = layer.weights->rows;
    }
  }

  /// Rows that differed as given may be equal now that their sources are. Once is enough: their own sources do not change again.
  void merge_again(const MergeLayer& layer, EqualRows& equal) const {
    EqualRows again = find_equal_rows(*layer.weights, *layer.bias);
    if (again.all_differ()) return;
    keep(layer, again.kept);
    if (equal.all_differ())
      equal.place = std::move(again.place);
    else
      for (std::uint32_t& place : equal.place) place = again.place[place];
  }

  static void keep(const MergeLayer& layer, std::span<const std::uint32_t> rows) {
    *layer.weights = select_rows(*layer.weights, rows, {{}, layer.weights->columns});
    *layer.bias = select_bias(*layer.bias, rows);
  }

  std::span<const MergeLayer> layers_;
  const ReadMerged& read_merged_;
  std::vector<Merged> merged_;
};

}  // namespace

void merge_layers(std::span<const MergeLayer> layers, std::size_t values, const ReadMerged& read_merged, const MergeSettings& settings) {
  LayerMerger merger(layers, values, read_merged);
  base::ProgressCounter progress(settings.progress, std::string(settings.what), layers.size());
  base::parallel_in_order(
      settings.threads, layers.size(), [&](std::size_t k) { return merger.equal_as_given(k); },
      [&](std::size_t k, EqualRows equal) {
        merger.merge(k, std::move(equal));
        progress.add(1);
      });
}

}  // namespace lacuna::network
