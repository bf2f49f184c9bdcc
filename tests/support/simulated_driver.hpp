// For tests of the cuda device: the simulated driver, its controls, and the promise that nothing is left behind.
#pragma once

#include <gtest/gtest.h>

#include <lacuna/error.hpp>
#include <string>
#include <vector>

#include "devices/cuda/driver_library.hpp"
#include "devices/cuda/open.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {

/// Orders no failures, and requires that the test gives everything back to the driver.
class SimulatedDriver : public ::testing::Test {
 protected:
  SimulatedDriver() : library(cuda::open_library(cuda::find_simulated_library().string())), leaks_before_(library->simulated.leaks()) { forget_failures(); }
  void TearDown() override {
    forget_failures();
    EXPECT_EQ(library->simulated.leaks(), leaks_before_) << "left in the driver";
  }

  void forget_failures() { library->simulated.fail(nullptr, 0, 0); }
  /// The call after `after` others gives this code.
  void fail(const char* call, cuda::Result result, int after = 0) { library->simulated.fail(call, after, static_cast<int>(result)); }

  static gpu::DevicePointer open(const char* name = "sim:a100") { return gpu::open_devices(name).at(0); }

  std::shared_ptr<const cuda::DriverLibrary> library;

 private:
  int leaks_before_;
};

template <typename T>
std::vector<T> read_all(gpu::Device& device, const gpu::BufferPointer& buffer) {
  std::vector<T> values(buffer->bytes() / sizeof(T));
  device.read(buffer, 0, std::as_writable_bytes(std::span(values)));
  return values;
}

template <typename T>
gpu::BufferPointer buffer_of(gpu::Device& device, const std::vector<T>& values) {
  gpu::BufferPointer buffer = device.allocate(values.size() * sizeof(T));
  device.write(buffer, 0, std::as_bytes(std::span(values)));
  return buffer;
}

}  // namespace lacuna::tests
