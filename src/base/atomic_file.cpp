#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <lacuna/error.hpp>
#include <utility>

namespace lacuna::base {

namespace {

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

std::filesystem::path new_name_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  return folder_of(target) / fmt::format(".{}.{}-{}.part", target.filename().string(), ::getpid(), counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  const int number = ::open(folder_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (number >= 0)
    descriptor_ = FileDescriptor(number);
  else
    open_named();  // the file system has no nameless files
}

void AtomicFile::open_named() {
  int number = -1;
  do {
    temporary_ = new_name_beside(target_);
    number = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (number < 0 && errno == EEXIST);
  if (number < 0) fail(errno);
  descriptor_ = FileDescriptor(number);
}

/// A link cannot replace what is there, a rename can: so the finished file gets a name of its own first.
void AtomicFile::name_temporary() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_.number());
  for (;;) {
    std::filesystem::path name = new_name_beside(target_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
}

AtomicFile::~AtomicFile() {
  if (!committed_ && !temporary_.empty() && descriptor_.number() >= 0) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  write_at(position_, data, bytes);
  position_ += bytes;
}

void AtomicFile::rewrite(std::uint64_t offset, const void* data, std::size_t bytes) {
  if (offset + bytes > position_) throw InternalError("AtomicFile::rewrite beyond what was written");
  write_at(offset, data, bytes);
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(descriptor_.number(), from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    from += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_.number()) != 0) fail(errno);
  if (temporary_.empty()) name_temporary();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  committed_ = true;
  // The file is complete under its name from here on; flushing the folder only protects the name against a power cut,
  // so a file system that refuses this is no reason to fail.
  const FileDescriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) ::fsync(folder.number());
}

void AtomicFile::fail(int error_number) const {
  throw DeviceError(fmt::format("{}: cannot be written: {}; what was there before is unchanged", target_.string(),
                                system_message(error_number)));
}

}  // namespace lacuna::base
