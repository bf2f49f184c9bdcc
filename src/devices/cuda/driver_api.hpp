// The part of NVIDIA's driver API that Lacuna calls: types, constants and entry points as its public reference describes them, so that no CUDA
// header is needed to build. The cuda device fills a DriverApi from a library at run time; the simulated driver (src/devices/sim_driver) exports
// functions of the same names and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace lacuna::cuda {

/// What every entry point answers. Named are those that we treat in a way of their own; there are many more.
enum class Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  stub_library = 34,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  operating_system = 304,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  assert_failed = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  not_permitted = 800,
  not_supported = 801,
  system_not_ready = 802,
  system_driver_mismatch = 803,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_unmatched = 903,
  stream_capture_implicit = 906,
  unknown = 999,
};

/// After one of these every call of the process to this GPU fails: the context is gone.
constexpr bool is_lost(Result result) {
  switch (result) {
    case Result::deinitialized:
    case Result::ecc_uncorrectable:
    case Result::nvlink_uncorrectable:
    case Result::illegal_address:
    case Result::launch_timeout:
    case Result::context_is_destroyed:
    case Result::assert_failed:
    case Result::hardware_stack_error:
    case Result::illegal_instruction:
    case Result::misaligned_address:
    case Result::invalid_address_space:
    case Result::invalid_pc:
    case Result::launch_failed:
    case Result::unknown: return true;
    default: return false;
  }
}

using DeviceNumber = int;
using DeviceAddress = std::uint64_t;
using ContextHandle = struct ContextObject*;
using StreamHandle = struct StreamObject*;
using EventHandle = struct EventObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;
using GraphHandle = struct GraphObject*;
using GraphRunHandle = struct GraphRunObject*;  ///< a graph made ready to run

enum class DeviceAttribute : int {
  block_threads = 1,
  shared_bytes = 8,  ///< of a block that did not ask for more
  warp_threads = 10,
  clock_khz = 13,
  multiprocessors = 16,
  l2_bytes = 38,
  multiprocessor_threads = 39,
  capability_major = 75,
  capability_minor = 76,
  largest_shared_bytes = 97,  ///< of a block that asked for it
};
enum class FunctionAttribute : int { dynamic_shared_bytes = 8 };
enum class CompileOption : int { error_log = 5, error_log_bytes = 6 };
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };

constexpr unsigned stream_apart_from_default = 1;  ///< a flag of cuStreamCreate: does not wait for stream 0
constexpr unsigned event_without_time = 2;         ///< a flag of cuEventCreate
constexpr std::size_t static_shared_bytes = 48 << 10;  ///< what a kernel may declare; beyond that it asks at launch

template <typename Signature>
struct EntryPoint;
template <typename... Parameters>
struct EntryPoint<Result(Parameters...)> {
  const char* name;
  int since;  ///< the CUDA version that brought it: 1000 * major + 10 * minor
  Result (*function)(Parameters...) = nullptr;

  Result operator()(Parameters... arguments) const { return function(arguments...); }
};

/// Names ending in _v2 are the ones with 64-bit addresses.
struct DriverApi {
  EntryPoint<Result(unsigned flags)> init{"cuInit", 2000};
  EntryPoint<Result(int* version)> driver_version{"cuDriverGetVersion", 2020};
  EntryPoint<Result(Result, const char**)> error_name{"cuGetErrorName", 6000};
  EntryPoint<Result(Result, const char**)> error_text{"cuGetErrorString", 6000};

  EntryPoint<Result(int* count)> device_count{"cuDeviceGetCount", 2000};
  EntryPoint<Result(DeviceNumber*, int ordinal)> device{"cuDeviceGet", 2000};
  EntryPoint<Result(char* name, int bytes, DeviceNumber)> device_name{"cuDeviceGetName", 2000};
  EntryPoint<Result(std::size_t* bytes, DeviceNumber)> device_memory{"cuDeviceTotalMem_v2", 3020};
  EntryPoint<Result(int* value, DeviceAttribute, DeviceNumber)> device_attribute{"cuDeviceGetAttribute", 2000};

  EntryPoint<Result(ContextHandle*, DeviceNumber)> retain_context{"cuDevicePrimaryCtxRetain", 7000};
  EntryPoint<Result(DeviceNumber)> release_context{"cuDevicePrimaryCtxRelease_v2", 11000};
  EntryPoint<Result(ContextHandle)> push_context{"cuCtxPushCurrent_v2", 4000};
  EntryPoint<Result(ContextHandle*)> pop_context{"cuCtxPopCurrent_v2", 4000};

  EntryPoint<Result(std::size_t* free_bytes, std::size_t* total_bytes)> memory_info{"cuMemGetInfo_v2", 3020};
  EntryPoint<Result(DeviceAddress*, std::size_t bytes)> allocate{"cuMemAlloc_v2", 3020};
  EntryPoint<Result(DeviceAddress)> free{"cuMemFree_v2", 3020};
  EntryPoint<Result(void**, std::size_t bytes, unsigned flags)> allocate_pinned{"cuMemHostAlloc", 2020};
  EntryPoint<Result(void*)> free_pinned{"cuMemFreeHost", 2000};
  EntryPoint<Result(DeviceAddress to, const void* from, std::size_t bytes, StreamHandle)> copy_in{"cuMemcpyHtoDAsync_v2", 3020};
  EntryPoint<Result(void* to, DeviceAddress from, std::size_t bytes, StreamHandle)> copy_out{"cuMemcpyDtoHAsync_v2", 3020};
  EntryPoint<Result(DeviceAddress to, DeviceAddress from, std::size_t bytes, StreamHandle)> copy{"cuMemcpyDtoDAsync_v2", 3020};
  EntryPoint<Result(DeviceAddress, unsigned value, std::size_t count, StreamHandle)> fill{"cuMemsetD32Async", 3020};

  EntryPoint<Result(StreamHandle*, unsigned flags)> create_stream{"cuStreamCreate", 2000};
  EntryPoint<Result(StreamHandle)> destroy_stream{"cuStreamDestroy_v2", 4000};
  EntryPoint<Result(StreamHandle)> wait_for_stream{"cuStreamSynchronize", 2000};
  EntryPoint<Result(StreamHandle, EventHandle, unsigned flags)> let_stream_wait{"cuStreamWaitEvent", 3020};
  EntryPoint<Result(EventHandle*, unsigned flags)> create_event{"cuEventCreate", 2000};
  EntryPoint<Result(EventHandle)> destroy_event{"cuEventDestroy_v2", 4000};
  EntryPoint<Result(EventHandle, StreamHandle)> record_event{"cuEventRecord", 2000};
  EntryPoint<Result(EventHandle)> wait_for_event{"cuEventSynchronize", 2000};
  EntryPoint<Result(float* milliseconds, EventHandle start, EventHandle stop)> elapsed{"cuEventElapsedTime", 2000};

  EntryPoint<Result(ModuleHandle*, const void* text, unsigned options, CompileOption*, void** values)> load_module{"cuModuleLoadDataEx", 2010};
  EntryPoint<Result(ModuleHandle)> unload_module{"cuModuleUnload", 2000};
  EntryPoint<Result(FunctionHandle*, ModuleHandle, const char* name)> function{"cuModuleGetFunction", 2000};
  EntryPoint<Result(FunctionHandle, FunctionAttribute, int value)> set_function_attribute{"cuFuncSetAttribute", 9000};
  EntryPoint<Result(FunctionHandle, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, unsigned threads_y, unsigned threads_z,
                    unsigned shared_bytes, StreamHandle, void** parameters, void** extra)>
      launch{"cuLaunchKernel", 4000};

  EntryPoint<Result(StreamHandle, CaptureMode)> begin_capture{"cuStreamBeginCapture_v2", 10010};
  EntryPoint<Result(StreamHandle, GraphHandle*)> end_capture{"cuStreamEndCapture", 10000};
  EntryPoint<Result(GraphRunHandle*, GraphHandle, unsigned long long flags)> instantiate_graph{"cuGraphInstantiateWithFlags", 11040};
  EntryPoint<Result(GraphRunHandle, StreamHandle)> launch_graph{"cuGraphLaunch", 10000};
  EntryPoint<Result(GraphHandle)> destroy_graph{"cuGraphDestroy", 10000};
  EntryPoint<Result(GraphRunHandle)> destroy_graph_run{"cuGraphExecDestroy", 10000};

  auto all() {
    return std::tie(init, driver_version, error_name, error_text, device_count, device, device_name, device_memory, device_attribute, retain_context, release_context,
                    push_context, pop_context, memory_info, allocate, free, allocate_pinned, free_pinned, copy_in, copy_out, copy, fill, create_stream, destroy_stream,
                    wait_for_stream, let_stream_wait, create_event, destroy_event, record_event, wait_for_event, elapsed, load_module, unload_module, function,
                    set_function_attribute, launch, begin_capture, end_capture, instantiate_graph, launch_graph, destroy_graph, destroy_graph_run);
  }
};

}  // namespace lacuna::cuda
