// Plain bytes, and the choice between plain, gzip and Zstandard. Files are read, not mapped: the memory stays bounded
// and a file cut short by someone else while we read is a short read, not a signal.
#include "base/byte_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <lacuna/error.hpp>

#include "base/file_descriptor.hpp"
#include "base/text.hpp"
#include "base/unpack.hpp"

namespace lacuna::base {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

class FileSource : public ByteSource {
 public:
  FileSource(FileDescriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_.number(), to, size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw InputError(name_, "cannot be read: " + system_message(errno));
      consumed_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  std::uint64_t consumed() const override { return consumed_; }

  /// The first bytes without taking them; none from a pipe, which is then read as plain text.
  std::string peek(std::size_t size) const {
    std::string start(size, '\0');
    const ssize_t got = ::pread(descriptor_.number(), start.data(), size, 0);
    start.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return start;
  }

 private:
  FileDescriptor descriptor_;
  std::string name_;
  std::uint64_t consumed_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - taken_);
    if (count > 0) std::memcpy(to, bytes_.data() + taken_, count);
    taken_ += count;
    return count;
  }

  std::uint64_t consumed() const override { return taken_; }

 private:
  std::string_view bytes_;
  std::size_t taken_ = 0;
};

std::unique_ptr<ByteSource> unpack_if_packed(std::unique_ptr<ByteSource> source, std::string_view start,
                                             const std::string& name) {
  if (start.starts_with(gzip_magic)) return unpack_gzip(std::move(source), name);
  if (start.starts_with(zstd_magic)) return unpack_zstd(std::move(source), name);
  const auto refuse = [&](std::string_view kind) {
    throw InputError(name, fmt::format("is no {} file: it starts with {}; get it again, or rename it if it is plain",
                                       kind, start.empty() ? "nothing (it is empty)" : quote(start)));
  };
  if (name.ends_with(".gz")) refuse("gzip");
  if (name.ends_with(".zst")) refuse("Zstandard");
  return source;
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& file) {
  auto source = std::make_unique<FileSource>(open_for_reading(file), file.string());
  const std::string start = source->peek(zstd_magic.size());
  return unpack_if_packed(std::move(source), start, file.string());
}

std::unique_ptr<ByteSource> open_source(std::string_view bytes, std::string_view name) {
  return unpack_if_packed(std::make_unique<MemorySource>(bytes), bytes.substr(0, zstd_magic.size()), std::string(name));
}

std::string read_all(ByteSource& source) {
  constexpr std::size_t step = std::size_t{64} << 10;
  std::string all;
  for (;;) {
    const std::size_t before = all.size();
    all.resize(before + std::max(step, before));
    const std::size_t got = source.read(all.data() + before, all.size() - before);
    all.resize(before + got);
    if (got == 0) return all;
  }
}

}  // namespace lacuna::base
