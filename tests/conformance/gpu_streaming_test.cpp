// Layered networks whose weights exceed the memory of a GPU: they come there layer by layer while it works, and change no bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "devices/sim/model.hpp"
#include "support/environment.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_bits.hpp"
#include "support/simulated_driver.hpp"

namespace lacuna::tests {
namespace {

using cuda::Result;

/// 24 layers of about 69 KiB each beside 129 KiB for 32 inputs.
const Network& network() {
  static const Network made = generate_general({256, 24, 16, 48, 3});
  return made;
}
constexpr const char* little = "700KiB";

const SparseMatrix& inputs() {
  static const SparseMatrix made = random_on_off(150, 256, 0.3, 5, 1, 7);
  return made;
}

Program compile_for(const std::string& device, const std::string& optimise = "bitwise") {
  CompileOptions options;
  options.device = device;
  options.optimise = optimise;
  return compile(network(), options);
}

void expect_same(const Outputs& got, const Outputs& expected) {
  ASSERT_EQ(got.survivors, expected.survivors);
  for (std::size_t k = 0; k < expected.survivors.size(); ++k) ASSERT_TRUE(std::ranges::equal(got.of(k), expected.of(k))) << "input " << expected.survivors[k];
}

class GpuStreaming : public GpuTest {};

TEST_P(GpuStreaming, LittleMemoryGivesTheBitsOfPlenty) {
  for (const char* optimise : {"none", "dead_inputs", "dead_inputs,equal_inputs"}) {
    SCOPED_TRACE(optimise);
    const Program plenty = compile_for(device(), optimise);
    Session resident = plenty.open();
    const Outputs expected = resident.run(inputs());
    ASSERT_GT(expected.survivors.size(), 50u);
    EXPECT_EQ(resident.report().resident_weight_bytes, resident.report().weight_bytes);
    EXPECT_EQ(resident.report().streamed_bytes, 0u);
    EXPECT_THAT(plenty.explain(), testing::ContainsRegex("weights resident: [0-9]+ bytes\n"));

    const Variable memory("LACUNA_GPU_MEMORY", little);
    const Program program = compile_for(device(), optimise);
    Session session = program.open();
    for (int turn = 0; turn < 2; ++turn) expect_same(session.run(inputs()), expected);
    expect_same(session.run(pack_bits(inputs())), expected);
    const RunReport& report = session.report();
    EXPECT_EQ(report.weight_bytes, resident.report().weight_bytes);
    EXPECT_GT(report.resident_weight_bytes, 0u);
    EXPECT_LT(report.resident_weight_bytes, report.weight_bytes / 2);
    EXPECT_GT(report.waves, 1u);
    EXPECT_EQ(report.streamed_bytes, report.waves * (report.weight_bytes - report.resident_weight_bytes));
    EXPECT_THAT(program.explain(), testing::ContainsRegex("weights streamed: [0-9]+ of [0-9]+ bytes resident, the others through two buffers of [0-9]+ bytes\n"));
  }
}

TEST_P(GpuStreaming, MemoryThatIsNoNumberIsRefused) {
  const Variable memory("LACUNA_GPU_MEMORY", "plenty");
  EXPECT_EQ(message_of<InputError>([&] { compile_for(device()); }), "LACUNA_GPU_MEMORY is \"plenty\", and should be a number of bytes, like 512MiB or 8GiB");
}

INSTANTIATE_TEST_SUITE_P(On, GpuStreaming, testing::ValuesIn(gpu_devices()), gpu_device_name);

/// GPUs that really have little memory. The parameter: in which order the simulated driver does streams that do not wait for each other.
class SimulatedStreaming : public SimulatedDriver, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { library->simulated.do_others_first(GetParam()); }
  void TearDown() override {
    library->simulated.do_others_first(0);
    SimulatedDriver::TearDown();
  }
  const Outputs expected = compile_for("cpu").open().run(inputs());
};
INSTANTIATE_TEST_SUITE_P(Order, SimulatedStreaming, testing::Values(0, 1), [](const auto& info) { return info.param == 0 ? "late" : "others_first"; });

TEST_P(SimulatedStreaming, AGpuWithLittleMemoryAnswersAsTheCpu) {
  for (const char* memory : {"460KiB", "700KiB", "1.2MiB"}) {
    SCOPED_TRACE(memory);
    const Variable wish("LACUNA_SIM_MEMORY", memory);
    Session session = compile_for("sim:a100").open();
    expect_same(session.run(inputs()), expected);
    EXPECT_GT(session.report().streamed_bytes, 0u);
  }
}

TEST_P(SimulatedStreaming, TwoGpusWithLittleMemoryAnswerAsOne) {
  const Variable wish("LACUNA_SIM_MEMORY", little);
  Session session = compile_for("sim:v100:2").open();
  expect_same(session.run(inputs()), expected);
  EXPECT_GT(session.report().streamed_bytes, 0u);
}

TEST_P(SimulatedStreaming, TwoSessionsHaveBuffersOfTheirOwn) {
  const Variable wish("LACUNA_GPU_MEMORY", little);  // the GPU has more: both sessions find room
  const Program program = compile_for("sim:a100");
  Session one = program.open(), other = program.open();
  expect_same(one.run(inputs()), expected);
  expect_same(other.run(inputs()), expected);
  expect_same(one.run(inputs()), expected);
}

TEST_P(SimulatedStreaming, ACopyThatFailsIsADeviceErrorAndLeavesNothing) {
  const Variable wish("LACUNA_SIM_MEMORY", little);
  Session session = compile_for("sim:a100").open();
  session.run(inputs());
  const char* const copy = "cuMemcpyHtoDAsync_v2";
  for (int after : {5, 12, 30}) {
    SCOPED_TRACE(after);
    fail(copy, Result::invalid_value, after);
    EXPECT_THAT(message_of<DeviceError>([&] { session.run(inputs()); }),
                testing::StartsWith("sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): cuMemcpyHtoDAsync_v2 gives CUDA_ERROR_INVALID_VALUE"));
    expect_same(session.run(inputs()), expected);  // and the next run is whole
  }
  fail(copy, Result::ecc_uncorrectable, 12);
  EXPECT_THAT(message_of<DeviceError>([&] { session.run(inputs()); }), testing::HasSubstr("CUDA_ERROR_ECC_UNCORRECTABLE"));
  EXPECT_THAT(message_of<DeviceError>([&] { session.run(inputs()); }), testing::HasSubstr("is lost and takes no more work"));
}

class StreamingLimits : public SimulatedDriver {};

TEST_F(StreamingLimits, TwoLayersThatDoNotFitAreRefusedWithAllNumbers) {
  const Variable wish("LACUNA_SIM_MEMORY", "256KiB");
  EXPECT_THAT(message_of<DeviceError>([] { compile_for("sim:a100"); }),
              testing::MatchesRegex("NVIDIA A100-SXM4-40GB \\(simulated\\): 240.0 KiB of memory may be used, and 2[0-9]+\\.[0-9] KiB are needed at least: 1[0-9]+\\.[0-9] KiB for the tables of "
                                    "two layers, 1[0-9]+\\.[0-9] KiB for 32 inputs; take a GPU with more memory, or end what else uses it"));
}

TEST_F(StreamingLimits, CopiesHideBehindKernels) {
  const Variable wish("LACUNA_SIM_MEMORY", little);
  const Program program = compile_for("sim:a100", "none");
  Session session = program.open();
  session.run(inputs());
  program.reset_counters();
  session.run(inputs());
  const double on_bus = static_cast<double>(session.report().streamed_bytes) / (sim::model_named("a100").bus_gb_per_s * 1e9);
  const double in_kernels = library->simulated.figure(library->simulated.configure("a100", 1), nullptr, "predicted_seconds");
  EXPECT_GE(session.report().seconds, 0.99 * std::max(on_bus, in_kernels));
  EXPECT_LT(session.report().seconds, std::max(on_bus, in_kernels) + 0.5 * std::min(on_bus, in_kernels));
}

}  // namespace
}  // namespace lacuna::tests
