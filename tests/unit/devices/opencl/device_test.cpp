// Memory, copies, launches and recordings of the OpenCL device, with kernels written by hand.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include <lacuna/error.hpp>

#include "support/temp_folder.hpp"
#include "unit/devices/opencl/opencl_test.hpp"

namespace lacuna::tests {
namespace {

TEST_F(OpenClTest, WhatIsWrittenIsRead) {
  const std::vector<std::uint32_t> values{1, 2, 3, 0xffffffff};
  EXPECT_EQ(download<std::uint32_t>(upload(values)), values);
}

TEST_F(OpenClTest, BytesMayChangeAfterTheyWereWritten) {
  std::vector<std::uint32_t> values(1000, 7);
  const gpu::BufferPointer buffer = upload(values);
  std::fill(values.begin(), values.end(), 8u);
  EXPECT_EQ(download<std::uint32_t>(buffer), std::vector<std::uint32_t>(1000, 7));
}

TEST_F(OpenClTest, LargeArraysGoThereAndBack) {
  std::vector<std::uint32_t> values(3u << 18);  // 3 MiB: more than is staged
  std::iota(values.begin(), values.end(), 5u);
  EXPECT_EQ(download<std::uint32_t>(upload(values)), values);
}

TEST_F(OpenClTest, PartsAreWrittenCopiedAndCleared) {
  const gpu::BufferPointer from = upload<std::uint32_t>({10, 11, 12, 13, 14, 15});
  const gpu::BufferPointer to = upload<std::uint32_t>({20, 21, 22, 23, 24, 25});
  const std::vector<std::uint32_t> two{1, 2};
  device->write(from, 4, std::as_bytes(std::span(two)));
  device->copy(from, 4, to, 8, 12);
  device->fill_zero(to, 0, 4);
  EXPECT_EQ(download<std::uint32_t>(to), (std::vector<std::uint32_t>{0, 21, 1, 2, 13, 25}));
  std::vector<std::uint32_t> part(2);
  device->read(to, 16, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, (std::vector<std::uint32_t>{13, 25}));
}

TEST_F(OpenClTest, NothingIsAllowedEverywhere) {
  const gpu::BufferPointer empty = device->allocate(0);
  EXPECT_EQ(empty->bytes(), 0u);
  device->write(empty, 0, {});
  device->copy(empty, 0, empty, 0, 0);
  device->fill_zero(empty, 0, 0);
  device->read(empty, 0, {});
  const gpu::KernelPointer scale = load(scale_text, "scale", 64);
  const gpu::BufferPointer values = upload<float>({1});
  device->launch({scale, 0, 1, {values, 1u, 2.0f}});
  device->finish();
  EXPECT_EQ(download<float>(values), std::vector<float>{1});
}

TEST_F(OpenClTest, KernelsGetTheirArguments) {
  const gpu::BufferPointer values = upload<float>({1, 2, 3, 4});
  device->launch({load(scale_text, "scale", 64), 1, 1, {values, 3u, 0.5f}});
  EXPECT_EQ(download<float>(values), (std::vector<float>{0.5f, 2, 3.5f, 4}));
}

TEST_F(OpenClTest, BlocksHaveTwoDimensionsAndShareMemory) {
  const std::string text = R"(
    __attribute__((reqd_work_group_size(32, 1, 1)))
    kernel void turn(global uint* out) {
      local uint shared[32];
      const uint thread = get_local_id(0);
      const uint block = get_group_id(1) * get_num_groups(0) + get_group_id(0);
      shared[thread] = block * 100 + thread;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[block * 32 + thread] = shared[31 - thread];
    })";
  const gpu::BufferPointer out = device->allocate(6 * 32 * 4);
  device->launch({load(text, "turn", 32, 128), 3, 2, {out}});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t block = 0; block < 6; ++block)
    for (std::uint32_t thread = 0; thread < 32; ++thread) expected.push_back(block * 100 + 31 - thread);
  EXPECT_EQ(download<std::uint32_t>(out), expected);
}

TEST_F(OpenClTest, KernelsComeInTheOrderOfTheirNames) {
  const std::string text = "kernel void one(global uint* out) { *out = 1; }\nkernel void two(global uint* out) { *out = 2; }\n";
  const gpu::KernelInfo infos[] = {{"two", 1, 0}, {"one", 1, 0}};
  const std::vector<gpu::KernelPointer> kernels = device->load(text, infos);
  const gpu::BufferPointer out = device->allocate(4);
  device->launch({kernels.at(0), 1, 1, {out}});
  EXPECT_EQ(download<std::uint32_t>(out).front(), 2u);
  device->launch({kernels.at(1), 1, 1, {out}});
  EXPECT_EQ(download<std::uint32_t>(out).front(), 1u);
}

TEST_F(OpenClTest, DivisionAndRootsAreRoundedCorrectly) {
  const std::string text = "kernel void f(global float* v) { const uint i = get_global_id(0); v[i] = i % 2 ? sqrt(v[i]) : v[i] / 3.0f; }";
  std::vector<float> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f + 1.7f * static_cast<float>(i);
  const gpu::BufferPointer buffer = upload(values);
  device->launch({load(text, "f", 64), 1, 1, {buffer}});
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 ? std::sqrt(values[i]) : values[i] / 3.0f;
  EXPECT_EQ(download<float>(buffer), values);
}

TEST_F(OpenClTest, RecordedWorkIsDoneOnlyWhenItRuns) {
  const gpu::KernelPointer scale = load(scale_text, "scale", 64);
  const gpu::BufferPointer values = upload<float>({1, 1});
  const gpu::BufferPointer copied = upload<float>({9, 9});
  const std::unique_ptr<gpu::Recording> recording = device->record([&] {
    device->launch({scale, 1, 1, {values, 2u, 2.0f}});
    device->copy(values, 0, copied, 0, 8);
    device->fill_zero(values, 0, 4);
  });
  EXPECT_EQ(download<float>(copied), (std::vector<float>{9, 9}));
  recording->run();
  EXPECT_EQ(download<float>(copied), (std::vector<float>{2, 3}));
  recording->run();
  recording->run();
  EXPECT_EQ(download<float>(copied), (std::vector<float>{0, 15}));
}

TEST_F(OpenClTest, RecordingsKeepTheirOwnArgumentsOfASharedKernel) {
  const gpu::KernelPointer scale = load(scale_text, "scale", 64);
  const gpu::BufferPointer a = upload<float>({1}), b = upload<float>({1});
  const auto double_a = device->record([&] { device->launch({scale, 1, 1, {a, 1u, 2.0f}}); });
  const auto triple_b = device->record([&] { device->launch({scale, 1, 1, {b, 1u, 3.0f}}); });
  double_a->run();
  triple_b->run();
  double_a->run();
  EXPECT_EQ(download<float>(a), std::vector<float>{4});
  EXPECT_EQ(download<float>(b), std::vector<float>{3});
}

TEST_F(OpenClTest, ARecordingKeepsWhatItUses) {
  std::unique_ptr<gpu::Recording> recording;
  const gpu::BufferPointer out = upload<float>({0});
  {
    const gpu::BufferPointer values = upload<float>({5});
    const gpu::KernelPointer scale = load(scale_text, "scale", 64);
    recording = device->record([&] {
      device->launch({scale, 1, 1, {values, 1u, 2.0f}});
      device->copy(values, 0, out, 0, 4);
    });
  }
  recording->run();
  EXPECT_EQ(download<float>(out), std::vector<float>{10});
}

TEST_F(OpenClTest, WorkThatThrowsWhileItIsRecordedLeavesTheDeviceUsable) {
  const gpu::BufferPointer values = upload<float>({1});
  EXPECT_THROW(device->record([&] { device->read(values, 0, {}); }), InternalError);
  EXPECT_THROW(device->record([&] { device->allocate(4); }), InternalError);
  device->fill_zero(values, 0, 4);
  EXPECT_EQ(download<float>(values), std::vector<float>{0});
}

TEST_F(OpenClTest, TheClockRunsWhileTheDeviceWorks) {
  const std::string text = "kernel void spin(global uint* out, uint rounds) { uint x = 1; for (uint i = 0; i < rounds; ++i) x = x * 1664525u + *out; *out = x; }";
  const gpu::KernelPointer spin = load(text, "spin", 1);
  const gpu::BufferPointer out = upload<std::uint32_t>({3});
  device->launch({spin, 1, 1, {out, 10u}});  // some drivers compile at the first launch
  device->start_clock();
  EXPECT_EQ(device->stop_clock(), 0);
  const auto seconds = [&](std::uint32_t rounds) {
    device->start_clock();
    device->launch({spin, 1, 1, {out, rounds}});
    device->launch({spin, 1, 1, {out, rounds}});
    return device->stop_clock();
  };
  EXPECT_GT(seconds(20'000'000), 5 * seconds(20'000));
}

TEST_F(OpenClTest, TwoQueuesOfOneDeviceWorkAtTheSameTime) {
  std::vector<std::vector<float>> results(2);
  const auto work = [&](std::size_t which) {
    const std::shared_ptr<gpu::Device> own = opencl::open();
    const gpu::KernelInfo info{"scale", 64, 0};
    const gpu::KernelPointer scale = own->load(scale_text, std::span(&info, 1)).front();
    std::vector<float> values(64, 1);
    const gpu::BufferPointer buffer = own->allocate(256);
    own->write(buffer, 0, std::as_bytes(std::span(values)));
    const auto recording = own->record([&] { own->launch({scale, 1, 1, {buffer, 64u, which == 0 ? 0.5f : -1.0f}}); });
    for (int round = 0; round < 200; ++round) recording->run();
    own->read(buffer, 0, std::as_writable_bytes(std::span(values)));
    results[which] = values;
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(results[0][i], 2.0 * static_cast<double>(i), 1e-3);  // v = v / 2 + i stays at 2 i
    EXPECT_EQ(results[1][i], 1);                                     // v = i - v comes back every second time
  }
}

TEST_F(OpenClTest, TwoThreadsShareADeviceAndAKernel) {
  const gpu::KernelPointer scale = load(scale_text, "scale", 64);
  std::vector<gpu::BufferPointer> buffers{upload<float>({1}), upload<float>({1})};
  const auto work = [&](std::size_t which) {
    const float factor = which == 0 ? -1.0f : -2.0f;
    const auto recording = device->record([&] { device->launch({scale, 1, 1, {buffers[which], 1u, factor}}); });
    for (int round = 0; round < 50; ++round) {
      recording->run();
      device->launch({scale, 1, 1, {buffers[which], 1u, 1 / factor}});
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(download<float>(buffers[0]), std::vector<float>{1});
  EXPECT_EQ(download<float>(buffers[1]), std::vector<float>{1});
}

TEST_F(OpenClTest, BuffersOutliveTheirDevice) {
  gpu::BufferPointer buffer = upload<float>({1});
  const gpu::KernelPointer kernel = load(scale_text, "scale", 64);
  const auto recording = device->record([&] { device->fill_zero(buffer, 0, 4); });
  device.reset();
  recording->run();
  EXPECT_EQ(buffer->bytes(), 4u);
}

}  // namespace
}  // namespace lacuna::tests
