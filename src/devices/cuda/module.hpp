// Compiled PTX on a GPU: modules, the kernels in them, and the cache that loads the same text once.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "devices/cuda/context.hpp"
#include "devices/gpu/device.hpp"

namespace lacuna::cuda {

class Module {
 public:
  /// The driver compiles the text for its GPU. Throws DeviceError with the compiler's log.
  Module(ContextPointer context, const std::string& text);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  FunctionHandle function(const std::string& name) const;  ///< throws DeviceError if there is none
  const ContextPointer& context() const { return context_; }

 private:
  ContextPointer context_;
  ModuleHandle handle_ = nullptr;
};

class Kernel final : public gpu::Kernel {
 public:
  /// Kernels declare up to 48 KiB of shared memory in their text; those with more get it at launch, and the driver has to be told before.
  Kernel(std::shared_ptr<const Module> module, const gpu::KernelInfo& info);

  const std::string& name() const { return name_; }
  FunctionHandle function() const { return function_; }
  unsigned block_threads() const { return block_threads_; }
  unsigned dynamic_shared_bytes() const { return dynamic_shared_bytes_; }
  const Context& context() const { return *module_->context(); }

 private:
  std::shared_ptr<const Module> module_;
  std::string name_;
  FunctionHandle function_;
  unsigned block_threads_;
  unsigned dynamic_shared_bytes_;
};

/// Modules that somebody still holds, by their text.
class ModuleCache {
 public:
  std::shared_ptr<const Module> load(const ContextPointer& context, const std::string& text);

 private:
  std::unordered_map<std::string, std::weak_ptr<const Module>> modules_;
};

}  // namespace lacuna::cuda
