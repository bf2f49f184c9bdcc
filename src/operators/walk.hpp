// Walks over the elements of a tensor together with operands that stand in memory with strides of their own (0 where an operand is repeated).
// Axes that follow each other in memory for every operand become one, so that the innermost loop is as long as it can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "operators/shapes.hpp"

namespace lacuna::operators {

template <std::size_t operands>
struct Walk {
  Integers extents;
  std::array<Integers, operands> strides;  ///< in elements

  /// Drops axes of one element and joins neighbours; at least one axis remains.
  void simplify() {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (extents[k] == 1) continue;
      bool joins = kept > 0;
      for (const Integers& stride : strides) joins = joins && stride[kept - 1] == stride[k] * extents[k];
      const std::size_t at = joins ? kept - 1 : kept++;
      extents[at] = joins ? extents[at] * extents[k] : extents[k];
      for (Integers& stride : strides) stride[at] = stride[k];
    }
    if (kept == 0) {
      kept = 1;
      extents.resize(1);
      extents[0] = 1;
      for (Integers& stride : strides) stride.assign(1, 0);
    }
    extents.resize(kept);
    for (Integers& stride : strides) stride.resize(kept);
  }

  std::int64_t run_length() const { return extents.back(); }
  std::int64_t run_stride(std::size_t operand) const { return strides[operand].back(); }

  /// f(place of each operand) for every run along the last axis, in order. Needs: simplify().
  template <typename F>
  void for_each_run(F f) const {
    for (const std::int64_t extent : extents)
      if (extent == 0) return;
    std::array<std::int64_t, operands> place{};
    Integers index(extents.size() - 1, 0);
    while (true) {
      f(std::as_const(place));
      std::size_t k = index.size();
      while (k > 0) {
        --k;
        for (std::size_t o = 0; o < operands; ++o) place[o] += strides[o][k];
        if (++index[k] < extents[k]) break;
        for (std::size_t o = 0; o < operands; ++o) place[o] -= strides[o][k] * extents[k];
        index[k] = 0;
        if (k == 0) return;
      }
      if (index.empty()) return;
    }
  }
};

/// Copies elements of `bytes` bytes to `output`, in its order: element (i, j, ...) comes from input[start + i * strides[0] + j * strides[1] + ...].
void copy_strided(const std::byte* input, std::int64_t start, const Integers& extents, const Integers& strides, std::size_t bytes, std::byte* output);

}  // namespace lacuna::operators
