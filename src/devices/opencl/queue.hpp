// The work of a device, in order: what is done on it, one command after the other, and the clock that is made of the commands' events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "devices/opencl/context.hpp"

namespace lacuna::opencl {

class OpenClBuffer : public gpu::Buffer {
 public:
  OpenClBuffer(Memory memory, std::size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  std::size_t bytes() const override { return bytes_; }
  const cl_mem& memory() const { return handle_; }
  const ContextPointer& context() const { return memory_.context(); }

 private:
  Memory memory_;
  cl_mem handle_ = memory_.get();
  std::size_t bytes_;
};

/// Its arguments are set before each launch, so several launches may share it.
class OpenClKernel : public gpu::Kernel {
 public:
  std::string name;
  std::uint32_t block_threads = 0;
  cl_uint parameters = 0;
  KernelHandle handle;
};

/// What can be recorded. The pointers keep what is named alive until it is done.
struct LaunchCommand {
  std::shared_ptr<OpenClKernel> kernel;
  std::size_t blocks_x, blocks_y;
  std::vector<std::variant<std::shared_ptr<OpenClBuffer>, std::uint32_t, float>> arguments;
};
struct CopyCommand {
  std::shared_ptr<OpenClBuffer> source, target;
  std::size_t source_offset, target_offset, bytes;
};
struct FillCommand {
  std::shared_ptr<OpenClBuffer> target;
  std::size_t offset, bytes;
};
using Command = std::variant<LaunchCommand, CopyCommand, FillCommand>;

class Queue {
 public:
  explicit Queue(ContextPointer context);
  ~Queue();

  /// Held while somebody uses the device: setting a kernel's arguments and launching it must not be torn apart, nor what is recorded. Whoever records holds
  /// it for the whole of it, and comes back here for each command.
  std::recursive_mutex& mutex() { return mutex_; }

  void run(const Command& command);  ///< returns at once
  void write(const OpenClBuffer& target, std::size_t offset, std::span<const std::byte> bytes);
  void read(const OpenClBuffer& source, std::size_t offset, std::span<std::byte> bytes);
  void flush();   ///< the device begins with what it was given
  void finish();  ///< throws DeviceError if a command failed while it ran

  void start_clock();
  double stop_clock();

 private:
  struct StagedWrite {
    std::vector<std::byte> bytes;
    std::shared_ptr<const Event> done;
  };

  void launch(const LaunchCommand& command);
  std::shared_ptr<const Event> begun(cl_event event);
  bool is_over(const Event& event) const;
  double time_of(const Event& event, cl_profiling_info moment) const;

  std::recursive_mutex mutex_;
  ContextPointer context_;
  std::deque<StagedWrite> staged_;  ///< oldest first; must outlive the queue's work, so it is released after finish() only
  QueueHandle queue_;
  std::shared_ptr<const Event> first_, last_;  ///< commands since the clock started; the last one is known always
  bool clock_runs_ = false;
};

}  // namespace lacuna::opencl
