// Template "sparse row block": some output rows at once, their sums in registers.
//
//   y[r] = clip(bias[r] + sum of w[r,s] * x[s] + residuals of r)        r in the block, s over the sources any of its rows reads
//
// Sources are visited in ascending order and each is loaded once for all rows of the block that read it. Weights are a dense stream of
// constants in the order of use, so the positions are in the program and no index is read. Where all weights of a block are equal it may
// add its sources and multiply once at the end, if the caller accepts that this rounds differently.
//
// A block whose code or sources would not fit the caches is cut by sources: each part but the first resumes the sums that the one before
// suspended, and only the last finishes them. A float in memory is the float in the register, so this keeps every bit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"

namespace lacuna::kernel {

struct SparseRowBlock {
  struct Row {
    std::uint64_t destination = 0;          ///< byte offset, as all places here
    float bias = 0;
    std::vector<std::uint64_t> residuals;
    std::uint64_t partial = 0;              ///< where its sum waits between parts
  };
  struct Nonzero {
    std::uint64_t source;
    std::uint16_t row;
    float weight;
  };

  std::string name;
  std::vector<Row> rows;
  std::vector<Nonzero> nonzeros;            ///< in any order; a row reads a source at most once
  bool may_multiply_at_end = false;
  bool spaces_apart = false;                ///< sources, destinations, residuals and partial sums are in spaces of their own
  bool resumes = false;                     ///< these two need spaces_apart
  bool suspends = false;
  bool blanks = false;                      ///< lanes that are not wanted store zero
  float low = -std::numeric_limits<float>::infinity();  ///< infinite: no bound
  float high = std::numeric_limits<float>::infinity();
};

/// Cost: O(nonzeros log nonzeros).
Kernel build(const SparseRowBlock& block);

}  // namespace lacuna::kernel
