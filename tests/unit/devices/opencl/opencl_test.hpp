// What the tests of the OpenCL device share: a device, or the reason why there is none; arrays there and back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/opencl/open.hpp"

namespace lacuna::tests {

/// Skips its tests where no OpenCL platform is installed, saying what is missing.
class OpenClTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const opencl::Listing listing = opencl::list(); !listing.missing.empty()) GTEST_SKIP() << listing.missing;
    device = opencl::open();
  }

  template <typename T>
  gpu::BufferPointer upload(const std::vector<T>& values) {
    gpu::BufferPointer buffer = device->allocate(values.size() * sizeof(T));
    device->write(buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
  }
  template <typename T>
  std::vector<T> download(const gpu::BufferPointer& buffer) {
    std::vector<T> values(buffer->bytes() / sizeof(T));
    device->read(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
  }
  gpu::KernelPointer load(const std::string& text, const std::string& name, std::uint32_t block_threads, std::uint32_t shared_bytes = 0) {
    const gpu::KernelInfo info{name, block_threads, shared_bytes};
    return device->load(text, std::span(&info, 1)).front();
  }

  std::shared_ptr<gpu::Device> device;
};

/// values[i] = values[i] * factor + i, for the first `count` of them.
inline const std::string scale_text = R"(
kernel void scale(global float* values, uint count, float factor) {
  const uint i = get_global_id(0);
  if (i < count) values[i] = values[i] * factor + i;
}
)";

}  // namespace lacuna::tests
