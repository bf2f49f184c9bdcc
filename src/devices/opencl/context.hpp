// One opened OpenCL device: its context, and owners for what OpenCL hands out. Everything that lives on the device keeps its Context alive.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "devices/opencl/codes.hpp"
#include "devices/opencl/find_device.hpp"

namespace lacuna::opencl {

/// Opens the context when made, closes it when the last one who holds it is gone.
class Context {
 public:
  Context(std::shared_ptr<const Library> library, FoundDevice device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Library& cl() const { return *library_; }
  const FoundDevice& device() const { return device_; }
  const gpu::Limits& limits() const { return device_.limits; }
  cl_context handle() const { return context_; }

  /// Throws DeviceError unless the call succeeded.
  void check(cl_int code, std::string_view call) const { opencl::check(code, call, device_.limits.name); }

 private:
  std::shared_ptr<const Library> library_;
  FoundDevice device_;
  cl_context context_ = nullptr;
};
using ContextPointer = std::shared_ptr<const Context>;

/// Owns one thing of OpenCL's; `release` is the library's function that gives it back.
template <typename Thing, auto release>
class Owned {
 public:
  Owned() = default;
  Owned(ContextPointer context, Thing thing) : context_(std::move(context)), thing_(thing) {}
  Owned(Owned&& other) noexcept : context_(std::move(other.context_)), thing_(std::exchange(other.thing_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(thing_, other.thing_);
    return *this;
  }
  ~Owned() {
    if (thing_ != nullptr) (context_->cl().*release)(thing_);
  }

  Thing get() const { return thing_; }
  const ContextPointer& context() const { return context_; }
  explicit operator bool() const { return thing_ != nullptr; }

 private:
  ContextPointer context_;
  Thing thing_ = nullptr;
};
using Memory = Owned<cl_mem, &Library::release_memory>;
using Program = Owned<cl_program, &Library::release_program>;
using KernelHandle = Owned<cl_kernel, &Library::release_kernel>;
using Event = Owned<cl_event, &Library::release_event>;
using QueueHandle = Owned<cl_command_queue, &Library::release_queue>;

}  // namespace lacuna::opencl
