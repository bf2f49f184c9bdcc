// The binary store: one file, little-endian, made to be mapped.
//
//   offset 0     Header (128 bytes)
//   128 ...      sections, each at a multiple of 64, zeros between them: the arrays of the network or matrix, as in
//   memory table_offset u32 number of sections, Section for each, then the description: what the arrays are
//   (description.hpp)
//
// Every byte is covered: header, table and sections by an XXH3-64 checksum each, the gaps by having to be zero.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "store/fingerprint.hpp"

namespace lacuna::store {

inline constexpr std::array<char, 8> magic = {'L', 'A', 'C', 'U', 'N', 'A', '\x1a', '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint64_t alignment = 64;

enum class Kind : std::uint32_t { network = 1, matrix = 2 };

struct Header {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  Kind kind{};
  std::uint64_t file_bytes = 0;
  Fingerprint fingerprint;
  std::uint64_t table_offset = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t table_checksum = 0;
  std::array<std::uint64_t, 7> reserved{};
  std::uint64_t checksum = 0;  ///< of all fields above
};
static_assert(sizeof(Header) == 128);

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Section) == 24);

/// Whether the file starts like a store of any version. Throws InputError if it cannot be opened.
bool is_store(const std::filesystem::path& file);

std::uint64_t checksum(const void* data, std::size_t bytes);

}  // namespace lacuna::store
