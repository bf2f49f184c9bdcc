// Merging equal rows layer after layer: the part that merge_equal_neurons (which adds weights) and merge_equal_rows (which keeps every bit)
// have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <lacuna/progress.hpp>
#include <lacuna/sparse_matrix.hpp>

#include "network/select_rows.hpp"

namespace lacuna::network {

/// A layer whose rows are compared and whose sources may have been merged.
struct MergeLayer {
  SparseMatrix* weights;
  Array<float>* bias;
  std::size_t source;  ///< number of the value it reads
  std::size_t output;  ///< number of the value it computes
  bool may_merge;      ///< its output may lose neurons
};

/// The given rows of a matrix, whose columns got new names because sources were merged. Called one layer at a time.
using ReadMerged = std::function<SparseMatrix(const SparseMatrix& weights, std::span<const std::uint32_t> rows, const Renaming& sources)>;

struct MergeSettings {
  unsigned threads = 1;
  Progress progress = {};
  std::string_view what = {};  ///< a verb phrase for the progress
};

/// Merges equal rows in `layers`, which stand in an order in which sources are computed before they are read. Rows that are equal as given are
/// found on all threads, many layers at a time; then, in order and on what is left, rows that became equal because their sources were merged.
/// A layer in which nothing merges is not copied; others are released as soon as they have been merged. Cost: O(edges).
void merge_layers(std::span<const MergeLayer> layers, std::size_t values, const ReadMerged& read_merged, const MergeSettings& settings);

}  // namespace lacuna::network
