// Bytes in order from a file or from memory, unpacked on the way when they are gzip or Zstandard. What they are is
// decided by their first bytes; a name that promises otherwise is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::base {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `to` with up to `size` unpacked bytes; 0 only at the end. Throws InputError if the data is damaged.
  virtual std::size_t read(char* to, std::size_t size) = 0;

  /// Bytes of the file taken so far, as they are on the disk: for progress.
  virtual std::uint64_t consumed() const = 0;
};

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& file);

/// `bytes` must outlive the source; `name` stands for the file in messages.
std::unique_ptr<ByteSource> open_source(std::string_view bytes, std::string_view name);

/// Everything there is, at once: for small files.
std::string read_all(ByteSource& source);

}  // namespace lacuna::base
