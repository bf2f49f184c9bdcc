#include "devices/opencl/codes.hpp"

#include <fmt/format.h>

#include <array>
#include <lacuna/error.hpp>

namespace lacuna::opencl {
namespace {

struct Code {
  cl_int code;
  std::string_view name;
  std::string_view advice = {};
};

constexpr std::string_view too_little_memory = "the device has too little memory for this: take smaller batches, or end other programs that use it";
constexpr std::string_view failed_kernel = "a kernel may have failed on the device: what it computed is lost; run again, and report it if it happens twice";
constexpr std::string_view lost_device = "the device is lost or taken: see the system's log, and start again";

/// What the calls we make can answer; -9999 is what NVIDIA's driver says after a bad access, -1001 what loaders say without any driver.
constexpr std::array codes{
    Code{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    Code{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", lost_device},
    Code{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "this driver cannot compile kernels: install the complete one"},
    Code{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", too_little_memory},
    Code{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", failed_kernel},
    Code{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "the driver got no memory from the system: end other programs"},
    Code{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE", "the driver gives no times"},
    Code{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    Code{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    Code{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", failed_kernel},
    Code{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    Code{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    Code{CL_INVALID_DEVICE, "CL_INVALID_DEVICE", lost_device},
    Code{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", lost_device},
    Code{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    Code{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", failed_kernel},
    Code{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    Code{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    Code{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    Code{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    Code{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    Code{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", "the program has no kernel of this name"},
    Code{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    Code{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    Code{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    Code{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", "an argument is of another type than the kernel's parameter"},
    Code{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    Code{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", "the kernel was made for blocks of another size, or they are too large for the device"},
    Code{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    Code{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    Code{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    Code{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device gives no buffer of this size"},
    Code{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    Code{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    Code{-9999, "a bad access of a kernel", failed_kernel},
};

const Code* find(cl_int number) {
  for (const Code& code : codes)
    if (code.code == number) return &code;
  return nullptr;
}

}  // namespace

std::string code_name(cl_int code) {
  const Code* known = find(code);
  return fmt::format("{} ({})", known == nullptr ? "an unknown code" : known->name, code);
}

void check(cl_int code, std::string_view call, std::string_view device) {
  if (code == CL_SUCCESS) return;
  const Code* known = find(code);
  const bool has_advice = known != nullptr && !known->advice.empty();
  throw DeviceError(fmt::format("opencl: {} on {}: {}{}{}", call, device, code_name(code), has_advice ? "; " : "", has_advice ? known->advice : ""));
}

}  // namespace lacuna::opencl
