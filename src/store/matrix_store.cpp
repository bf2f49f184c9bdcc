#include "store/matrix_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/store.hpp>

namespace lacuna::store {
namespace {

/// What verify(network) checks for weights, for a matrix that stands alone.
void check_entries(const SparseMatrix& matrix, const SectionReader& reader) {
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::size_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k) {
      const std::uint32_t column = matrix.column(k);
      if (column >= matrix.columns || (k > matrix.row_begin[row] && column <= matrix.column(k - 1)))
        reader.fail(fmt::format("row {} has column {} out of order or beyond {}", row, column, matrix.columns));
    }
  const auto broken =
      std::find_if(matrix.values.begin(), matrix.values.end(), [](float v) { return !std::isfinite(v); });
  if (broken != matrix.values.end()) reader.fail(fmt::format("value {} is not finite", *broken));
}

}  // namespace

void put_matrix(SectionWriter& sections, ByteWriter& description, const SparseMatrix& matrix) {
  description.put(matrix.rows);
  description.put(matrix.columns);
  description.put(sections.add(matrix.row_begin));
  description.put(sections.add(matrix.narrow_columns));
  description.put(sections.add(matrix.wide_columns));
  description.put(sections.add(matrix.values));
}

SparseMatrix get_matrix(const SectionReader& sections, ByteReader& description) {
  SparseMatrix matrix;
  matrix.rows = description.get<std::uint32_t>();
  matrix.columns = description.get<std::uint32_t>();
  matrix.row_begin = sections.array<std::uint32_t>(description.get<std::uint32_t>());
  matrix.narrow_columns = sections.array<std::uint16_t>(description.get<std::uint32_t>());
  matrix.wide_columns = sections.array<std::uint32_t>(description.get<std::uint32_t>());
  matrix.values = sections.array<float>(description.get<std::uint32_t>());

  const auto& begin = matrix.row_begin;
  if (begin.size() != matrix.rows + std::size_t{1} || begin[0] != 0 || !std::is_sorted(begin.begin(), begin.end()))
    description.fail(
        fmt::format("has {} row positions for {} rows, or they are out of order", begin.size(), matrix.rows));
  const std::size_t columns = matrix.narrow_columns.size() + matrix.wide_columns.size();
  if (columns != matrix.nnz() || (!matrix.narrow_columns.empty() && !matrix.wide_columns.empty()))
    description.fail(fmt::format("has {} columns for {} entries", columns, matrix.nnz()));
  if (matrix.values.size() != matrix.nnz() && !(matrix.values.size() == 1 && matrix.nnz() > 0))
    description.fail(fmt::format("has {} values for {} entries", matrix.values.size(), matrix.nnz()));
  return matrix;
}

void write_matrix(const SparseMatrix& matrix, const std::filesystem::path& file, const Fingerprint& fingerprint) {
  SectionWriter sections(file, Kind::matrix, fingerprint);
  ByteWriter description;
  put_matrix(sections, description, matrix);
  sections.finish(description);
}

SparseMatrix read_matrix(SectionReader& reader, Checksums checksums) {
  constexpr unsigned threads = 1;  // the arrays of one matrix are too few to share out
  reader.check(Kind::matrix, threads, checksums);
  ByteReader description = reader.description();
  SparseMatrix matrix = get_matrix(reader, description);
  if (!description.at_end()) description.fail("has bytes after its end");
  check_entries(matrix, reader);
  return matrix;
}

SparseMatrix open_matrix(const std::filesystem::path& file) {
  SectionReader reader(file);
  return read_matrix(reader, Checksums::check);
}

std::optional<SparseMatrix> open_fresh_matrix(const std::filesystem::path& file, const Fingerprint& fingerprint) {
  SectionReader reader(file);
  if (reader.fingerprint() != fingerprint) return std::nullopt;
  return read_matrix(reader, Checksums::check);
}

}  // namespace lacuna::store

namespace lacuna {

void save_store(const SparseMatrix& matrix, const std::filesystem::path& file) {
  store::write_matrix(matrix, file, {});
}

}  // namespace lacuna
