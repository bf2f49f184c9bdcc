// The GPUs that a machine without a GPU has: what tests are run on, each with the reason why it is left out where it is not there.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <lacuna/error.hpp>

#include "devices/gpu/open.hpp"

namespace lacuna::tests {

inline std::vector<std::string> gpu_devices() { return {"opencl", "sim:a100"}; }

inline std::string gpu_device_name(const testing::TestParamInfo<std::string>& of) { return of.param.substr(0, of.param.find(':')); }

/// Empty: the device is there.
inline std::string why_missing(const std::string& device) {
  try {
    gpu::open_devices(device);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Skips its tests where the device is missing, saying what is missing.
class GpuTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_missing(device()); !missing.empty()) GTEST_SKIP() << missing;
  }
  const std::string& device() const { return GetParam(); }
};

}  // namespace lacuna::tests
