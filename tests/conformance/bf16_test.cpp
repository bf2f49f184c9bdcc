// Dense layers in bf16 against the reference: answers within 5e-2 of the largest, and only where bf16 was asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "dense/layout.hpp"
#include "engine/precision.hpp"
#include "support/environment.hpp"
#include "support/mixed_network.hpp"
#include "support/temp_folder.hpp"

namespace lacuna {
namespace {

using test::mixed_network;
using test::resnet18;
using test::TensorNetwork;
using testing::HasSubstr;
using testing::Not;

std::ptrdiff_t layers_in(const Program& program, std::string_view precision) {
  const auto layers = program.layers();
  return std::count_if(layers.begin(), layers.end(), [&](const LayerReport& layer) { return layer.precision == precision; });
}

Verdict verdict_of(TensorNetwork& net, const Program& program) {
  const TypedTensor input = net.random_input();
  return check_outputs(net.network, std::span(&input, 1), program.open().run(std::span(&input, 1)), program.tolerance());
}

class Bf16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!dense::has_bf16()) GTEST_SKIP() << "this CPU has no avx512_bf16";
  }
};

TEST_F(Bf16, EveryKindOfLayerIsRightWithinItsTolerance) {
  for (const std::uint32_t batch : {1u, 3u})
    for (const unsigned threads : {1u, 2u}) {
      TensorNetwork net = mixed_network(batch, 7 * batch + threads);
      const Program program = compile(net.network, {.threads = threads, .kernel = "dense", .tune = "off", .precision = "bf16"});
      EXPECT_EQ(program.tolerance(), 5e-2);
      EXPECT_GE(layers_in(program, "bf16"), 9);
      const Verdict verdict = verdict_of(net, program);
      EXPECT_TRUE(verdict.right) << verdict.sentence;
      EXPECT_GT(verdict.largest_error, 1e-5) << "nothing was rounded: was it bf16?";
    }
}

TEST_F(Bf16, AResidualNetworkIsRightWhateverThePlan) {
  for (const char* tune : {"off", "fast"}) {
    TensorNetwork net = resnet18(2, 32, 16, 0.9, 3);
    const Verdict verdict = verdict_of(net, compile(net.network, {.threads = 2, .tune = tune, .precision = "bf16"}));
    EXPECT_TRUE(verdict.right) << verdict.sentence << " tune " << tune;
  }
}

TEST_F(Bf16, SparsePlanesStayF32) {
  TensorNetwork net = mixed_network(2, 5);
  const Program program = compile(net.network, {.threads = 2, .kernel = "table", .tune = "off", .precision = "bf16"});
  EXPECT_EQ(layers_in(program, "bf16"), 0);
  EXPECT_LE(verdict_of(net, program).largest_error, 1e-5);
}

TEST_F(Bf16, APlanSaysWhatEachLayerIsComputedIn) {
  TensorNetwork net({{1, 64, 28, 28}}, 3);
  const ValueId first = net.conv(net.network.input, {.outputs = 64, .sparsity = 0});
  net.conv(first, {.outputs = 64, .sparsity = 0});
  const CompileOptions options{.threads = 1, .kernel = "dense", .tune = "fast", .precision = "bf16"};
  EXPECT_THAT(compile(net.network, options).explain(), HasSubstr(" bf16 "));
  EXPECT_THAT(compile(net.network, options).explain(), HasSubstr("bf16 is faster"));
}

TEST_F(Bf16, PlansAreRememberedForThePrecisionTheyWereMadeFor) {
  const tests::TempFolder folder;
  const tests::Variable cache("LACUNA_CACHE", folder.path().string());
  TensorNetwork net = mixed_network(1, 5);
  const auto explain = [&](const char* precision) { return compile(net.network, {.threads = 1, .precision = precision}).explain(); };
  EXPECT_THAT(explain("bf16"), Not(HasSubstr("remembered")));
  EXPECT_THAT(explain("f32"), Not(HasSubstr("remembered")));
  EXPECT_THAT(explain("bf16"), HasSubstr("remembered"));
  const Program again = compile(net.network, {.threads = 1, .precision = "bf16"});
  EXPECT_TRUE(verdict_of(net, again).right);
}

TEST(Precision, IsF32UnlessAskedFor) {
  TensorNetwork net = mixed_network(1, 5);
  const Program program = compile(net.network, {.threads = 1, .tune = "off"});
  EXPECT_EQ(layers_in(program, "bf16"), 0);
  EXPECT_EQ(program.tolerance(), 1e-4);
}

TEST(Precision, WhereThereIsNoBf16ASentenceSaysWhy) {
  const Network layered = parse("lacuna network 1\ninput x 1\ny = linear x 1 relu {\n  0: 0*1\n}\noutput y\n");
  const Network model = mixed_network(1, 5).network;
  const auto message = [](const Network& network, bool is_for_gpus, bool cpu_has_bf16) -> std::string {
    try {
      engine::check_precision(engine::Precision::bf16, network, is_for_gpus, cpu_has_bf16);
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(layered, false, true), "the cpu keeps the values of layers in f32; bf16 is for GPUs: --device cuda, opencl or sim:a100");
  EXPECT_EQ(message(layered, true, true), "no error");
  EXPECT_EQ(message(model, true, true), "GPUs compute models in f32; bf16 is for the cpu: --device cpu");
  EXPECT_EQ(message(model, false, false), "this CPU has no bf16 instructions (avx512_bf16), and emulated they are slower than f32: leave --precision at f32");
  EXPECT_EQ(message(model, false, true), "no error");
}

}  // namespace
}  // namespace lacuna
