// An open file that closes itself, and the operating system's refusals as errors that name the file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace lacuna::base {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// Opens for reading. Throws InputError naming the file and the reason.
FileDescriptor open_for_reading(const std::filesystem::path& file);

/// The system's words for an errno value.
std::string system_message(int error_number);

}  // namespace lacuna::base
