// The cuda device's memory, on the simulated driver: bytes arrive where they were sent, whatever their number.
#include <numeric>

#include "devices/gpu/open.hpp"
#include "support/simulated_driver.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::read_all;

class CudaMemory : public tests::SimulatedDriver {};

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 7u);
  return values;
}

TEST_F(CudaMemory, BytesComeBackAsTheyWereWritten) {
  const gpu::DevicePointer device = open();
  // 3 million numbers are 12 MB: more than both pinned blocks hold.
  for (const std::size_t count : {0u, 1u, 31u, 32u, 33u, 1u << 20, 3000000u}) {
    const std::vector<std::uint32_t> values = counting(count);
    EXPECT_EQ(read_all<std::uint32_t>(*device, buffer_of(*device, values)), values) << count;
  }
}

TEST_F(CudaMemory, BytesMayChangeAfterTheyWereWritten) {
  const gpu::DevicePointer device = open();
  std::vector<std::uint32_t> values = counting(5000);
  const std::vector<std::uint32_t> as_written = values;
  const gpu::BufferPointer buffer = buffer_of(*device, values);
  std::fill(values.begin(), values.end(), 0u);
  EXPECT_EQ(read_all<std::uint32_t>(*device, buffer), as_written);
}

TEST_F(CudaMemory, ManySmallWritesArriveInOrder) {
  const gpu::DevicePointer device = open();
  const gpu::BufferPointer buffer = device->allocate(64 * 4);
  std::vector<std::uint32_t> expected(64);
  for (std::uint32_t turn = 0; turn < 40000; ++turn) {  // 256 bytes each in a pinned block: they go round twice
    expected[turn % 64] = turn;
    device->write(buffer, turn % 64 * 4, std::as_bytes(std::span(&turn, 1)));
  }
  EXPECT_EQ(read_all<std::uint32_t>(*device, buffer), expected);
}

TEST_F(CudaMemory, CopiesAndFillsTakeTheirRange) {
  const gpu::DevicePointer device = open();
  const gpu::BufferPointer from = buffer_of(*device, counting(10));
  const gpu::BufferPointer to = buffer_of(*device, std::vector<std::uint32_t>(10, 1));
  device->copy(from, 8, to, 4, 12);
  device->fill_zero(to, 28, 8);
  EXPECT_EQ(read_all<std::uint32_t>(*device, to), (std::vector<std::uint32_t>{1, 9, 10, 11, 1, 1, 1, 0, 0, 1}));
  device->copy(from, 40, to, 40, 0);
  device->fill_zero(to, 40, 0);
  std::vector<std::uint32_t> part(2);
  device->read(from, 12, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, (std::vector<std::uint32_t>{10, 11}));
}

TEST_F(CudaMemory, RangesOutsideABufferAreOurOwnBug) {
  const gpu::DevicePointer device = open();
  const gpu::BufferPointer buffer = device->allocate(16);
  std::vector<std::byte> bytes(8);
  EXPECT_EQ(tests::message_of<InternalError>([&] { device->write(buffer, 12, bytes); }),
            "internal error: sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): write bytes 12 to 20 of a buffer of 16");
  EXPECT_THROW(device->read(buffer, 17, {}), InternalError);
  EXPECT_THROW(device->fill_zero(buffer, 2, 4), InternalError);
  EXPECT_THROW(device->copy(buffer, 0, device->allocate(4), 0, 8), InternalError);
}

TEST_F(CudaMemory, ABufferOfAnotherDeviceIsRefused) {
  const std::vector<gpu::DevicePointer> devices = gpu::open_devices("sim:v100:2");
  ASSERT_EQ(devices.size(), 2u);
  const gpu::BufferPointer buffer = devices[0]->allocate(16);
  EXPECT_EQ(tests::message_of<InternalError>([&] { devices[1]->fill_zero(buffer, 0, 16); }),
            "internal error: sim:v100 number 1 (Tesla V100-SXM2-16GB (simulated)): fill a buffer that is not of this device");
}

TEST_F(CudaMemory, ABufferMayOutliveItsDevice) {
  gpu::DevicePointer device = open();
  gpu::BufferPointer buffer = device->allocate(16);
  device.reset();
  buffer.reset();
}

TEST_F(CudaMemory, LimitsAreThoseOfTheModel) {
  const gpu::DevicePointer device = open("sim:v100");
  const gpu::Limits& limits = device->limits();
  EXPECT_EQ(limits.name, "Tesla V100-SXM2-16GB (simulated)");
  EXPECT_EQ(limits.memory_bytes, std::size_t{16} << 30);
  EXPECT_EQ(limits.free_bytes, limits.memory_bytes);
  EXPECT_EQ(limits.multiprocessors, 80u);
  EXPECT_EQ(limits.block_threads, 1024u);
  EXPECT_EQ(limits.shared_bytes, std::size_t{96} << 10);
  EXPECT_EQ(limits.l2_bytes, std::size_t{6} << 20);
  EXPECT_TRUE(limits.is_simulated);
  EXPECT_FALSE(limits.is_cpu);
  EXPECT_EQ(device->language(), gpu::Language::ptx);
}

}  // namespace
}  // namespace lacuna
