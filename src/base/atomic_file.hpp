// Writes a file completely or not at all: everything goes to a temporary beside it, which takes its name at the end. The temporary has
// no name where the file system allows that, so that not even a killed program leaves one behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/file_descriptor.hpp"

namespace lacuna::base {

class AtomicFile {
 public:
  /// Creates the temporary in the folder of `target`. Here and below: throws DeviceError if the system refuses.
  explicit AtomicFile(std::filesystem::path target);

  /// Removes the temporary unless committed; whatever was at `target` before is untouched.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);

  /// Writes over bytes written before; position() stays.
  void rewrite(std::uint64_t offset, const void* data, std::size_t bytes);

  /// Bytes written so far.
  std::uint64_t position() const { return position_; }

  /// Flushes to the disk, then gives it its name.
  void commit();

 private:
  void open_named();
  void name_temporary();
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty: it has no name yet
  FileDescriptor descriptor_;
  std::uint64_t position_ = 0;
  bool committed_ = false;
};

}  // namespace lacuna::base
