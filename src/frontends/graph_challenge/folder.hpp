// The folder of a challenge network: which file holds which layer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <lacuna/load.hpp>
#include <vector>

#include "base/byte_source.hpp"

namespace lacuna::frontends {

struct ChallengeLayer {
  std::filesystem::path weights;
  std::filesystem::path bias;  ///< empty: the constant of the options or of the challenge
};

struct ChallengeFolder {
  std::uint32_t neurons = 0;
  std::vector<ChallengeLayer> layers;
};

/// Finds n<N>-l<k>.tsv or .mtx, packed or not, and n<N>-l<k>-bias.tsv. Where a layer is there in several forms the
/// plain one is taken. Throws InputError if no size or several are there to choose from, or naming the first missing
/// layer.
ChallengeFolder find_challenge_layers(const std::filesystem::path& folder, const LoadOptions& options);

/// Whether the folder has any file named like a layer.
bool has_challenge_layers(const std::filesystem::path& folder);

/// Loads it, through its store if the options allow.
Network load_challenge(const std::filesystem::path& folder, const LoadOptions& options, LoadReport& report);

/// One layer, from bytes: `name` is the file's. `number` counts from 1.
SparseMatrix read_challenge_layer(base::ByteSource& source, const std::string& name, std::uint32_t neurons,
                                  std::uint32_t number, unsigned threads, std::uint64_t& text_bytes);

}  // namespace lacuna::frontends
