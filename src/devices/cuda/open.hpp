// GPUs of NVIDIA and simulated ones: opening them by name, and telling what there is. All that the rest of the program sees of the CUDA driver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/open.hpp"

namespace lacuna::cuda {

/// "": the first GPU; "0,2": these. Throws DeviceError if there is no driver, Unsupported listing what there is if a number is not there.
std::vector<gpu::DevicePointer> open(std::string_view numbers);
std::vector<gpu::Listed> list();

/// "a100", "a100:2": one or more of that model. Throws DeviceError if the simulator's library is not there, Unsupported listing the models.
std::vector<gpu::DevicePointer> open_simulated(std::string_view model_and_count);
std::vector<gpu::Listed> list_simulated();

/// What the simulator counted on a device since it was opened or reset; null for devices that are not simulated. Waits for the device.
class Simulation {
 public:
  virtual ~Simulation() = default;
  virtual std::string json() = 0;  ///< counters and prediction, in all and for each kernel
  /// "warp_instructions", "dram_bytes_read", "predicted_seconds", ...: as json() names them; of one kernel, or of all (empty). Throws InternalError if unknown.
  virtual double figure(const std::string& name, const std::string& kernel = {}) = 0;
  virtual void reset() = 0;
};
std::unique_ptr<Simulation> simulation_of(gpu::Device& device);

}  // namespace lacuna::cuda
