// Entry points of the simulated driver: start, errors, devices and contexts.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "devices/sim_driver/execute.hpp"

using namespace lacuna;
using namespace lacuna::cuda;
using namespace lacuna::sim_driver;

namespace {

struct ErrorName {
  Result result;
  const char* name;
  const char* text;
};
constexpr std::array error_names = {
    ErrorName{Result::success, "CUDA_SUCCESS", "no error"},
    ErrorName{Result::invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    ErrorName{Result::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    ErrorName{Result::not_initialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    ErrorName{Result::deinitialized, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    ErrorName{Result::stub_library, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    ErrorName{Result::device_unavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    ErrorName{Result::no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    ErrorName{Result::invalid_device, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    ErrorName{Result::invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    ErrorName{Result::invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    ErrorName{Result::no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    ErrorName{Result::ecc_uncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    ErrorName{Result::invalid_ptx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    ErrorName{Result::nvlink_uncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution"},
    ErrorName{Result::jit_compiler_not_found, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    ErrorName{Result::unsupported_ptx_version, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    ErrorName{Result::operating_system, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    ErrorName{Result::invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    ErrorName{Result::illegal_state, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    ErrorName{Result::not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    ErrorName{Result::not_ready, "CUDA_ERROR_NOT_READY", "device not ready"},
    ErrorName{Result::illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    ErrorName{Result::launch_out_of_resources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    ErrorName{Result::launch_timeout, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    ErrorName{Result::context_is_destroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    ErrorName{Result::assert_failed, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    ErrorName{Result::hardware_stack_error, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    ErrorName{Result::illegal_instruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    ErrorName{Result::misaligned_address, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    ErrorName{Result::invalid_address_space, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    ErrorName{Result::invalid_pc, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    ErrorName{Result::launch_failed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    ErrorName{Result::not_permitted, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    ErrorName{Result::not_supported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    ErrorName{Result::system_not_ready, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    ErrorName{Result::system_driver_mismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    ErrorName{Result::stream_capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    ErrorName{Result::stream_capture_invalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    ErrorName{Result::stream_capture_unmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    ErrorName{Result::stream_capture_implicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorName{Result::unknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

Result look_up(Result result, const char** text, const char* ErrorName::*part) {
  for (const ErrorName& error : error_names)
    if (error.result == result) {
      *text = error.*part;
      return Result::success;
    }
  *text = nullptr;
  return Result::invalid_value;
}

int attribute_of(const sim::Model& model, DeviceAttribute attribute) {
  switch (attribute) {
    case DeviceAttribute::block_threads: return 1024;
    case DeviceAttribute::shared_bytes: return static_cast<int>(static_shared_bytes);
    case DeviceAttribute::warp_threads: return 32;
    case DeviceAttribute::clock_khz: return static_cast<int>(model.clock_ghz * 1e6);
    case DeviceAttribute::multiprocessors: return static_cast<int>(model.multiprocessors);
    case DeviceAttribute::l2_bytes: return static_cast<int>(model.l2_bytes);
    case DeviceAttribute::multiprocessor_threads: return static_cast<int>(model.most_threads);
    case DeviceAttribute::capability_major: return static_cast<int>(model.compute_major);
    case DeviceAttribute::capability_minor: return static_cast<int>(model.compute_minor);
    case DeviceAttribute::largest_shared_bytes: return static_cast<int>(model.block_shared_bytes);
  }
  throw Refusal{Result::invalid_value};
}

/// LACUNA_SIM_CHECKS: which of "races" and "caches" the simulator looks at; not set: both. Without them it is faster.
sim::Checks checks_wanted() {
  sim::Checks checks;
  if (const char* const wish = std::getenv("LACUNA_SIM_CHECKS"); wish != nullptr) {
    checks.races = std::strstr(wish, "races") != nullptr;
    checks.caches = std::strstr(wish, "caches") != nullptr;
  }
  return checks;
}

/// LACUNA_SIM_MEMORY: a GPU with less memory (or more) than its model, for tests.
std::size_t memory_bytes_of(const Gpu& gpu) {
  const char* const wish = std::getenv("LACUNA_SIM_MEMORY");
  if (wish == nullptr || *wish == '\0') return gpu.model.memory_bytes;
  const std::optional<std::uint64_t> bytes = base::parse_bytes(wish);
  if (!bytes) throw Refusal{Result::invalid_value};
  return *bytes;
}

void end_context(State& own, Gpu& gpu) {
  drain_all(*gpu.context);
  own.leaked += gpu.context->objects();
  gpu.context.reset();
  gpu.machine.reset();
  gpu.memory.reset();
}

}  // namespace

LACUNA_EXPORT Result cuInit(unsigned flags) {
  return enter("cuInit", [&](State& own) {
    if (flags != 0) throw Refusal{Result::invalid_value};
    own.is_started = true;
  });
}

LACUNA_EXPORT Result cuDriverGetVersion(int* version) {
  return enter("cuDriverGetVersion", [&](State&) {
    const char* const wish = std::getenv("LACUNA_SIM_DRIVER_VERSION");
    *version = wish != nullptr ? std::atoi(wish) : 12000;
  });
}

// Other libraries of NVIDIA ask for private tables; we have none.
LACUNA_EXPORT Result cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return Result::not_found;
}

LACUNA_EXPORT Result cuGetErrorName(Result result, const char** text) { return look_up(result, text, &ErrorName::name); }
LACUNA_EXPORT Result cuGetErrorString(Result result, const char** text) { return look_up(result, text, &ErrorName::text); }

LACUNA_EXPORT Result cuDeviceGetCount(int* count) {
  return enter("cuDeviceGetCount", [&](State& own) {
    own.need_gpus();
    *count = static_cast<int>(own.gpus.size());
  });
}

LACUNA_EXPORT Result cuDeviceGet(DeviceNumber* device, int ordinal) {
  return enter("cuDeviceGet", [&](State& own) { *device = own.gpu(ordinal).number; });
}

LACUNA_EXPORT Result cuDeviceGetName(char* name, int bytes, DeviceNumber device) {
  return enter("cuDeviceGetName", [&](State& own) {
    if (bytes < 1) throw Refusal{Result::invalid_value};
    const std::string full(own.gpu(device).model.full_name);
    const std::size_t count = std::min(full.size(), static_cast<std::size_t>(bytes) - 1);
    std::memcpy(name, full.data(), count);
    name[count] = '\0';
  });
}

LACUNA_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceNumber device) {
  return enter("cuDeviceTotalMem_v2", [&](State& own) { *bytes = memory_bytes_of(own.gpu(device)); });
}

LACUNA_EXPORT Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceNumber device) {
  return enter("cuDeviceGetAttribute", [&](State& own) { *value = attribute_of(own.gpu(device).model, attribute); });
}

LACUNA_EXPORT Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceNumber device) {
  return enter("cuDevicePrimaryCtxRetain", [&](State& own) {
    Gpu& gpu = own.gpu(device);
    if (!gpu.context) {
      gpu.memory = std::make_unique<sim::Memory>(memory_bytes_of(gpu));
      gpu.machine = std::make_unique<sim::Machine>(gpu.model, checks_wanted());
      gpu.context = std::make_unique<ContextObject>();
      gpu.context->gpu = &gpu;
    }
    ++gpu.context->holders;
    *context = gpu.context.get();
  });
}

LACUNA_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  return enter("cuDevicePrimaryCtxRelease_v2", [&](State& own) {
    Gpu& gpu = own.gpu(device);
    if (!gpu.context) throw Refusal{Result::invalid_context};
    if (--gpu.context->holders == 0) end_context(own, gpu);
  });
}

LACUNA_EXPORT Result cuCtxPushCurrent_v2(ContextHandle context) {
  return enter("cuCtxPushCurrent_v2", [&](State& own) {
    const bool is_known = std::any_of(own.gpus.begin(), own.gpus.end(), [&](const auto& gpu) { return gpu->context && gpu->context.get() == context; });
    if (!is_known) throw Refusal{Result::invalid_context};
    context_stack().push_back(context);
  });
}

LACUNA_EXPORT Result cuCtxPopCurrent_v2(ContextHandle* context) {
  return enter("cuCtxPopCurrent_v2", [&](State&) {
    if (context_stack().empty()) throw Refusal{Result::invalid_context};
    *context = context_stack().back();
    context_stack().pop_back();
  });
}
