#include "devices/cpu/executable_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <lacuna/error.hpp>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/text.hpp"

namespace lacuna::cpu {

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) : size_(code.size()) {
  void* const pages = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw DeviceError(fmt::format("{} for baked code: {}; --kernel table needs none", base::human_bytes(size_), base::system_message(errno)));
  std::memcpy(pages, code.data(), size_);
  if (::mprotect(pages, size_, PROT_READ | PROT_EXEC) != 0) {
    const int error_number = errno;
    ::munmap(pages, size_);
    throw DeviceError(fmt::format("the system does not let baked code run: {}; --kernel table needs none", base::system_message(error_number)));
  }
  pages_ = pages;
}

ExecutableMemory::~ExecutableMemory() {
  if (pages_ != nullptr) ::munmap(pages_, size_);
}

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ExecutableMemory& ExecutableMemory::operator=(ExecutableMemory&& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace lacuna::cpu
