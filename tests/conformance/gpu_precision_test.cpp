// Layered networks whose values are kept in 16 bits between layers: within their bound of the reference, and never silently beyond their range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "conformance/error_bound.hpp"
#include "reference/reference.hpp"
#include "support/environment.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_bits.hpp"
#include "support/random_network.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

struct Setting {
  std::string device, precision, kernel;
};

std::vector<Setting> settings(const std::vector<std::string>& kernels) {
  std::vector<Setting> all;
  for (const std::string& device : gpu_devices())
    for (const char* precision : {"f16", "bf16"})
      for (const std::string& kernel : kernels) all.push_back({device, precision, kernel});
  return all;
}

std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  return info.param.device.substr(0, info.param.device.find(':')) + "_" + info.param.precision + "_" + info.param.kernel;
}

class GpuPrecision : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_missing(GetParam().device); !missing.empty()) GTEST_SKIP() << missing;
  }

  Session open(const Network& network, const std::string& optimise = "none") const {
    CompileOptions options;
    options.device = GetParam().device;
    options.precision = GetParam().precision;
    options.kernel = GetParam().kernel;
    options.optimise = optimise;
    return compile(network, options).open();
  }

  bool is_half() const { return GetParam().precision == "f16"; }

  void expect_within_bound(const Network& network, const SparseMatrix& inputs, const std::string& optimise = "none") const {
    const Tensor got = open(network, optimise).run(inputs).to_tensor();
    for (std::size_t row = 0; row < inputs.rows; ++row) {
      const Bounded expected = evaluate_with_bound(network, reference::input_row(inputs, row), is_half() ? kept_in_f16 : kept_in_bf16);
      for (std::size_t k = 0; k < expected.value.size(); ++k)
        ASSERT_NEAR(got.values[row * expected.value.size() + k], expected.value[k], expected.error[k]) << "input " << row << ", output " << k;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(On, GpuPrecision, testing::ValuesIn(settings({"table", "baked"})), setting_name);

class GpuPrecisionOfTables : public GpuPrecision {};  ///< what has nothing to do with baked code
INSTANTIATE_TEST_SUITE_P(On, GpuPrecisionOfTables, testing::ValuesIn(settings({"table"})), setting_name);

TEST_P(GpuPrecision, RandomNetworksKeepTheirBound) {
  const std::vector<RandomLayer> layers{{33, 0.3, Activation::relu()},       {31, 0.2, Activation::clip(0, 32)}, {31, 0.3, Activation::leaky_relu(0.1f), false, true},
                                        {40, 0.2, Activation::sigmoid()},    {17, 0.3, Activation::tanh()},      {1, 0.5, Activation::identity()}};
  for (unsigned seed : {3u, 4u}) {  // one of them has one weight for each layer
    SCOPED_TRACE(seed);
    const Network network = random_network(32, layers, seed);
    for (std::uint32_t count : {1u, 33u}) expect_within_bound(network, random_inputs(count, 32, seed + count));
  }
}

TEST_P(GpuPrecision, ValuesAreRoundedAndNotCutOff) {
  const Network copy = parse("lacuna network 1\ninput x 1\ny = linear x 1 identity {\n  0: 0*1\n}\noutput y\n");
  Session session = open(copy);
  const auto through = [&](float value) { return session.run(Tensor{{1, 1}, {value}}).to_tensor().values[0]; };
  EXPECT_EQ(through(0.1f), is_half() ? 0x1.998p-4f : 0x1.9ap-4f);
  EXPECT_EQ(through(-3.0f), -3.0f);
  EXPECT_EQ(through(1 + 0x1p-8f), is_half() ? 1 + 0x1p-8f : 1.0f) << "a tie goes to the even one";
  EXPECT_EQ(through(0x1p-24f), 0x1p-24f) << "the smallest of f16";
}

TEST_P(GpuPrecisionOfTables, DeadAndEqualInputsLeaveAndTheBitsStay) {
  const Network network = generate_radix({64, 20, 5, {}});
  const SparseMatrix inputs = random_on_off(300, 64, 0.45, 5, 1, 7);
  const Outputs expected = open(network).run(inputs);
  ASSERT_GT(expected.survivors.size(), 10u);
  ASSERT_LT(expected.survivors.size(), 290u);
  const BitMatrix bits = pack_bits(inputs);
  for (const char* optimise : {"dead_inputs", "dead_inputs,equal_inputs"}) {
    SCOPED_TRACE(optimise);
    Session session = open(network, optimise);
    for (const Outputs& got : {session.run(inputs), session.run(bits)}) {
      ASSERT_EQ(got.survivors, expected.survivors);
      for (std::size_t k = 0; k < expected.survivors.size(); ++k) ASSERT_TRUE(std::ranges::equal(got.of(k), expected.of(k))) << "input " << expected.survivors[k];
    }
  }
}

TEST_P(GpuPrecision, AnInputThatIsTooLargeIsRefusedWithItsNumber) {
  const Network network = random_network(8, {{4, 0.5, Activation::clip(0, 32)}}, 1);
  std::vector<float> values(40 * 8, 0.5f);
  values[37 * 8 + 3] = 65520;
  Session session = open(network);
  const auto run = [&] { session.run(Tensor{{40, 8}, values}); };
  EXPECT_EQ(message_of<InputError>(run), is_half() ? "input 38 has the value 65520, and f16 holds at most 65504; take --precision bf16 or f32" : "");
}

TEST_P(GpuPrecision, AValueThatGrowsTooLargeIsTold) {
  const Network network = parse("lacuna network 1\ninput x 1\nh = linear x 1 relu {\n  0: 0*1000\n}\ny = linear h 1 clip(0,32) {\n  0: 0*0.001\n}\noutput y\n");
  Session session = open(network);
  EXPECT_EQ(session.run(Tensor{{3, 1}, {1, 2, 3}}).survivors.size(), 3u);
  const auto run = [&] { session.run(Tensor{{3, 1}, {1, 70, 3}}); };
  EXPECT_EQ(message_of<Unsupported>(run), is_half() ? "a value between the layers is too large: f16 holds at most 65504; take --precision bf16 or f32" : "");
  EXPECT_EQ(session.run(Tensor{{1, 1}, {1}}).survivors.size(), 1u) << "the next run is another";
}

TEST_P(GpuPrecisionOfTables, StreamedWeightsGiveTheSameBits) {
  const Network network = generate_general({256, 12, 16, 48, 3});
  const SparseMatrix inputs = random_on_off(70, 256, 0.3, 5);
  const Tensor expected = open(network).run(inputs).to_tensor();
  const Variable memory("LACUNA_GPU_MEMORY", "500KiB");
  Session session = open(network);
  EXPECT_EQ(session.run(inputs).to_tensor().values, expected.values);
  EXPECT_GT(session.report().streamed_bytes, 0u);
}

}  // namespace
}  // namespace lacuna::tests
