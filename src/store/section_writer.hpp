// Writes the sections of a store one after the other, so that a network larger than memory can pass through.
#pragma once

#include <cstdint>
#include <filesystem>
#include <lacuna/array.hpp>
#include <span>
#include <vector>

#include "base/atomic_file.hpp"
#include "store/byte_stream.hpp"
#include "store/format.hpp"

namespace lacuna::store {

/// Stands for an empty array, which has no section.
inline constexpr std::uint32_t no_section = ~std::uint32_t{0};

class SectionWriter {
 public:
  /// Here and below: DeviceError if the file cannot be written; what was there before stays.
  SectionWriter(const std::filesystem::path& file, Kind kind, const Fingerprint& fingerprint);

  /// Writes the array and returns the number of its section.
  template <typename T>
  std::uint32_t add(const Array<T>& array) {
    return array.empty() ? no_section : add(std::as_bytes(array.span()));
  }

  /// Writes table and header and gives the file its name.
  void finish(const ByteWriter& description);

 private:
  std::uint32_t add(std::span<const std::byte> bytes);
  void align();

  base::AtomicFile file_;
  Header header_;
  std::vector<Section> sections_;
};

}  // namespace lacuna::store
