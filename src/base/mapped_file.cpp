#include "base/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <lacuna/error.hpp>

#include "base/file_descriptor.hpp"

namespace lacuna::base {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const FileDescriptor descriptor = open_for_reading(file);
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0)
    throw InputError(file.string(), "cannot be examined: " + system_message(errno));
  if (!S_ISREG(status.st_mode)) throw InputError(file.string(), "is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.number(), 0);
  if (address == MAP_FAILED) throw InputError(file.string(), "cannot be mapped: " + system_message(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace lacuna::base
