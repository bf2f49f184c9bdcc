#include <gtest/gtest.h>

#include <lacuna/bit_matrix.hpp>
#include <lacuna/error.hpp>

#include "support/random_bits.hpp"

namespace lacuna {
namespace {

TEST(PackBits, KeepsEveryEntryAndNothingElse) {
  for (std::uint32_t width : {1u, 63u, 64u, 65u, 1000u}) {
    const SparseMatrix matrix = tests::random_on_off(300, width, 0.2, width, 0.5f);
    const BitMatrix bits = pack_bits(matrix, 2);
    EXPECT_EQ(bits.value, 0.5f);
    EXPECT_EQ(bits.rows, 300u);
    EXPECT_EQ(bits.columns, width);
    std::size_t on = 0;
    for (std::uint32_t row = 0; row < 300; ++row) {
      for (std::uint32_t column = 0; column < width; ++column) on += bits.is_on(row, column);
      for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) EXPECT_TRUE(bits.is_on(row, matrix.column(e)));
    }
    EXPECT_EQ(on, matrix.nnz());
  }
}

TEST(PackBits, RefusesValuesThatDiffer) {
  const SparseMatrix matrix = make_sparse_matrix(1, 2, std::vector<Entry>{{0, 0, 1}, {0, 1, 2}});
  try {
    pack_bits(matrix);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "inputs with different values cannot be packed into bits; run them as compressed rows");
  }
}

TEST(IsSmallerAsBits, ComparesTheMemory) {
  EXPECT_TRUE(is_smaller_as_bits(tests::random_on_off(50, 1024, 0.1, 1)));    // 128 bytes against about 205
  EXPECT_FALSE(is_smaller_as_bits(tests::random_on_off(50, 1024, 0.03, 1)));  // against about 61
  EXPECT_FALSE(is_smaller_as_bits(make_sparse_matrix(1, 64, std::vector<Entry>{{0, 0, 1}, {0, 1, 2}, {0, 2, 2}, {0, 3, 2}, {0, 4, 1}})));
}

}  // namespace
}  // namespace lacuna
