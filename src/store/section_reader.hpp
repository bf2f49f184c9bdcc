// Opens a store and hands out its arrays, borrowed from the mapping. Nothing in the file is trusted before it is
// checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <lacuna/array.hpp>
#include <lacuna/error.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/byte_stream.hpp"
#include "store/format.hpp"
#include "store/section_writer.hpp"

namespace lacuna::store {

/// The checksums of a store that was written a moment ago need not be computed again.
enum class Checksums { check, skip };

class SectionReader {
 public:
  /// Checks magic, version and size. Throws InputError saying what was expected and what was found.
  explicit SectionReader(const std::filesystem::path& file);

  /// The same from memory; `owner` keeps it alive.
  SectionReader(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name);

  const Fingerprint& fingerprint() const { return header_.fingerprint; }
  const std::string& name() const { return name_; }

  /// Tells the content from all others without reading it: the checksum of the table, which holds those of all sections, and the size.
  std::string key() const;

  /// Reads the table, and checks header, table and sections on `threads` threads. Throws InputError unless all is well.
  void check(Kind expected, unsigned threads, Checksums checksums);

  /// After check(): the description.
  ByteReader description() const { return {description_, name_}; }

  /// After check(): the array of section `number` (or an empty one for no_section).
  template <typename T>
  Array<T> array(std::uint32_t number) const {
    if (number == no_section) return {};
    const std::span<const std::byte> bytes = section(number, sizeof(T));
    return {std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)), owner_};
  }

  /// Throws InputError: the file, what is wrong, and what to do.
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  void check_start();
  void check_gaps() const;
  void read_table();
  std::span<const std::byte> section(std::uint32_t number, std::size_t element_bytes) const;

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string name_;
  Header header_;
  std::vector<Section> sections_;
  std::span<const std::byte> description_;
};

}  // namespace lacuna::store
