// Inputs that are on or off, for tests.
#pragma once

#include <random>
#include <vector>

#include <lacuna/sparse_matrix.hpp>

namespace lacuna::tests {

/// Each neuron is on with probability `share`; every `blank`-th input is all off (0: none).
inline SparseMatrix random_on_off(std::uint32_t count, std::uint32_t width, double share, unsigned seed, float value = 1, std::uint32_t blank = 0) {
  std::mt19937 random(seed);
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < count; ++row)
    for (std::uint32_t column = 0; column < width; ++column)
      if ((blank == 0 || row % blank != 0) && std::uniform_real_distribution<double>(0, 1)(random) < share) entries.push_back({row, column, value});
  return make_sparse_matrix(count, width, entries);
}

}  // namespace lacuna::tests
