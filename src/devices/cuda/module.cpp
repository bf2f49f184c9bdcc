#include "devices/cuda/module.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "devices/cuda/advice.hpp"

namespace lacuna::cuda {

Module::Module(ContextPointer context, const std::string& text) : context_(std::move(context)) {
  const Context::Turn turn(*context_);
  std::vector<char> log(std::size_t{16} << 10, '\0');
  std::array<CompileOption, 2> options{CompileOption::error_log, CompileOption::error_log_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};  // numbers travel in pointers here
  const DriverApi& api = context_->api();
  const Result result = api.load_module(&handle_, text.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result == Result::success) return;
  log.back() = '\0';
  std::string said = log.data();
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  context_->fail(api.load_module.name, result, {}, said.empty() ? advice(result) : fmt::format("{}; the compiler said:\n{}", advice(result), said));
}

Module::~Module() {
  const Context::Turn turn(*context_, std::nothrow);
  context_->give_back(context_->api().unload_module, handle_);
}

FunctionHandle Module::function(const std::string& name) const {
  const Context::Turn turn(*context_);
  FunctionHandle function = nullptr;
  context_->call_for(context_->api().function, fmt::format("of kernel \"{}\"", name), &function, handle_, name.c_str());
  return function;
}

Kernel::Kernel(std::shared_ptr<const Module> module, const gpu::KernelInfo& info)
    : module_(std::move(module)),
      name_(info.name),
      function_(module_->function(info.name)),
      block_threads_(info.block_threads),
      dynamic_shared_bytes_(info.shared_bytes > static_shared_bytes ? info.shared_bytes : 0) {
  if (dynamic_shared_bytes_ == 0) return;
  Context& context = *module_->context();
  const Context::Turn turn(context);
  context.call_for(context.api().set_function_attribute, fmt::format("of kernel \"{}\" ({} bytes of shared memory)", name_, dynamic_shared_bytes_), function_,
                   FunctionAttribute::dynamic_shared_bytes, static_cast<int>(dynamic_shared_bytes_));
}

std::shared_ptr<const Module> ModuleCache::load(const ContextPointer& context, const std::string& text) {
  std::erase_if(modules_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const Module>& known = modules_[text];
  std::shared_ptr<const Module> module = known.lock();
  if (!module) known = module = std::make_shared<const Module>(context, text);
  return module;
}

}  // namespace lacuna::cuda
