// Writes travel beside the work of the cuda device, and nobody sees a difference but in time.
#include "devices/gpu/open.hpp"
#include "support/simulated_driver.hpp"
#include "support/test_kernels.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::read_all;

/// The parameter: in which order the simulated driver does streams that do not wait for each other.
class CudaStreams : public tests::SimulatedDriver, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override { library->simulated.do_others_first(GetParam()); }
  void TearDown() override {
    kernel.reset();
    device.reset();
    library->simulated.do_others_first(0);
    SimulatedDriver::TearDown();
  }

  gpu::DevicePointer device = open();
  gpu::KernelPointer kernel = device->load(tests::scale_and_add_text, std::span(&tests::scale_and_add, 1)).at(0);

  void write(const gpu::BufferPointer& target, float value) {
    const std::vector<float> values(target->bytes() / 4, value);
    device->write(target, 0, std::as_bytes(std::span(values)));
  }
  gpu::Launch add(const gpu::BufferPointer& values, const gpu::BufferPointer& sums) const {
    const auto count = static_cast<std::uint32_t>(values->bytes() / 4);
    return {kernel, (count + 63) / 64, 1, {values, sums, count, 1.0f, 0u}};
  }
};
INSTANTIATE_TEST_SUITE_P(Order, CudaStreams, ::testing::Values(0, 1), [](const auto& info) { return info.param == 0 ? "late" : "others_first"; });

TEST_P(CudaStreams, AWriteWaitsForTheWorkThatUsesTheBuffer) {
  const gpu::BufferPointer values = device->allocate(256), sums = buffer_of(*device, std::vector<float>(64, 0));
  float expected = 0;
  for (float value = 1; value < 6; ++value) {
    write(values, value);
    device->launch(add(values, sums));
    expected += value;
  }
  EXPECT_EQ(read_all<float>(*device, sums), std::vector<float>(64, expected));
}

TEST_P(CudaStreams, RecordedWorkTakesPart) {
  const gpu::BufferPointer values = device->allocate(256), sums = buffer_of(*device, std::vector<float>(64, 0));
  const std::unique_ptr<gpu::Recording> recording = device->record([&] { device->launch(add(values, sums)); });
  float expected = 0;
  for (float value = 1; value < 6; ++value) {
    write(values, value);
    recording->run();
    expected += value;
  }
  EXPECT_EQ(read_all<float>(*device, sums), std::vector<float>(64, expected));
}

TEST_P(CudaStreams, CopiesFillsAndReadsTakePart) {
  const gpu::BufferPointer first = device->allocate(256), second = device->allocate(256);
  write(first, 1);
  device->copy(first, 0, second, 0, 256);
  write(first, 2);
  device->fill_zero(first, 0, 128);
  write(second, 3);
  EXPECT_EQ(read_all<float>(*device, second), std::vector<float>(64, 3));
  device->copy(first, 0, second, 0, 256);
  write(first, 4);
  std::vector<float> expected(64, 2);
  std::fill(expected.begin(), expected.begin() + 32, 0.0f);
  EXPECT_EQ(read_all<float>(*device, second), expected);
  EXPECT_EQ(read_all<float>(*device, first), std::vector<float>(64, 4));
}

TEST_P(CudaStreams, WeightsOfTheNextLayerTravelWhileThisOneIsComputed) {
  const std::size_t bytes = std::size_t{1} << 16;
  const gpu::BufferPointer sums = device->allocate(bytes), halves[2] = {device->allocate(bytes), device->allocate(bytes)};
  device->fill_zero(sums, 0, bytes);
  const auto seconds_of = [&](bool is_written, bool is_computed, bool takes_turns) {
    device->start_clock();
    for (int layer = 0; layer < 8; ++layer) {
      const gpu::BufferPointer& weights = halves[takes_turns ? layer % 2 : 0];
      if (is_written) write(weights, 1);
      for (int i = 0; is_computed && i < 2; ++i) device->launch(add(weights, sums));
    }
    return device->stop_clock();
  };
  seconds_of(true, true, true);  // from now on the device knows that these buffers are written again and again
  const double copies = seconds_of(true, false, true), kernels = seconds_of(false, true, true);
  const double one_after_the_other = seconds_of(true, true, false), behind = seconds_of(true, true, true);
  EXPECT_NEAR(one_after_the_other, copies + kernels, 0.01 * one_after_the_other);
  EXPECT_LT(behind, std::max(copies, kernels) * 1.2);
  EXPECT_EQ(read_all<float>(*device, sums), std::vector<float>(bytes / 4, 4 * 8 * 2));
}

}  // namespace
}  // namespace lacuna
