// The OpenCL devices of this machine: all of them, and the one a name means.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/device.hpp"
#include "devices/opencl/library.hpp"

namespace lacuna::opencl {

/// What to say where no platform has a device.
inline constexpr std::string_view no_device = "opencl: no platform has a device: install the OpenCL driver of your GPU, or pocl-opencl-icd to run on the CPU";

struct FoundDevice {
  cl_device_id id = nullptr;
  std::string device;          ///< "pthread-haswell-AMD EPYC"
  std::string platform;        ///< "Portable Computing Language"
  std::string driver_version;
  cl_device_type type = 0;
  gpu::Limits limits;          ///< its name: "pthread-haswell-AMD EPYC (Portable Computing Language, a CPU)"
  bool rounds_division = false;  ///< can divide and take roots correctly rounded, where the compiler is told to
};

/// GPUs first, then accelerators, then CPUs, else in the order of the platforms. Throws DeviceError where there is no platform, saying what to install.
std::vector<FoundDevice> find_devices(const Library& library);

/// "": the first of find_devices. Else the first whose Limits::name contains `wish`, in any case of letters: device, platform or kind.
/// Throws Unsupported listing what there is if none does.
FoundDevice choose_device(const Library& library, std::string_view wish);

}  // namespace lacuna::opencl
