#include <algorithm>

#include <lacuna/bit_matrix.hpp>
#include <lacuna/error.hpp>

#include "base/parallel.hpp"

namespace lacuna {

bool is_smaller_as_bits(const SparseMatrix& matrix) {
  const std::size_t bits = (std::size_t{matrix.columns} + 63) / 64 * sizeof(std::uint64_t) * matrix.rows;
  return matrix.has_one_value() && bits < matrix.narrow_columns.bytes() + matrix.wide_columns.bytes();
}

BitMatrix pack_bits(const SparseMatrix& matrix, unsigned threads) {
  if (!matrix.has_one_value()) throw InputError("inputs with different values cannot be packed into bits; run them as compressed rows");
  BitMatrix bits{matrix.rows, matrix.columns, matrix.values.empty() ? 1.0f : matrix.values[0], {}};
  const std::size_t words = bits.words_per_row();
  bits.words.resize(words * matrix.rows);
  constexpr std::size_t rows_at_once = 256;
  base::parallel_for(base::thread_count(threads), (matrix.rows + rows_at_once - 1) / rows_at_once, [&](std::size_t block, unsigned) {
    for (std::size_t row = block * rows_at_once; row < std::min<std::size_t>((block + 1) * rows_at_once, matrix.rows); ++row)
      for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        bits.words[row * words + matrix.column(e) / 64] |= std::uint64_t{1} << matrix.column(e) % 64;
  });
  return bits;
}

}  // namespace lacuna
