// The head of a Matrix Market file; its entries are an edge list. Coordinate matrices of reals, integers or patterns,
// general symmetry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_blocks.hpp"

namespace lacuna::frontends {

inline constexpr std::string_view matrix_market_counting = "Matrix Market files count from 1";

struct MatrixMarketHead {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint64_t entries = 0;
  bool has_value = true;
  std::uint64_t lines = 0;  ///< lines of the head, comments included
};

/// Throws InputError for a broken head, Unsupported for a kind of matrix that is not read here.
MatrixMarketHead read_matrix_market_head(base::TextBlocks& blocks, const std::string& name);

/// Throws InputError unless the file held as many entries as its head promises.
void check_entries(const MatrixMarketHead& head, std::uint64_t entries, const std::string& name);

/// Whether a file name, possibly with .gz or .zst, is that of a Matrix Market file.
bool is_matrix_market(std::string_view name);

}  // namespace lacuna::frontends
