// The permutations of a RadiX-Net. Only q_g(r) = pi_g(r) mod M matters: the residue of input r in group g.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lacuna::generate {

inline constexpr std::uint32_t copies_per_residue = 16;  ///< M = neurons / 16

/// residues[g][r] = q_g(r), each residue 16 times in a group.
using Residues = std::vector<std::vector<std::uint32_t>>;

/// Group 0 is r mod M; the others shuffle the rows at random.
Residues random_residues(std::uint32_t neurons, std::uint32_t groups, std::uint64_t seed);

/// Reads at least `groups` groups: bytes while M <= 256, little-endian 16-bit numbers above.
/// Throws InputError if the file is too short, not whole groups, or a residue does not appear 16 times in each group.
Residues read_residues(const std::filesystem::path& file, std::uint32_t neurons, std::uint32_t groups);

}  // namespace lacuna::generate
