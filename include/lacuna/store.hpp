// The binary store, written on purpose; load() keeps its own stores beside the text by itself.
#pragma once

#include <filesystem>

#include <lacuna/network.hpp>

namespace lacuna {

/// Writes a network or a matrix as a binary store: complete or not at all.
void save_store(const Network& network, const std::filesystem::path& file);
void save_store(const SparseMatrix& matrix, const std::filesystem::path& file);

}  // namespace lacuna
