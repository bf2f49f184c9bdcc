// BitMatrix: inputs that are on or off, a bit for each neuron. At a tenth of the neurons on it is smaller than compressed rows, and the
// first layer reads it much faster.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/sparse_matrix.hpp>

namespace lacuna {

struct BitMatrix {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  float value = 1;                   ///< of a bit that is on
  std::vector<std::uint64_t> words;  ///< bit c % 64 of word c / 64 of a row is column c; the last word of a row is filled up with zeros

  std::size_t words_per_row() const { return (std::size_t{columns} + 63) / 64; }
  bool is_on(std::size_t row, std::uint32_t column) const { return (words[row * words_per_row() + column / 64] >> column % 64 & 1) != 0; }
};

/// Whether all entries have one value and bits would take less memory than the compressed rows.
bool is_smaller_as_bits(const SparseMatrix& matrix);

/// Needs: all entries have one value. Throws InputError otherwise. O(rows x columns / 64 + nnz), on `threads` threads (0: all cores).
BitMatrix pack_bits(const SparseMatrix& matrix, unsigned threads = 0);

}  // namespace lacuna
