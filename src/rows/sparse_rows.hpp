// SparseRows: the one shape every sparse operator lowers to. A row is a bias, an epilogue and a list of (weight, source);
// rows that may run at once form a group; all rows are swept over the lanes of a panel, one lane an input of the batch.
//
// Planes: a panel's memory is an arena of planes, one plane a neuron, all lanes of it side by side:
//
//   plane 0   [lane 0][lane 1]...[lane P-1]      values that are alive at the same time have different planes,
//   plane 1   [lane 0][lane 1]...[lane P-1]      others share them: a chain of layers needs two layers' worth
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/progress.hpp>

namespace lacuna::rows {

struct PlaneRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const PlaneRange&) const = default;
};

/// Rows that read earlier planes only: destination = activation(bias + weights * source + residuals).
struct RowGroup {
  std::string name;                   ///< of the value it computes
  SparseMatrix weights;               ///< column c of a row reads plane source.first + c; in any order, maybe more than once
  Array<float> bias;                  ///< none, one, or one for each row
  Activation activation;
  PlaneRange source;
  PlaneRange destination;
  std::vector<PlaneRange> residuals;  ///< added row by row
  std::vector<PlaneRange> live_after; ///< planes that later groups or the caller still read
  bool zero_from_here = false;        ///< all-zero live planes stay all zero from this group to the output
};

struct SparseRows {
  std::uint32_t planes = 0;  ///< planes of one arena
  PlaneRange input;
  PlaneRange output;
  std::vector<RowGroup> groups;
};

/// The order in which rows are worked off: rows of one length stand together, so that the kernel's inner loop has a trip
/// count the processor can predict. Rows of equal length keep their order.
struct RowOrder {
  struct Class {
    std::uint32_t length;  ///< nonzeros of each row
    std::uint32_t rows;
  };
  std::vector<Class> classes;
  std::vector<std::uint32_t> rows;  ///< empty: as they come
};

/// Lowers every operator to row groups and places values on planes. Needs: verify(network) passed.
/// Cost: O(operators x live values); weights are shared with the network, not copied.
SparseRows lower(const Network& network);

/// Rows of a group with the same sources in the same order, the same weights and bias become one; their readers name the one instead, term by
/// term: no weights are added and no term changes its place, so every sum keeps every bit. (One exception: a group with one weight for all
/// that is left with a single term may change the sign of a zero where its bias is -0.) The input, the output and planes that are added row by
/// row keep all their neurons. Ranges shrink in place; no plane moves.
/// Cost: O(edges) on all threads; groups in which nothing merges are not copied.
SparseRows merge_equal_rows(SparseRows rows, unsigned threads, const Progress& progress = {});

RowOrder order_by_length(const SparseMatrix& weights);

/// The text form: `--emit=rows`. Rows themselves are printed when `with_weights`.
std::string print(const SparseRows& rows, bool with_weights);

}  // namespace lacuna::rows
