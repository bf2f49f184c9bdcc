// Sparse matrices in a store: on their own (inputs) and as part of a network.
#pragma once

#include <filesystem>
#include <lacuna/sparse_matrix.hpp>
#include <optional>

#include "store/fingerprint.hpp"
#include "store/section_reader.hpp"
#include "store/section_writer.hpp"

namespace lacuna::store {

/// Throws DeviceError if the file cannot be written.
void write_matrix(const SparseMatrix& matrix, const std::filesystem::path& file, const Fingerprint& fingerprint);

/// Throws InputError unless the file is a sound store of a matrix.
SparseMatrix open_matrix(const std::filesystem::path& file);

/// Nothing if the store is stale.
std::optional<SparseMatrix> open_fresh_matrix(const std::filesystem::path& file, const Fingerprint& fingerprint);

/// From an opened reader; for the two above and for tests.
SparseMatrix read_matrix(SectionReader& reader, Checksums checksums);

/// The description of a matrix whose arrays `sections` writes.
void put_matrix(SectionWriter& sections, ByteWriter& description, const SparseMatrix& matrix);

/// Its sizes fit together, and its rows are in order; columns and values are not looked at.
SparseMatrix get_matrix(const SectionReader& sections, ByteReader& description);

}  // namespace lacuna::store
