#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <lacuna/error.hpp>
#include <system_error>

namespace lacuna::base {

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

FileDescriptor open_for_reading(const std::filesystem::path& file) {
  const int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw InputError(file.string(), "cannot be opened: " + system_message(errno));
  return FileDescriptor(number);
}

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

}  // namespace lacuna::base
