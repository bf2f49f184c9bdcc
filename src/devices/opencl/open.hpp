// The OpenCL devices: opening one by name, and telling what there is. All that the rest of the program sees of OpenCL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/device.hpp"

namespace lacuna::opencl {

/// "": the first GPU, else accelerator, else CPU. Else the first whose Limits::name contains `wish`, in any case of letters.
/// Throws DeviceError saying what to install where there is no OpenCL, Unsupported listing what there is where none is called so.
/// Threads may share what is opened, and wait for each other then. Each that is opened has a queue of its own.
std::shared_ptr<gpu::Device> open(std::string_view wish = {});

/// What there is: the devices in the order in which open("") would take them, or why there are none and how to get one.
struct Listing {
  std::vector<gpu::Limits> devices;
  std::string missing;  ///< empty: there are devices
};
Listing list();

}  // namespace lacuna::opencl
