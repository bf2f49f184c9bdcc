// The driver as a library that is opened while the program runs: libcuda.so.1, the file that LACUNA_CUDA_LIBRARY names, or the simulated driver.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "devices/cuda/driver_api.hpp"
#include "devices/cuda/simulated_api.hpp"

namespace lacuna::cuda {

/// CUDA 11.4: cuGraphInstantiateWithFlags.
constexpr int lowest_driver_version = 11040;

struct DriverLibrary {
  std::string file;        ///< as it was asked for
  DriverApi api;
  SimulatedApi simulated;  ///< filled if is_simulated
  bool is_simulated = false;
  int version = 0;         ///< of CUDA: 1000 * major + 10 * minor

  /// "CUDA_ERROR_OUT_OF_MEMORY (2: out of memory)"
  std::string describe(Result result) const;
};

/// Opens the library, finds every entry point and starts the driver; the same file is opened once. It stays open to the end of the process: drivers
/// do not like to leave. Throws DeviceError: no such library, one that lacks an entry point, is too old, or does not start.
std::shared_ptr<const DriverLibrary> open_library(const std::string& file);

/// LACUNA_CUDA_LIBRARY, or libcuda.so.1.
std::string cuda_library_name();

/// liblacuna_simcuda.so: LACUNA_SIM_LIBRARY, or beside this program or library, in ../lib, or where it was installed. Empty if it is nowhere.
std::filesystem::path find_simulated_library();

/// "12.4" of 12040.
std::string version_text(int version);

}  // namespace lacuna::cuda
