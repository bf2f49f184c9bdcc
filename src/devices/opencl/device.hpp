// A device of OpenCL 1.2 behind the interface of all GPUs (devices/gpu/device.hpp): one context, one queue in order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/opencl/programs.hpp"
#include "devices/opencl/queue.hpp"

namespace lacuna::opencl {

class OpenClDevice : public gpu::Device {
 public:
  explicit OpenClDevice(ContextPointer context, Binaries binaries = Binaries::keep_but_for_pocl);

  const gpu::Limits& limits() const override { return context_->limits(); }
  gpu::Language language() const override { return gpu::Language::opencl; }

  gpu::BufferPointer allocate(std::size_t bytes) override;
  void write(const gpu::BufferPointer& target, std::size_t offset, std::span<const std::byte> bytes) override;
  void read(const gpu::BufferPointer& source, std::size_t offset, std::span<std::byte> bytes) override;
  void copy(const gpu::BufferPointer& source, std::size_t source_offset, const gpu::BufferPointer& target, std::size_t target_offset, std::size_t bytes) override;
  void fill_zero(const gpu::BufferPointer& target, std::size_t offset, std::size_t bytes) override;

  std::vector<gpu::KernelPointer> load(const std::string& text, std::span<const gpu::KernelInfo> kernels) override;
  void launch(const gpu::Launch& launch) override;
  std::unique_ptr<gpu::Recording> record(const std::function<void()>& work) override;
  void finish() override;
  void start_clock() override;
  double stop_clock() override;

  const Programs& programs() const { return programs_; }

 private:
  void do_or_record(Command command);
  void not_while_recording(const char* what) const;
  void check_limits(const gpu::KernelInfo& kernel) const;
  std::shared_ptr<OpenClKernel> make_kernel(const Program& program, const gpu::KernelInfo& info) const;
  std::shared_ptr<OpenClBuffer> own(const gpu::BufferPointer& buffer, const char* call) const;
  std::shared_ptr<OpenClBuffer> own(const gpu::BufferPointer& buffer, std::size_t offset, std::size_t bytes, const char* call) const;

  ContextPointer context_;
  std::shared_ptr<Queue> queue_;
  Programs programs_;
  std::vector<Command>* recorded_ = nullptr;  ///< not null: commands go there
};

}  // namespace lacuna::opencl
