// One GPU as this process uses it: its primary context, a stream for work and one for bytes on their way in, and whether it is lost. Everything that belongs to the GPU (buffers, modules,
// events, graphs) holds its Context, so that the context ends last; every call of the driver goes through it, and a failure becomes a DeviceError.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "devices/cuda/driver_library.hpp"

namespace lacuna::cuda {

class Context {
 public:
  /// Throws DeviceError if the driver refuses, Unsupported if the GPU is too old (before compute capability 7.0).
  Context(std::shared_ptr<const DriverLibrary> library, int number, std::string label);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes the context current in this thread as long as it lives, and keeps other threads away from the device.
  class Turn {
   public:
    explicit Turn(Context& context);
    Turn(Context& context, std::nothrow_t) noexcept;  ///< for destructors: also where the device is lost
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Context& context_;
    std::lock_guard<std::recursive_mutex> lock_;
    bool is_current_ = true;
  };

  /// Calls the driver. Needs: a Turn. Throws DeviceError with the call, the code and what to do; `what` is the call's purpose where it says more than its name.
  template <typename... Parameters, typename... Arguments>
  void call(const EntryPoint<Result(Parameters...)>& entry, Arguments... arguments) {
    call_for(entry, {}, arguments...);
  }
  template <typename... Parameters, typename... Arguments>
  void call_for(const EntryPoint<Result(Parameters...)>& entry, std::string_view what, Arguments... arguments) {
    throw_if_lost();
    const Result result = entry(arguments...);
    if (result != Result::success) fail(entry.name, result, what);
  }
  /// Throws the DeviceError of a call that gave this result.
  [[noreturn]] void fail(std::string_view call, Result result, std::string_view what, std::string_view to_do = {});
  /// For destructors: gives something back, whatever the driver says.
  template <typename... Parameters, typename... Arguments>
  void give_back(const EntryPoint<Result(Parameters...)>& entry, Arguments... arguments) noexcept {
    const Result ignored = entry(arguments...);
    static_cast<void>(ignored);
  }

  const DriverLibrary& library() const { return *library_; }
  const DriverApi& api() const { return library_->api; }
  StreamHandle stream() const { return stream_; }        ///< kernels, and everything else but writes
  StreamHandle write_stream() const { return write_stream_; }
  void wait_for_all();  ///< needs: a Turn
  DeviceNumber number() const { return number_; }
  const std::string& label() const { return label_; }  ///< "cuda:0 (NVIDIA A100-SXM4-40GB)"
  int attribute(DeviceAttribute attribute);

 private:
  void throw_if_lost() const;
  void end() noexcept;

  std::shared_ptr<const DriverLibrary> library_;
  DeviceNumber number_ = 0;
  std::string label_;
  ContextHandle handle_ = nullptr;
  StreamHandle stream_ = nullptr;
  StreamHandle write_stream_ = nullptr;
  std::recursive_mutex mutex_;
  std::string lost_;  ///< the message of the failure after which nothing works
};
using ContextPointer = std::shared_ptr<Context>;

}  // namespace lacuna::cuda
