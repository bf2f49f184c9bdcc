// A file mapped into memory, read-only. For binary stores: pages come from the disk when they are touched and can be
// dropped by the system again, so a network may be larger than free memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace lacuna::base {

class MappedFile {
 public:
  /// Throws InputError if the file cannot be opened or mapped. An empty file gives an empty span.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& file);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace lacuna::base
