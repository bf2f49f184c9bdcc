// GPUs by the names that --device takes. Each family has a function of its own that opens what stands after its colon, and one that lists what there is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/device.hpp"

namespace lacuna::gpu {

using DevicePointer = std::shared_ptr<Device>;

/// "cuda" (the first GPU), "cuda:0,1", "sim:a100", "sim:v100:2" (two of them), "opencl", "opencl:NAME". Throws DeviceError if there is no driver or it
/// refuses, Unsupported for names that nobody has, listing what there is.
std::vector<DevicePointer> open_devices(std::string_view name);

/// Whether the name is of a family above, be it there or not.
bool is_gpu_name(std::string_view name);

/// A device that can be opened, or a family of which nothing is there.
struct Listed {
  std::string name;     ///< as open_devices takes it; of a family: "cuda"
  Limits limits;
  std::string missing;  ///< what is missing and how to get it, as a sentence; empty: it can be opened
};
std::vector<Listed> list_devices();

}  // namespace lacuna::gpu
