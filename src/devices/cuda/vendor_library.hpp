// What NVIDIA's libraries have in common (cuSPARSE, cuBLAS, cuDNN): each is opened when it is asked for, never linked; all its entries are found at once; a call that fails is a DeviceError
// that names it. Only what we declare ourselves is called, so that no header of NVIDIA's is needed to build.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <tuple>

#include <lacuna/error.hpp>

#include "base/dynamic_library.hpp"
#include "devices/cuda/device.hpp"
#include "devices/gpu/open.hpp"

namespace lacuna::cuda {

/// Which library it is, and what is said where it is missing.
struct VendorLibrary {
  const char* name;                    ///< "cusparse"
  const char* variable;                ///< of the environment: a file to open instead
  std::span<const char* const> files;  ///< the newest first
  const char* who_needs_it;            ///< "only the comparison with it needs it"
  const char* how_to_get;              ///< "install NVIDIA's CUDA libraries"
  const char* oldest;                  ///< that has all we call: "the libraries of CUDA 11.4"

  base::DynamicLibrary open() const;
  std::string what_is_missing(const base::DynamicLibrary& library) const;
};

/// Whether it can be opened: which file it is, or a sentence that says what is missing.
struct FoundLibrary {
  std::string name, file, missing;
};
FoundLibrary find(const VendorLibrary& which);

/// All three, for `lacuna devices`.
std::vector<FoundLibrary> find_vendor_libraries();

template <typename Function>
struct VendorEntry {
  const char* name;
  Function* function = nullptr;
};

/// Parts of OpenedLibrary that do not depend on which one it is.
std::shared_ptr<Device> cuda_device(const VendorLibrary& which, const gpu::DevicePointer& device);
void refuse_on_simulated(const VendorLibrary& which, const base::DynamicLibrary& library, const Device& device);
void refuse_unnamed_on_simulated(const VendorLibrary& which, const Device& device);
std::shared_ptr<Buffer> own_buffer(const Context& context, const gpu::BufferPointer& buffer, std::size_t least_bytes);

/// A library that works on a GPU of ours, in the stream of its context. `Api` has Handle, the entries create, destroy, set_stream and its own, all() of them, and describe(status); a status of 0 is
/// success in every library.
template <typename Api>
class OpenedLibrary {
 public:
  /// Throws DeviceError where the library is missing, lacks an entry or refuses; Unsupported for a device that is not CUDA's, and for NVIDIA's own library on a simulated GPU, whose memory it cannot
  /// see.
  OpenedLibrary(const VendorLibrary& which, const gpu::DevicePointer& device);
  ~OpenedLibrary() { end(); }
  OpenedLibrary(const OpenedLibrary&) = delete;
  OpenedLibrary& operator=(const OpenedLibrary&) = delete;

  /// Needs: a Turn of the context.
  template <typename Function, typename... Arguments>
  void call(const VendorEntry<Function>& entry, Arguments... arguments) const {
    const auto status = entry.function(arguments...);
    if (static_cast<int>(status) != 0) throw DeviceError(fmt::format("{}: {} gives {}", context->label(), entry.name, api.describe(status)));
  }

  /// A buffer of this device, for work that reads or writes it: begin_use() before, end_use() after. Throws InternalError for others and for those that are too small.
  std::shared_ptr<Buffer> own(const gpu::BufferPointer& buffer, std::size_t least_bytes) const { return own_buffer(*context, buffer, least_bytes); }

  /// What a piece of work needs beside its operands; one for all, since they run one after the other.
  DeviceAddress work(std::size_t bytes) {
    if (bytes == 0) return 0;
    if (!work_ || work_->bytes() < bytes) {
      device->finish();  // what still runs has the old one
      work_ = device->allocate(bytes);
    }
    return own(work_, bytes)->address();
  }

  std::shared_ptr<Device> device;
  ContextPointer context;
  Api api;
  typename Api::Handle handle = nullptr;

 private:
  void end() noexcept {
    const Context::Turn turn(*context, std::nothrow);
    if (handle != nullptr) api.destroy.function(handle);
  }

  gpu::BufferPointer work_;
};

/// A handle that goes with its holder. Needs: a Turn where it goes.
template <typename Handle, typename Status>
class Held {
 public:
  explicit Held(const VendorEntry<Status(Handle)>& destroy) : destroy_(destroy.function) {}
  ~Held() {
    if (handle_ != nullptr) destroy_(handle_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Handle* place() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  Status (*destroy_)(Handle);
  Handle handle_ = nullptr;
};

template <typename Api>
OpenedLibrary<Api>::OpenedLibrary(const VendorLibrary& which, const gpu::DevicePointer& of) : device(cuda_device(which, of)), context(device->shared_context()) {
  refuse_unnamed_on_simulated(which, *device);
  const base::DynamicLibrary library = which.open();
  if (!library.is_open()) throw DeviceError(which.what_is_missing(library));
  const auto find = [&](auto& entry) {
    library.find(entry.name, entry.function);
    if (entry.function == nullptr) throw DeviceError(fmt::format("{}: {} has no {}: install {} or later", which.name, library.file(), entry.name, which.oldest));
  };
  std::apply([&](auto&... entry) { (find(entry), ...); }, api.all());
  refuse_on_simulated(which, library, *device);
  const Context::Turn turn(*context);
  try {
    call(api.create, &handle);
    call(api.set_stream, handle, context->stream());
  } catch (...) {
    end();
    throw;
  }
}

}  // namespace lacuna::cuda
