// Convolutions and pooling strip by strip: the same answer as one after the other, on every instruction set, however many threads divide the rows.
#include "engine/tensors/strip_chain.hpp"

#include <gtest/gtest.h>

#include "base/aligned_buffer.hpp"
#include "engine/tensors/conv_trial.hpp"
#include "engine/tensors/value_planes.hpp"
#include "passes/absorb.hpp"
#include "support/all_isas.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

using plan::ConvKernelChoice;
using plan::ConvKernelKind;
using test::TensorNetwork;

struct Pool {
  std::string name;
  std::int64_t kernel, stride, pad;
};

void add_pool(TensorNetwork& net, ValueId from, const Pool& pool) {
  Shape shape = net.network.value(from).shape;
  for (std::size_t axis : {2u, 3u}) shape.extents[axis] = static_cast<std::uint32_t>((shape.extents[axis] + 2 * pool.pad - pool.kernel) / pool.stride + 1);
  const auto twice = [](std::int64_t value) { return std::vector<std::int64_t>{value, value}; };
  net.call(pool.name, {from}, shape, {{"kernel_shape", twice(pool.kernel)}, {"pads", std::vector<std::int64_t>(4, pool.pad)}, {"strides", twice(pool.stride)}});
}

TensorNetwork vgg_like(std::uint32_t batch, std::uint32_t height) {
  TensorNetwork net({{batch, 3, height, 32}}, height);
  ValueId at = net.conv(net.network.input, {.outputs = 9, .sparsity = 0, .activation = Activation::relu()});
  at = net.conv(at, {.outputs = 30, .sparsity = 0.8, .activation = Activation::relu()});
  add_pool(net, at, {"MaxPool", 2, 2, 0});
  return net;
}

TensorNetwork resnet_like(std::uint32_t batch, std::uint32_t height) {
  TensorNetwork net({{batch, 3, height, 64}}, height);
  const ValueId at = net.conv(net.network.input, {.outputs = 11, .kernel = {7, 7}, .stride = 2, .pad = 3, .sparsity = 0, .activation = Activation::relu()});
  add_pool(net, at, {"MaxPool", 3, 2, 1});
  return net;
}

TensorNetwork long_chain(std::uint32_t batch, std::uint32_t height) {
  TensorNetwork net({{batch, 4, height, 64}}, height);
  ValueId at = net.conv(net.network.input, {.outputs = 6, .sparsity = 0.5, .activation = Activation::clip(-1, 1)});
  at = net.conv(at, {.outputs = 8, .kernel = {5, 5}, .stride = 2, .pad = 2, .sparsity = 0.7});
  at = net.conv(at, {.outputs = 5, .kernel = {1, 1}, .pad = 0, .sparsity = 0.4, .activation = Activation::relu()});
  add_pool(net, at, {"AveragePool", 3, 1, 1});
  return net;
}

class StripChains : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<float> run(const TensorProgram& program, const TypedTensor& input) {
    base::AlignedFloats arena(program.arena_bytes / sizeof(float) + 16);
    std::fill_n(arena.data(), arena.size(), std::numeric_limits<float>::quiet_NaN());
    OutputMemory memory;
    const std::vector<TypedTensor> outputs = program.run(reinterpret_cast<std::byte*>(arena.data()), std::span(&input, 1), memory);
    const auto values = outputs[0].as<float>();
    return {values.begin(), values.end()};
  }

  static void expect_same(TensorNetwork net, const ConvKernelChoice& choice, unsigned threads) {
    const Network& network = net.network;
    const ChooseOptions options{cpu::choose_isa(GetParam()), threads};
    const std::vector<rows::Planes> planes = planes_of_values(network, options);
    if (planes[0].lanes_are_inputs()) return;  // a vector of one lane
    std::vector<Choice> choices;
    for (const Operator& op : network.operators) {
      choices.push_back({World::planes, {}, {}});
      if (std::holds_alternative<Conv>(op.operation)) choices.back().sparse = ConvTrial(network, op, planes, options).sparse(choice);
    }
    const auto program = [&](unsigned chains) { return build_program(network, choices, planes, options.isa, threads, {Sharing::all, chains}); };
    const TensorProgram plain = program(0), chained = program(1);
    EXPECT_EQ(plain.chains, 0u);
    EXPECT_EQ(chained.chains, 1u);
    ASSERT_EQ(chained.chained, network.operators.size());
    EXPECT_LT(chained.steps.size(), plain.steps.size());
    const TypedTensor input = net.random_input();
    const std::vector<float> expected = run(plain, input), got = run(chained, input);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-4) << "element " << k;
  }
};

TEST_P(StripChains, AgreeWithOneLayerAfterTheOther) {
  for (const ConvKernelChoice& choice : {ConvKernelChoice{ConvKernelKind::table, 8, 64, 3, 1}, ConvKernelChoice{ConvKernelKind::baked, 1, 13, 4, 2}, ConvKernelChoice{ConvKernelKind::line_pairs, 1, 13, 1, 1},
                                         ConvKernelChoice{ConvKernelKind::baked, 1, 13, 4, 2, 1, true}, ConvKernelChoice{ConvKernelKind::baked, 1, 12, 4, 2, 1, true, false, true}}) {
    if (choice.kind != ConvKernelKind::table && GetParam() != "avx2" && GetParam() != "avx512") continue;  // no machine code
    for (unsigned threads : {1u, 2u, 3u})
      for (std::uint32_t batch : {1u, 2u})
        for (std::uint32_t height : {20u, 31u}) {
          SCOPED_TRACE(testing::Message() << to_string(choice) << ", " << threads << " threads, batch " << batch << ", height " << height);
          expect_same(vgg_like(batch, height), choice, threads);
          expect_same(resnet_like(batch, height), choice, threads);
          expect_same(long_chain(batch, height), choice, threads);
        }
  }
}

TEST_P(StripChains, AValueThatIsReadTwiceEndsNoChain) {
  TensorNetwork net = vgg_like(1, 20);
  net.network.other_outputs.push_back(net.network.operators[1].output);
  const ChooseOptions options{cpu::choose_isa(GetParam()), 1};
  const std::vector<rows::Planes> planes = planes_of_values(net.network, options);
  std::vector<Choice> choices(3, {World::planes, {}, {}});
  for (std::size_t k : {0u, 1u}) choices[k].sparse = ConvTrial(net.network, net.network.operators[k], planes, options).sparse({});
  const auto end_from = [&](std::size_t first) { return end_of_chain({net.network, choices, planes, passes::count_reads(net.network), options.isa, 1}, first); };
  EXPECT_FALSE(end_from(0));
  net.network.other_outputs.clear();
  EXPECT_EQ(end_from(0), 3u);
  EXPECT_EQ(end_from(1), 3u);
  EXPECT_FALSE(end_from(2)) << "pooling alone";
}

TEST_P(StripChains, OnlyAsManyAsAreWantedAreMadeFromTheFirstOn) {
  TensorNetwork net({{1, 3, 20, 64}}, 1);
  ValueId at = net.network.input;
  for (int pools = 0; pools < 2; ++pools) {
    at = net.conv(at, {.outputs = 8, .sparsity = 0.7, .activation = Activation::relu()});
    add_pool(net, at, {"MaxPool", 2, 2, 0});
    at = net.network.operators.back().output;
  }
  const ChooseOptions options{cpu::choose_isa(GetParam()), 1};
  const std::vector<rows::Planes> planes = planes_of_values(net.network, options);
  std::vector<Choice> choices(4, {World::planes, {}, {}});
  for (std::size_t k : {0u, 2u}) choices[k].sparse = ConvTrial(net.network, net.network.operators[k], planes, options).sparse({});
  const auto program = [&](unsigned chains) { return build_program(net.network, choices, planes, options.isa, 1, {Sharing::all, chains}); };
  const TypedTensor input = net.random_input();
  const std::vector<float> expected = run(program(0), input);
  for (unsigned wanted : {1u, 2u, 3u}) {
    const TensorProgram made = program(wanted);
    EXPECT_EQ(made.chains, std::min(wanted, 2u));
    EXPECT_EQ(made.chained, 2 * std::min<std::size_t>(wanted, 2));
    EXPECT_EQ(made.after_chains, made.chained);
    const std::vector<float> got = run(made, input);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-4) << wanted << " chains, element " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, StripChains, testing::ValuesIn(tests::all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::engine::tensors
