// Entry points of the simulated driver: modules and launches.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <lacuna/error.hpp>

#include "devices/sim_driver/execute.hpp"

using namespace lacuna;
using namespace lacuna::cuda;
using namespace lacuna::sim_driver;

namespace {

/// Where the caller wants the compiler's words; empty where he does not.
struct Log {
  char* text = nullptr;
  std::size_t bytes = 0;

  Log(unsigned count, const CompileOption* options, void** values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CompileOption::error_log) text = static_cast<char*>(values[i]);
      if (options[i] == CompileOption::error_log_bytes) bytes = reinterpret_cast<std::uintptr_t>(values[i]);
    }
    if (text == nullptr) bytes = 0;
  }
  void write(std::string_view words) const {
    if (bytes == 0) return;
    const std::size_t count = std::min(words.size(), bytes - 1);
    std::memcpy(text, words.data(), count);
    text[count] = '\0';
  }
};

FunctionObject& function_of(ContextObject& context, FunctionHandle handle) {
  for (const auto& [module_handle, module] : context.modules)
    for (const auto& [name, function] : module->functions)
      if (function.get() == handle) return *function;
  throw Refusal{Result::invalid_handle};
}

/// What a driver refuses at the launch itself.
void check_shape(const FunctionObject& function, const sim::LaunchShape& shape, const sim::Model& model) {
  const sim::Kernel& kernel = *function.kernel;
  const std::uint64_t threads = shape.block.count();
  if (shape.grid.count() == 0 || threads == 0 || threads > 1024 || shape.block.z > 64) throw Refusal{Result::invalid_value};
  if (shape.grid.x > 0x7fffffffu || shape.grid.y > 65535 || shape.grid.z > 65535) throw Refusal{Result::invalid_value};
  if (shape.dynamic_shared_bytes + kernel.shared_bytes > function.dynamic_shared_bytes) throw Refusal{Result::invalid_value};
  const auto& required = kernel.required_threads;
  if (required[0] != 0 && (required[0] != shape.block.x || std::max(required[1], 1u) != shape.block.y || std::max(required[2], 1u) != shape.block.z))
    throw Refusal{Result::invalid_value};
  if (kernel.most_threads != 0 && threads > kernel.most_threads) throw Refusal{Result::invalid_value};
  if (sim::occupancy(kernel, shape, model).blocks == 0) throw Refusal{Result::launch_out_of_resources};
}

}  // namespace

LACUNA_EXPORT Result cuModuleLoadDataEx(ModuleHandle* module, const void* text, unsigned count, CompileOption* options, void** values) {
  return enter_context("cuModuleLoadDataEx", [&](State&, ContextObject& context) {
    auto object = std::make_unique<ModuleObject>();
    try {
      object->module = std::make_shared<sim::Module>(sim::Module::parse(static_cast<const char*>(text)));
    } catch (const Error& error) {
      Log(count, options, values).write(error.what());
      throw Refusal{Result::invalid_ptx};
    }
    object->module->place(*context.gpu->memory);
    *module = add_object(context.modules, std::move(object));
  });
}

LACUNA_EXPORT Result cuModuleUnload(ModuleHandle module) {
  return enter_to_give_back("cuModuleUnload", [&](State&, ContextObject& context) {
    ModuleObject& object = object_of(context.modules, module);
    drain_all(context);
    object.module->remove(*context.gpu->memory);
    context.modules.erase(module);
  });
}

LACUNA_EXPORT Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  return enter_context("cuModuleGetFunction", [&](State&, ContextObject& context) {
    ModuleObject& object = object_of(context.modules, module);
    const sim::Kernel* const kernel = object.module->find(name);
    if (kernel == nullptr) throw Refusal{Result::not_found};
    std::unique_ptr<FunctionObject>& known = object.functions[name];
    if (!known) {
      known = std::make_unique<FunctionObject>();
      known->kernel = kernel;
      known->module = object.module;
    }
    *function = known.get();
  });
}

LACUNA_EXPORT Result cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  return enter_context("cuFuncSetAttribute", [&](State&, ContextObject& context) {
    FunctionObject& object = function_of(context, function);
    if (attribute != FunctionAttribute::dynamic_shared_bytes || value < 0) throw Refusal{Result::invalid_value};
    const std::size_t bytes = static_cast<std::size_t>(value) + object.kernel->shared_bytes;
    if (bytes > context.gpu->model.block_shared_bytes) throw Refusal{Result::invalid_value};
    object.dynamic_shared_bytes = std::max(bytes, static_shared_bytes);
  });
}

LACUNA_EXPORT Result cuLaunchKernel(FunctionHandle function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                                    unsigned threads_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra) {
  return enter_context("cuLaunchKernel", [&](State&, ContextObject& context) {
    const FunctionObject& object = function_of(context, function);
    if (extra != nullptr) throw Refusal{Result::not_supported};
    RunKernel run{object, {{blocks_x, blocks_y, blocks_z}, {threads_x, threads_y, threads_z}, shared_bytes}, {}};
    check_shape(object, run.shape, context.gpu->model);
    run.parameters.resize(object.kernel->parameter_bytes);
    for (std::size_t i = 0; i < object.kernel->parameters.size(); ++i) {
      const sim::Parameter& parameter = object.kernel->parameters[i];
      if (parameters == nullptr || parameters[i] == nullptr) throw Refusal{Result::invalid_value};
      std::memcpy(run.parameters.data() + parameter.offset, parameters[i], parameter.bytes);
    }
    submit(context, stream_of(context, stream), std::move(run));
  });
}
