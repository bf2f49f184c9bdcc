#include "generate/residues.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>
#include <string>

#include "base/byte_source.hpp"
#include "generate/random.hpp"

namespace lacuna::generate {
namespace {

void check_counts(const std::filesystem::path& file, const std::vector<std::uint32_t>& residues, std::size_t group) {
  std::vector<std::uint32_t> counts(residues.size() / copies_per_residue);
  for (std::size_t r = 0; r < residues.size(); ++r) {
    if (residues[r] >= counts.size())
      throw InputError(file.string(), fmt::format("group {}: residue {} of input {} is not below {} (neurons / 16)",
                                                  group, residues[r], r, counts.size()));
    ++counts[residues[r]];
  }
  for (std::size_t m = 0; m < counts.size(); ++m)
    if (counts[m] != copies_per_residue)
      throw InputError(file.string(),
                       fmt::format("group {}: residue {} appears {} times, not 16", group, m, counts[m]));
}

}  // namespace

Residues random_residues(std::uint32_t neurons, std::uint32_t groups, std::uint64_t seed) {
  const std::uint32_t modulus = neurons / copies_per_residue;
  Residues residues(groups, std::vector<std::uint32_t>(neurons));
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (std::uint32_t r = 0; r < neurons; ++r) residues[g][r] = r % modulus;
    if (g > 0) Random(seed, g).shuffle_first<std::uint32_t>(residues[g], neurons);
  }
  return residues;
}

Residues read_residues(const std::filesystem::path& file, std::uint32_t neurons, std::uint32_t groups) {
  const std::string bytes = base::read_all(*base::open_source(file));
  const std::size_t width = neurons / copies_per_residue <= 256 ? 1 : 2;
  const std::size_t group_bytes = neurons * width;
  if (bytes.size() % group_bytes != 0 || bytes.empty())
    throw InputError(file.string(),
                     fmt::format("{} bytes are not whole groups of {} residues ({} byte{} each for this size)",
                                 bytes.size(), neurons, width, width == 1 ? "" : "s, little-endian,"));
  if (bytes.size() / group_bytes < groups)
    throw InputError(file.string(), fmt::format("holds {} groups of {} residues, but the layers need {}",
                                                bytes.size() / group_bytes, neurons, groups));
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  Residues residues(groups, std::vector<std::uint32_t>(neurons));
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t r = 0; r < neurons; ++r) {
      const std::size_t at = g * group_bytes + r * width;
      residues[g][r] = byte(at) + (width == 2 ? byte(at + 1) << 8 : 0);
    }
    check_counts(file, residues[g], g);
  }
  return residues;
}

}  // namespace lacuna::generate
