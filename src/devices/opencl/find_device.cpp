// Limits are those of real GPUs even where the device would take more: PoCL accepts blocks of 4,096 threads with megabytes of local memory, and what
// passes there should run on a GPU. What GPUs say, as users posted it (clinfo and the like):
//
//   NVIDIA   48 KiB of local memory, work-groups of 1,024 threads (RTX 4070 Ti SUPER, 2025)
//   AMD      work-groups of 256 threads, and 1,024 as CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD (ROCm 5.7; meant for kernels that name their size)
//   Intel    work-groups of 256 threads (UHD Graphics, 2021)
//
// So a GPU is taken at its word, up to 1,024 threads; a CPU stands in for NVIDIA's. Kernels that shall run everywhere have blocks of 256 threads at most.
#include "devices/opencl/find_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <lacuna/error.hpp>

#include "devices/opencl/codes.hpp"

namespace lacuna::opencl {
namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_local_bytes_of_cpu = 48 << 10;
constexpr cl_device_info max_work_group_size_amd = 0x4031;  // cl_amd_device_attribute_query; its header is not everywhere

constexpr std::string_view no_platform =
    "opencl: the OpenCL loader knows no platform: install the OpenCL driver of your GPU, or pocl-opencl-icd to run on the CPU";

std::string without_padding(std::string text) {
  const auto is_padding = [](char c) { return c == '\0' || c == ' ' || c == '\n'; };
  while (!text.empty() && is_padding(text.back())) text.pop_back();
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first);
}

/// What a device answers to questions. One it does not understand is answered with nothing, or zero.
class Answers {
 public:
  Answers(const Library& library, cl_device_id device) : library_(library), device_(device) {}

  std::string text(cl_device_info what) const {
    std::size_t bytes = 0;
    if (library_.get_device_info(device_, what, 0, nullptr, &bytes) != CL_SUCCESS) return {};
    std::string answer(bytes, '\0');
    if (library_.get_device_info(device_, what, bytes, answer.data(), nullptr) != CL_SUCCESS) return {};
    return without_padding(std::move(answer));
  }

  template <typename T>
  T number(cl_device_info what) const {
    T answer{};
    return library_.get_device_info(device_, what, sizeof answer, &answer, nullptr) == CL_SUCCESS ? answer : T{};
  }

 private:
  const Library& library_;
  cl_device_id device_;
};

std::string platform_name(const Library& library, cl_platform_id platform) {
  std::size_t bytes = 0;
  if (library.get_platform_info(platform, CL_PLATFORM_NAME, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string name(bytes, '\0');
  if (library.get_platform_info(platform, CL_PLATFORM_NAME, bytes, name.data(), nullptr) != CL_SUCCESS) return {};
  return without_padding(std::move(name));
}

/// The smaller, the better; devices that are none of these come last.
int rank(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return 0;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return 1;
  if (type & CL_DEVICE_TYPE_CPU) return 2;
  return 3;
}

std::string_view kind(cl_device_type type) {
  constexpr std::string_view kinds[] = {"a GPU", "an accelerator", "a CPU", "a device"};
  return kinds[rank(type)];
}

gpu::Limits limits_of(const Answers& answers, bool is_cpu) {
  gpu::Limits limits;
  limits.memory_bytes = answers.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  limits.free_bytes = limits.memory_bytes;  // OpenCL does not tell what others use
  limits.largest_buffer_bytes = answers.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.multiprocessors = answers.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  std::size_t threads = answers.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  if (answers.text(CL_DEVICE_EXTENSIONS).find("cl_amd_device_attribute_query") != std::string::npos) threads = std::max(threads, answers.number<std::size_t>(max_work_group_size_amd));
  limits.block_threads = static_cast<unsigned>(std::min(threads, most_threads));
  const std::size_t local = answers.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  limits.shared_bytes = is_cpu ? std::min(local, most_local_bytes_of_cpu) : local;
  limits.l2_bytes = answers.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  limits.is_cpu = is_cpu;
  return limits;
}

FoundDevice describe(const Library& library, const std::string& platform, cl_device_id id) {
  const Answers answers(library, id);
  FoundDevice found;
  found.id = id;
  found.device = answers.text(CL_DEVICE_NAME);
  found.platform = platform;
  found.driver_version = answers.text(CL_DRIVER_VERSION);
  found.type = answers.number<cl_device_type>(CL_DEVICE_TYPE);
  found.limits = limits_of(answers, rank(found.type) == 2);
  found.limits.name = fmt::format("{} ({}, {})", found.device, platform, kind(found.type));
  found.rounds_division = (answers.number<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return found;
}

std::vector<cl_device_id> devices_of(const Library& library, cl_platform_id platform, const std::string& name) {
  cl_uint count = 0;
  const cl_int code = library.get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || count == 0) return {};
  check(code, "clGetDeviceIDs", name);
  std::vector<cl_device_id> devices(count);
  check(library.get_device_ids(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs", name);
  return devices;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::vector<FoundDevice> find_devices(const Library& library) {
  cl_uint count = 0;
  const cl_int code = library.get_platform_ids(0, nullptr, &count);
  if (code == -1001 || (code == CL_SUCCESS && count == 0)) throw DeviceError(std::string(no_platform));
  check(code, "clGetPlatformIDs", library.file());
  std::vector<cl_platform_id> platforms(count);
  check(library.get_platform_ids(count, platforms.data(), nullptr), "clGetPlatformIDs", library.file());

  std::vector<FoundDevice> found;
  for (cl_platform_id platform : platforms) {
    const std::string name = platform_name(library, platform);
    for (cl_device_id id : devices_of(library, platform, name)) found.push_back(describe(library, name, id));
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundDevice& a, const FoundDevice& b) { return rank(a.type) < rank(b.type); });
  return found;
}

FoundDevice choose_device(const Library& library, std::string_view wish) {
  const std::vector<FoundDevice> found = find_devices(library);
  if (found.empty()) throw DeviceError(std::string(no_device));
  const std::string wanted = in_lower_case(wish);
  for (const FoundDevice& device : found)
    if (in_lower_case(device.limits.name).find(wanted) != std::string::npos) return device;
  std::string names;
  for (const FoundDevice& device : found) names += fmt::format("{}{}", names.empty() ? "" : ", ", device.limits.name);
  throw Unsupported(fmt::format("opencl: no device has \"{}\" in its name; there is {}", wish, names));
}

}  // namespace lacuna::opencl
