// Layers whose weights are mostly not zero, on a simulated GPU with libraries that stand in for cuDNN and cuBLAS: against the reference and the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>

#include "support/mixed_network.hpp"
#include "support/stand_ins.hpp"

namespace lacuna::tests {
namespace {

using test::ConvSpec;
using test::TensorNetwork;
using testing::HasSubstr;
using testing::Not;

class GpuDense : public StandIns {
 protected:
  static Program compiled(const Network& network, const std::string& kernel) { return compile(network, {.device = "sim:a100", .optimise = "none", .kernel = kernel}); }

  /// The second run is on used memory. Gives what runs each operator.
  static std::vector<std::string> expect_right(TensorNetwork& net, const std::string& kernel = "dense", double tolerance = 1e-5) {
    const Program program = compiled(net.network, kernel);
    Session session = program.open();
    for (int run = 0; run < 2; ++run) {
      const TypedTensor input = net.random_input();
      const auto outputs = session.run(std::span(&input, 1));
      const Verdict verdict = check_outputs(net.network, std::span(&input, 1), outputs, tolerance);
      EXPECT_TRUE(verdict.right) << verdict.sentence << " kernel " << kernel << ", run " << run << "\n" << program.explain();
    }
    std::vector<std::string> kernels;
    for (const LayerReport& layer : program.layers()) kernels.push_back(layer.kernel);
    return kernels;
  }
};

TEST_F(GpuDense, EveryWindowGivesTheReferencesAnswer) {
  const std::vector<ConvSpec> specs{
      {.outputs = 5, .sparsity = 0},
      {.outputs = 5, .kernel = {1, 1}, .pad = 0, .sparsity = 0},
      {.outputs = 5, .kernel = {5, 3}, .pad = 2, .sparsity = 0},
      {.outputs = 5, .stride = 2, .sparsity = 0, .activation = Activation::relu()},
      {.outputs = 5, .kernel = {7, 7}, .stride = 3, .pad = 3, .sparsity = 0},
      {.outputs = 8, .groups = 4, .sparsity = 0, .activation = Activation::hard_swish()},
      {.outputs = 16, .groups = 8, .sparsity = 0},
      {.outputs = 4, .pad = 2, .dilation = 2, .sparsity = 0, .activation = Activation::leaky_relu(0.1f)},
      {.outputs = 33, .pad = 0, .sparsity = 0, .has_bias = false},
  };
  for (std::uint32_t batch : {1u, 3u})
    for (std::size_t k = 0; k < specs.size(); ++k) {
      TensorNetwork net({{batch, 8, 11, 13}}, static_cast<unsigned>(k + 1));
      net.conv(net.network.input, specs[k]);
      EXPECT_THAT(expect_right(net), testing::ElementsAre("dense, cuDNN 9.1.0; asked for")) << "batch " << batch << ", window " << k;
    }
}

TEST_F(GpuDense, OneSpatialAxisIsALine) {
  for (std::uint32_t batch : {1u, 3u}) {
    TensorNetwork net({{batch, 4, 37}}, 2);
    const ValueId first = net.conv(net.network.input, {.outputs = 6, .kernel = {5}, .pad = 2, .sparsity = 0, .activation = Activation::relu()});
    net.conv(first, {.outputs = 3, .kernel = {3}, .stride = 2, .dilation = 2, .sparsity = 0});
    EXPECT_THAT(expect_right(net), testing::Each(HasSubstr("dense, cuDNN")));
  }
}

TEST_F(GpuDense, SkipAndActivationComeAfterTheLibrary) {
  for (std::uint32_t batch : {1u, 3u}) {
    TensorNetwork net({{batch, 6, 9, 10}}, 3);
    const ValueId first = net.conv(net.network.input, {.outputs = 6, .sparsity = 0, .activation = Activation::relu()});
    const ValueId second = net.conv(first, {.outputs = 6, .sparsity = 0, .activation = Activation::clip(0, 6)}, net.network.input);
    net.conv(second, {.outputs = 6, .kernel = {1, 1}, .pad = 0, .sparsity = 0, .activation = Activation::sigmoid(), .has_bias = false}, first);
    EXPECT_THAT(expect_right(net), testing::Each(HasSubstr("dense, cuDNN")));
  }
}

TEST_F(GpuDense, FullyConnectedLayersGoThroughCuBlas) {
  for (std::uint32_t batch : {1u, 3u}) {
    TensorNetwork net({{batch, 33}}, 4);
    const ValueId first = net.conv(net.network.input, {.outputs = 65, .kernel = {}, .sparsity = 0, .activation = Activation::tanh()});
    const ValueId second = net.conv(first, {.outputs = 65, .kernel = {}, .sparsity = 0, .activation = Activation::relu()}, first);
    net.conv(second, {.outputs = 1, .kernel = {}, .sparsity = 0, .has_bias = false});
    EXPECT_THAT(expect_right(net), testing::Each("dense, cuBLAS 12.4.5; asked for"));
  }
}

TEST_F(GpuDense, SomeLayersAreDenseAndOthersSparse) {
  for (std::uint32_t batch : {1u, 3u}) {
    TensorNetwork net = test::mixed_network(batch, 5);
    const std::vector<std::string> kernels = expect_right(net, "auto");
    EXPECT_EQ(kernels[0], "dense, cuDNN 9.1.0; 100% of its weights are not zero; libraries are not timed on a simulated GPU");
    EXPECT_THAT(kernels[1], testing::AllOf(Not(HasSubstr("dense")), Not(HasSubstr("cudnn"))));
    EXPECT_THAT(kernels[3], HasSubstr("dense, cuDNN")) << "depthwise";
  }
}

TEST_F(GpuDense, AllLayersOfAMixedNetworkCanBeDense) {
  TensorNetwork net = test::mixed_network(3, 6);
  std::size_t dense = 0;
  for (const std::string& kernel : expect_right(net)) dense += kernel.starts_with("dense, ") ? 1 : 0;
  EXPECT_EQ(dense, 9u);
}

TEST_F(GpuDense, ResNet18EqualsTheCpuDenseAndPruned) {
  for (double sparsity : {0.0, 0.9}) {
    TensorNetwork net = test::resnet18(1, 32, 8, sparsity, 14);
    const TypedTensor input = net.random_input();
    const auto expected = compile(net.network, {.device = "cpu", .tune = "off"}).open().run(std::span(&input, 1));
    const Program program = compile(net.network, {.device = "sim:a100"});
    const auto got = program.open().run(std::span(&input, 1));
    EXPECT_THAT(program.explain(), HasSubstr("dense, cuDNN 9.1.0; ")) << "the first layer is never pruned";
    for (std::size_t k = 0; k < expected[0].as<float>().size(); ++k) EXPECT_NEAR(got[0].as<float>()[k], expected[0].as<float>()[k], 1e-4 * (1 + std::abs(expected[0].as<float>()[k])));
  }
}

TEST_F(GpuDense, TableAndBakedNeverUseALibrary) {
  TensorNetwork net({{1, 3, 8, 8}}, 7);
  net.conv(net.network.input, {.sparsity = 0});
  for (const char* kernel : {"table", "baked"}) EXPECT_THAT(expect_right(net, kernel), testing::Each(testing::StartsWith(kernel)));
}

TEST_F(GpuDense, PaddingAtOneEndRunsByAKernelOfOursAndSaysWhy) {
  TensorNetwork net({{1, 3, 8, 8}}, 8);
  net.conv(net.network.input, {.sparsity = 0});
  auto& conv = std::get<Conv>(net.network.operators[0].operation);
  conv.pads_begin = {0, 0};
  conv.pads_end = {2, 2};
  EXPECT_THAT(expect_right(net).at(0), HasSubstr("; its padding is 0x0 at the beginning and 2x2 at the end, and libraries take one for both"));
  conv.pads_begin = {1, 1};
  conv.strides = {2, 2};
  conv.pads_end = {0, 0};
  net.network.values.back().shape = {{1, 4, 4, 4}};
  EXPECT_THAT(expect_right(net).at(0), HasSubstr("dense, cuDNN")) << "nobody reads the last line, padded or not";
}

TEST_F(GpuDense, WhatTheLibraryRefusesRunsByAKernelOfOursAndSaysWhy) {
  const Variable none("LACUNA_STANDIN_ALGORITHMS", "none");
  TensorNetwork net({{1, 3, 8, 8}}, 9);
  net.conv(net.network.input, {.sparsity = 0});
  EXPECT_THAT(expect_right(net).at(0), testing::EndsWith("; cuDNN has no algorithm for it in f32"));
}

TEST_F(GpuDense, WithoutLibrariesItRunsAndSaysWhatIsMissing) {
  const Variable none("LACUNA_CUDNN_LIBRARY", "/nonexistent/libcudnn.so.9");
  TensorNetwork net({{1, 3, 8, 8}}, 10);
  net.conv(net.network.input, {.sparsity = 0});
  EXPECT_THAT(expect_right(net, "auto").at(0), HasSubstr("; 100% of its weights are not zero; cudnn: not here (/nonexistent/libcudnn.so.9: "));
  EXPECT_THAT(message_of<DeviceError>([&] { compiled(net.network, "dense"); }), testing::StartsWith("cudnn: not here (/nonexistent/libcudnn.so.9: "));
}

TEST_F(GpuDense, OnlyTheLibrariesOfItsLayersAreNeeded) {
  const Variable none("LACUNA_CUDNN_LIBRARY", "/nonexistent/libcudnn.so.9");
  TensorNetwork net({{1, 8}}, 11);
  net.conv(net.network.input, {.outputs = 3, .kernel = {}, .sparsity = 0});
  EXPECT_THAT(expect_right(net), testing::Each(HasSubstr("dense, cuBLAS")));
}

TEST_F(GpuDense, AFailureInTheMiddleOfARunIsNamedAndNothingIsLeft) {
  TensorNetwork net({{1, 3, 8, 8}}, 12);
  net.conv(net.network.input, {.sparsity = 0});
  Session session = compiled(net.network, "dense").open();
  const TypedTensor input = net.random_input();
  {
    const Variable failure("LACUNA_STANDIN_FAIL", "cudnnConvolutionForward");
    EXPECT_THAT(message_of<DeviceError>([&] { session.run(std::span(&input, 1)); }), HasSubstr("cudnnConvolutionForward gives CUDNN_STATUS_EXECUTION_FAILED (5000)"));
  }
  EXPECT_TRUE(check_outputs(net.network, std::span(&input, 1), session.run(std::span(&input, 1)), 1e-5).right) << "the next run is right again";
}

}  // namespace
}  // namespace lacuna::tests
