// Kernels on the cuda device, through the simulated driver: arguments, shared memory, recordings, clocks, several GPUs.
#include <thread>

#include "devices/gpu/open.hpp"
#include "support/simulated_driver.hpp"
#include "support/test_kernels.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::read_all;
using tests::reverse_block;
using tests::scale_and_add;

class CudaLaunch : public tests::SimulatedDriver {
 protected:
  static gpu::KernelPointer load(gpu::Device& device, const std::string& text, const gpu::KernelInfo& kernel) { return device.load(text, std::span(&kernel, 1)).at(0); }
};

TEST_F(CudaLaunch, ArgumentsOfEveryKindArrive) {
  const gpu::DevicePointer device = open();
  const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
  for (const std::uint32_t count : {1u, 31u, 32u, 33u, 64u, 65u, 1000u}) {
    std::vector<float> values(count), sums(count, 0.5f), expected(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(i);
      expected[i] = 0.5f + static_cast<float>(i) * 0.25f + 3;
    }
    const gpu::BufferPointer in = buffer_of(*device, values), out = buffer_of(*device, sums);
    device->launch({kernel, (count + 63) / 64, 1, {in, out, count, 0.25f, 3u}});
    EXPECT_EQ(read_all<float>(*device, out), expected) << count;
  }
}

TEST_F(CudaLaunch, BlocksHaveTwoDimensionsAndNoneIsNothingToDo) {
  const gpu::DevicePointer device = open();
  std::vector<std::uint32_t> values(64 * 6), expected(64 * 6);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    values[i] = i;
    expected[i] = i / 64 * 64 + 63 - i % 64;
  }
  const gpu::BufferPointer buffer = buffer_of(*device, values);
  const gpu::KernelPointer kernel = load(*device, tests::reverse_block_text(256), reverse_block(256));
  device->launch({kernel, 0, 1, {buffer}});
  device->launch({kernel, 2, 3, {buffer}});
  EXPECT_EQ(read_all<std::uint32_t>(*device, buffer), expected);
}

TEST_F(CudaLaunch, SharedMemoryReachesToTheLimitOfTheDevice) {
  for (const char* name : {"sim:v100", "sim:h100"}) {
    const gpu::DevicePointer device = open(name);
    for (const unsigned bytes : {256u, 48u << 10, (48u << 10) + 256, static_cast<unsigned>(device->limits().shared_bytes)}) {
      std::vector<std::uint32_t> values(64), expected(64);
      for (std::uint32_t i = 0; i < 64; ++i) values[i] = expected[63 - i] = i;
      const gpu::BufferPointer buffer = buffer_of(*device, values);
      device->launch({load(*device, tests::reverse_block_text(bytes), reverse_block(bytes)), 1, 1, {buffer}});
      EXPECT_EQ(read_all<std::uint32_t>(*device, buffer), expected) << name << ", " << bytes << " bytes";
    }
  }
}

TEST_F(CudaLaunch, KernelsThatNeedMoreThanTheDeviceHasAreNotSupported) {
  const gpu::DevicePointer device = open("sim:v100");
  EXPECT_EQ(tests::message_of<Unsupported>([&] { load(*device, tests::reverse_block_text(99328), reverse_block(99328)); }),
            "sim:v100 (Tesla V100-SXM2-16GB (simulated)): kernel \"reverse_block\" needs 99328 bytes of shared memory a block, and the device has 98304");
  EXPECT_EQ(tests::message_of<Unsupported>([&] { load(*device, tests::scale_and_add_text, {"scale_and_add", 2048, 0}); }),
            "sim:v100 (Tesla V100-SXM2-16GB (simulated)): kernel \"scale_and_add\" needs blocks of 2048 threads, and the device has 1024");
}

TEST_F(CudaLaunch, TheSameTextIsLoadedOnceAndForgottenWithItsKernels) {
  const gpu::DevicePointer device = open();
  gpu::KernelPointer first = load(*device, tests::scale_and_add_text, scale_and_add);
  fail("cuModuleLoadDataEx", cuda::Result::invalid_ptx);  // nobody calls it for a text that is loaded
  gpu::KernelPointer second = load(*device, tests::scale_and_add_text, scale_and_add);
  first.reset();
  second.reset();
  EXPECT_THROW(load(*device, tests::scale_and_add_text, scale_and_add), DeviceError);
}

TEST_F(CudaLaunch, ARecordingRunsAnyNumberOfTimes) {
  const gpu::DevicePointer device = open();
  const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
  const gpu::BufferPointer in = buffer_of(*device, std::vector<float>(100, 2)), out = buffer_of(*device, std::vector<float>(100, 7)), copy = device->allocate(400);
  const std::unique_ptr<gpu::Recording> recording = device->record([&] {
    device->fill_zero(copy, 0, 400);
    device->launch({kernel, 2, 1, {in, out, 100u, 1.5f, 1u}});
    device->copy(out, 0, copy, 0, 200);
  });
  EXPECT_EQ(read_all<float>(*device, out), std::vector<float>(100, 7)) << "nothing is done while it is recorded";
  for (int turn = 1; turn <= 3; ++turn) {
    recording->run();
    std::vector<float> expected(100, 7 + 4 * static_cast<float>(turn));
    EXPECT_EQ(read_all<float>(*device, out), expected);
    std::fill(expected.begin() + 50, expected.end(), 0.0f);
    EXPECT_EQ(read_all<float>(*device, copy), expected);
  }
}

TEST_F(CudaLaunch, ARecordingKeepsWhatItNeeds) {
  const gpu::DevicePointer device = open();
  const gpu::BufferPointer out = buffer_of(*device, std::vector<float>(64, 1));
  std::unique_ptr<gpu::Recording> recording;
  {
    const gpu::BufferPointer in = buffer_of(*device, std::vector<float>(64, 2));
    const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
    recording = device->record([&] { device->launch({kernel, 1, 1, {in, out, 64u, 1.0f, 0u}}); });
  }
  recording->run();
  EXPECT_EQ(read_all<float>(*device, out), std::vector<float>(64, 3));
}

TEST_F(CudaLaunch, WhatIsThrownWhileRecordingComesThroughAndTheDeviceGoesOn) {
  const gpu::DevicePointer device = open();
  const gpu::BufferPointer buffer = buffer_of(*device, std::vector<float>(4, 1));
  EXPECT_EQ(tests::message_of<InternalError>([&] { device->record([&] { device->fill_zero(buffer, 0, 16); device->allocate(4); }); }),
            "internal error: sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): allocate while work is recorded");
  EXPECT_THROW(device->record([&] { device->finish(); }), InternalError);
  EXPECT_THROW(device->record([&] { device->write(buffer, 0, {}); }), InternalError);
  EXPECT_THROW(device->record([] { throw InputError("of the caller"); }), InputError);
  EXPECT_EQ(read_all<float>(*device, buffer), std::vector<float>(4, 1));
  const std::unique_ptr<gpu::Recording> recording = device->record([&] { device->fill_zero(buffer, 0, 8); });
  recording->run();
  EXPECT_EQ(read_all<float>(*device, buffer), (std::vector<float>{0, 0, 1, 1}));
}

TEST_F(CudaLaunch, TheClockTellsPredictedSeconds) {
  const gpu::DevicePointer device = open();
  const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
  const gpu::BufferPointer in = device->allocate(4000), out = device->allocate(4000);
  device->fill_zero(in, 0, 4000);
  device->fill_zero(out, 0, 4000);
  const auto simulation = cuda::simulation_of(*device);
  simulation->reset();
  device->start_clock();
  for (int i = 0; i < 5; ++i) device->launch({kernel, 16, 1, {in, out, 1000u, 1.0f, 0u}});
  const double seconds = device->stop_clock();
  EXPECT_GT(seconds, 0);
  EXPECT_NEAR(seconds, simulation->figure("predicted_seconds"), 1e-6 * seconds);
}

TEST_F(CudaLaunch, TheSimulatorTellsWhatItCounted) {
  const gpu::DevicePointer device = open("sim:v100");
  const auto simulation = cuda::simulation_of(*device);
  ASSERT_NE(simulation, nullptr);
  simulation->reset();
  const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
  const gpu::BufferPointer in = buffer_of(*device, std::vector<float>(128, 2)), out = buffer_of(*device, std::vector<float>(128, 2));
  for (int i = 0; i < 3; ++i) device->launch({kernel, 2, 1, {in, out, 128u, 1.0f, 0u}});
  EXPECT_EQ(simulation->figure("launches"), 3);
  EXPECT_EQ(simulation->figure("blocks", "scale_and_add"), 6);
  EXPECT_EQ(simulation->figure("warp_instructions_multiply_add"), 3 * 2 * 2);
  EXPECT_EQ(simulation->figure("sectors_written"), 3 * 128 * 4 / 32);
  EXPECT_THROW(simulation->figure("kindness"), InternalError);
  EXPECT_THROW(simulation->figure("launches", "nobody"), InternalError);

  const std::string json = simulation->json();
  EXPECT_EQ(json.rfind("{\"device\": \"v100\", \"name\": \"Tesla V100-SXM2-16GB (simulated)\", \"predicted\": true, \"predicted_bound\": \"", 0), 0u) << json;
  EXPECT_NE(json.find("\"bytes_in\": 1024, \"bytes_out\": 0, \"copies\": 2, "), std::string::npos) << json;
  EXPECT_NE(json.find("\"kernels\": {\"scale_and_add\": {\"predicted_bound\": \""), std::string::npos) << json;
  simulation->reset();
  EXPECT_EQ(simulation->figure("launches"), 0);
}

TEST_F(CudaLaunch, TwoDevicesWorkOnTwoThreads) {
  const std::vector<gpu::DevicePointer> devices = gpu::open_devices("sim:h100:2");
  std::vector<std::vector<float>> found(2);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 2; ++number)
    threads.emplace_back([&, number] {
      gpu::Device& device = *devices[number];
      const gpu::KernelPointer kernel = load(device, tests::scale_and_add_text, scale_and_add);
      const gpu::BufferPointer in = buffer_of(device, std::vector<float>(100, static_cast<float>(number))), out = buffer_of(device, std::vector<float>(100, 0));
      for (int i = 0; i < 20; ++i) device.launch({kernel, 2, 1, {in, out, 100u, 1.0f, 1u}});
      found[number] = read_all<float>(device, out);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0], std::vector<float>(100, 20));
  EXPECT_EQ(found[1], std::vector<float>(100, 40));
}

TEST_F(CudaLaunch, OneDeviceMayBeUsedByTwoThreads) {
  const gpu::DevicePointer device = open();
  const gpu::KernelPointer kernel = load(*device, tests::scale_and_add_text, scale_and_add);
  std::vector<std::vector<float>> found(2);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 2; ++number)
    threads.emplace_back([&, number] {
      const gpu::BufferPointer in = buffer_of(*device, std::vector<float>(100, static_cast<float>(number))), out = buffer_of(*device, std::vector<float>(100, 0));
      for (int i = 0; i < 20; ++i) device->launch({kernel, 2, 1, {in, out, 100u, 1.0f, 1u}});
      found[number] = read_all<float>(*device, out);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0], std::vector<float>(100, 20));
  EXPECT_EQ(found[1], std::vector<float>(100, 40));
}

}  // namespace
}  // namespace lacuna
