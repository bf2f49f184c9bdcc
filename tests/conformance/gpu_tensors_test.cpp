// Networks of tensors on GPUs, against the reference and the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>

#include "support/gpu_devices.hpp"
#include "support/mixed_network.hpp"

namespace lacuna::tests {
namespace {

using test::mixed_network;
using test::TensorNetwork;

class GpuTensors : public GpuTest {
 protected:
  /// The second run is on used memory.
  void expect_right(TensorNetwork& net, const std::string& kernel, const std::string& optimise = "all", double tolerance = 1e-5) {
    const Program program = compile(net.network, {.device = device(), .optimise = optimise, .kernel = kernel, .tune = "off"});
    Session session = program.open();
    for (int run = 0; run < 2; ++run) {
      const TypedTensor input = net.random_input();
      const auto outputs = session.run(std::span(&input, 1));
      const Verdict verdict = check_outputs(net.network, std::span(&input, 1), outputs, tolerance);
      ASSERT_TRUE(verdict.right) << verdict.sentence << " kernel " << kernel << ", run " << run << "\n" << program.explain();
    }
  }
};

TEST_P(GpuTensors, EveryKernelGivesTheReferencesAnswer) {
  TensorNetwork net = mixed_network(1, 8);
  expect_right(net, "table");
  expect_right(net, "baked");
}

TEST_P(GpuTensors, ABatchOfThreeWithoutOptimisations) {
  TensorNetwork net = mixed_network(3, 9);
  expect_right(net, "auto", "none");
}

TEST_P(GpuTensors, NothingOfTheMixedNetworkNeedsTheHost) {
  TensorNetwork net = mixed_network(2, 10);
  const Program program = compile(net.network, {.device = device(), .kernel = "table", .tune = "off"});
  EXPECT_THAT(program.explain(), testing::HasSubstr(", 0 of "));
  for (const LayerReport& layer : program.layers()) EXPECT_THAT(layer.kernel, testing::Not(testing::HasSubstr("host"))) << layer.name;
}

TEST_P(GpuTensors, ElementsReshapesTransposesAndSoftmax) {
  TensorNetwork net({{2, 3, 4, 5}}, 11);
  const ValueId half = net.constant({{1, 3, 1, 1}}, {0.5f, -1.5f, 2.0f});
  const ValueId scaled = net.call("Mul", {net.network.input, half}, {{2, 3, 4, 5}});
  const ValueId bent = net.call("Tanh", {scaled}, {{2, 3, 4, 5}});
  const ValueId turned = net.call("Transpose", {bent}, {{2, 5, 3, 4}}, {{"perm", std::vector<std::int64_t>{0, 3, 1, 2}}});
  const ValueId conv = net.conv(turned, {.outputs = 6});
  const ValueId wide = net.call("Concat", {conv, turned}, {{2, 11, 3, 4}}, {{"axis", std::int64_t{1}}});
  const ValueId ramp = net.constant({{4}}, {1, 2, 3, 4});
  const ValueId shifted = net.call("Sub", {wide, ramp}, {{2, 11, 3, 4}});
  const ValueId mean = net.call("AveragePool", {shifted}, {{2, 11, 3, 2}},
                                {{"kernel_shape", std::vector<std::int64_t>{3, 2}}, {"pads", std::vector<std::int64_t>{1, 0, 1, 0}}, {"strides", std::vector<std::int64_t>{1, 2}}});
  const ValueId flat = net.call("Flatten", {mean}, {{2, 66}}, {{"axis", std::int64_t{1}}});
  net.call("Softmax", {flat}, {{2, 66}}, {{"axis", std::int64_t{-1}}});
  expect_right(net, "table");
  const Program program = compile(net.network, {.device = device(), .kernel = "table"});
  EXPECT_THAT(program.explain(), testing::HasSubstr(", 0 of "));
}

TEST_P(GpuTensors, WholePlanesArePooledByBlocks) {
  TensorNetwork net({{2, 5, 19, 23}}, 12);
  const ValueId largest = net.call("GlobalMaxPool", {net.network.input}, {{2, 5, 1, 1}});
  const ValueId mean = net.call("GlobalAveragePool", {net.network.input}, {{2, 5, 1, 1}});
  net.call("Add", {largest, mean}, {{2, 5, 1, 1}});
  expect_right(net, "table");
}

TEST_P(GpuTensors, WhatHasNoKernelRunsOnTheHostAndIsNamed) {
  TensorNetwork net({{1, 3, 8, 8}}, 13);
  const ValueId first = net.conv(net.network.input, {.outputs = 4, .activation = Activation::relu()});
  const ValueId erf = net.call("Erf", {first}, {{1, 4, 8, 8}});
  net.conv(erf, {.outputs = 5});
  expect_right(net, "table");
  const Program program = compile(net.network, {.device = device(), .kernel = "table"});
  EXPECT_THAT(program.explain(), testing::HasSubstr("on the host: there is no kernel for Erf"));
  EXPECT_THAT(program.explain(), testing::HasSubstr("1 of 3 operators on the host"));
}

TEST_P(GpuTensors, PrunedResNet18EqualsTheCpu) {
  TensorNetwork net = test::resnet18(1, 32, 16, 0.9, 14);
  expect_right(net, "auto", "all", 1e-4);
  const TypedTensor input = net.random_input();
  const auto expected = compile(net.network, {.device = "cpu", .tune = "off"}).open().run(std::span(&input, 1));
  const auto got = compile(net.network, {.device = device()}).open().run(std::span(&input, 1));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < expected[0].as<float>().size(); ++k) EXPECT_NEAR(got[0].as<float>()[k], expected[0].as<float>()[k], 1e-4 * (1 + std::abs(expected[0].as<float>()[k])));
}

TEST_P(GpuTensors, DenseKernelsAreRefusedWithWhatToDo) {
  TensorNetwork net({{1, 3, 8, 8}}, 15);
  net.conv(net.network.input, {});
  try {
    compile(net.network, {.device = device(), .kernel = "dense"});
    FAIL() << "nothing was thrown";
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith("cudnn: "), testing::EndsWith(": take --device cuda")));
  }
}

TEST_P(GpuTensors, InputsThatDoNotFitAreNamed) {
  TensorNetwork net({{1, 3, 8, 8}}, 16);
  net.conv(net.network.input, {});
  Session session = compile(net.network, {.device = device(), .kernel = "table"}).open();
  const TypedTensor input = make_tensor<float>({1, 3, 8, 7}, std::vector<float>(168));
  EXPECT_THROW(session.run(std::span(&input, 1)), InputError);
}

INSTANTIATE_TEST_SUITE_P(Gpus, GpuTensors, testing::ValuesIn(gpu_devices()), gpu_device_name);

}  // namespace
}  // namespace lacuna::tests
