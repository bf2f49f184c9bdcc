// A GPU behind NVIDIA's driver, or behind the simulated one: gpu::Device on one context. See src/devices/gpu/device.hpp for the contract.
#pragma once

#include <memory>
#include <vector>

#include "devices/cuda/memory.hpp"
#include "devices/cuda/module.hpp"
#include "devices/gpu/device.hpp"

namespace lacuna::cuda {

class Recording;

class Device final : public gpu::Device {
 public:
  /// `label`: what the user called it ("cuda:0", "sim:a100:0"), for messages.
  Device(std::shared_ptr<const DriverLibrary> library, int number, std::string label);
  ~Device() override;

  const gpu::Limits& limits() const override { return limits_; }
  gpu::Language language() const override { return gpu::Language::ptx; }

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

  const Context& context() const { return *context_; }
  const ContextPointer& shared_context() const { return context_; }  ///< for libraries that work on the same GPU

 private:
  std::shared_ptr<Buffer> own(const gpu::BufferPointer& buffer, std::size_t offset, std::size_t bytes, const char* purpose) const;
  /// Asks the driver for work with these buffers, or records it.
  void use(std::span<const std::shared_ptr<Buffer>> buffers, const std::function<void()>& work);
  void refuse_while_recording(const char* what) const;
  void join_streams();  ///< what comes now is done after all writes
  void check_fits(const gpu::KernelInfo& kernel) const;

  ContextPointer context_;
  gpu::Limits limits_;
  std::unique_ptr<Staging> writing_;
  std::unique_ptr<Staging> reading_;
  std::unique_ptr<Event> clock_start_;
  std::unique_ptr<Event> clock_stop_;
  ModuleCache modules_;
  std::unique_ptr<Event> written_;
  Recording* recording_ = nullptr;  ///< while work is recorded
};

}  // namespace lacuna::cuda
