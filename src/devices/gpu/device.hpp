// What every GPU can do for Lacuna: hold memory, copy, load kernels, launch them, and run a recorded list of launches as one. CUDA and OpenCL
// implement it (src/devices/cuda, src/devices/opencl); engines see nothing else of them. Work is done in the order it is asked for, one thing after
// the other; only read() and finish() wait for it. Everything throws DeviceError naming the call, the code and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lacuna::gpu {

enum class Language : std::uint8_t { ptx, opencl };

/// What a device has. Zero: unknown.
struct Limits {
  std::string name;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;              ///< when the device was opened
  std::size_t largest_buffer_bytes = 0;
  unsigned multiprocessors = 0;
  unsigned block_threads = 0;              ///< of a block, at most
  std::size_t shared_bytes = 0;            ///< of a block, at most
  std::size_t l2_bytes = 0;
  bool is_simulated = false;
  bool is_cpu = false;                     ///< an OpenCL device that is a CPU
};

/// Memory of a device. Lives as long as somebody holds it.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t bytes() const = 0;
};
using BufferPointer = std::shared_ptr<Buffer>;

/// A kernel of a loaded module. Lives as long as somebody holds it; keeps its module.
class Kernel {
 public:
  virtual ~Kernel() = default;
};
using KernelPointer = std::shared_ptr<Kernel>;

/// Arguments in the order of the kernel's parameters: an address parameter takes a buffer (its first byte).
using Argument = std::variant<BufferPointer, std::uint32_t, float>;

struct Launch {
  KernelPointer kernel;
  std::uint32_t blocks_x = 1;
  std::uint32_t blocks_y = 1;
  std::vector<Argument> arguments;
};

/// Work that was recorded once and runs as a whole, any number of times: a CUDA graph, or a list where there is no such thing.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void run() = 0;  ///< returns at once
};

/// Where the program to load comes from: the text, and what each of its kernels needs.
struct KernelInfo {
  std::string name;
  std::uint32_t block_threads = 0;
  std::uint32_t shared_bytes = 0;  ///< checked against the limits of the device when it is loaded
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const Limits& limits() const = 0;
  virtual Language language() const = 0;

  virtual BufferPointer allocate(std::size_t bytes) = 0;
  virtual void write(const BufferPointer& target, std::size_t offset, std::span<const std::byte> bytes) = 0;  ///< the bytes may change afterwards
  virtual void read(const BufferPointer& source, std::size_t offset, std::span<std::byte> bytes) = 0;         ///< waits
  virtual void copy(const BufferPointer& source, std::size_t source_offset, const BufferPointer& target, std::size_t target_offset, std::size_t bytes) = 0;
  virtual void fill_zero(const BufferPointer& target, std::size_t offset, std::size_t bytes) = 0;  ///< offset and bytes are multiples of 4

  /// Compiles a program's text in this device's language; the kernels come in the order of `kernels`. Throws DeviceError with the compiler's log,
  /// and Unsupported where a kernel needs more than the device has.
  virtual std::vector<KernelPointer> load(const std::string& text, std::span<const KernelInfo> kernels) = 0;

  virtual void launch(const Launch& launch) = 0;

  /// Calls `work`, in which launch(), copy() and fill_zero() of this device are recorded instead of done. Not write(), read(), allocate() or load().
  virtual std::unique_ptr<Recording> record(const std::function<void()>& work) = 0;

  /// Waits until everything is done.
  virtual void finish() = 0;

  /// Seconds that the device worked between the two calls, by its own clock. finish() is implied by stop_clock().
  virtual void start_clock() = 0;
  virtual double stop_clock() = 0;
};

template <typename T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

}  // namespace lacuna::gpu
