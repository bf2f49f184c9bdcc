// Memory that holds machine code. It is written first and executable afterwards, never both at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lacuna::cpu {

class ExecutableMemory {
 public:
  /// Copies the code into pages of its own. Throws DeviceError if the system refuses them or refuses to let them run.
  explicit ExecutableMemory(std::span<const std::uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(ExecutableMemory&& other) noexcept;
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept;

  /// The code's first byte as a function.
  template <typename Function>
  Function* entry() const {
    return reinterpret_cast<Function*>(pages_);
  }
  std::size_t size() const { return size_; }

 private:
  void* pages_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lacuna::cpu
