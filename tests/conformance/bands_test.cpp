// Layers in bands: the same answer as on whole images, on every instruction set, however many bands there are.
#include "engine/tensors/bands.hpp"

#include <gtest/gtest.h>

#include "base/aligned_buffer.hpp"
#include "engine/tensors/conv_trial.hpp"
#include "engine/tensors/value_planes.hpp"
#include "support/all_isas.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

using plan::ConvKernelChoice;
using plan::ConvKernelKind;
using test::TensorNetwork;

constexpr std::size_t all = static_cast<std::size_t>(-1);

/// Narrow and wide layers, strides, sums written over their skip connections, values that leave; 128 KiB and more stand in slabs.
TensorNetwork resnet_like(std::uint32_t width, std::uint32_t channels) {
  TensorNetwork net({{1, 3, 48, 2 * width}}, width);
  const Activation relu = Activation::relu();
  ValueId at = net.conv(net.network.input, {.outputs = 8, .kernel = {7, 7}, .stride = 2, .pad = 3, .sparsity = 0, .activation = relu});
  ValueId wide = net.conv(at, {.outputs = channels, .kernel = {1, 1}, .pad = 0, .sparsity = 0.8, .activation = relu});
  for (int block = 0; block < 2; ++block) {
    at = net.conv(wide, {.outputs = 8, .kernel = {1, 1}, .pad = 0, .sparsity = 0.8, .activation = relu});
    at = net.conv(at, {.outputs = 12, .sparsity = 0.8, .activation = relu});
    wide = net.conv(at, {.outputs = channels, .kernel = {1, 1}, .pad = 0, .sparsity = 0.8, .activation = relu}, wide);
  }
  at = net.conv(wide, {.outputs = 9, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5, .activation = relu});
  at = net.conv(at, {.outputs = 10, .stride = 2, .sparsity = 0.7, .activation = relu});
  const ValueId down = net.conv(wide, {.outputs = 20, .kernel = {1, 1}, .stride = 2, .pad = 0, .sparsity = 0.7});
  net.conv(at, {.outputs = 20, .kernel = {1, 1}, .pad = 0, .sparsity = 0.6, .activation = relu}, down);
  return net;
}

TensorNetwork mobilenet_like(std::uint32_t width) {
  TensorNetwork net({{1, 3, 48, 2 * width}}, width);
  const Activation clip = Activation::clip(0, 6);
  ValueId at = net.conv(net.network.input, {.outputs = 8, .stride = 2, .sparsity = 0, .activation = clip});
  at = net.conv(at, {.outputs = 8, .groups = 8, .sparsity = 0, .activation = clip});
  at = net.conv(at, {.outputs = 16, .kernel = {1, 1}, .pad = 0, .sparsity = 0.8, .activation = clip});
  at = net.conv(at, {.outputs = 16, .stride = 2, .groups = 16, .sparsity = 0, .activation = clip});
  at = net.conv(at, {.outputs = 24, .kernel = {1, 1}, .pad = 0, .sparsity = 0.8, .activation = clip});
  at = net.conv(at, {.outputs = 24, .kernel = {5, 5}, .pad = 2, .groups = 24, .sparsity = 0, .activation = Activation::hard_swish()});
  net.conv(at, {.outputs = 7, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5});
  return net;
}

/// A value that is read beside its band is also a skip connection, of the layer that reads it there and of the one after; pooling, sums, concatenation, windows of many rows.
TensorNetwork mixture(std::uint32_t width) {
  TensorNetwork net({{1, 4, 24, width}}, width);
  ValueId a = net.conv(net.network.input, {.outputs = 6, .sparsity = 0.5, .activation = Activation::relu()});
  ValueId b = net.conv(a, {.outputs = 6, .kernel = {5, 5}, .pad = 4, .dilation = 2, .sparsity = 0.7}, a);
  ValueId c = net.conv(b, {.outputs = 6, .sparsity = 0.6, .activation = Activation::relu()}, a);
  const Shape shape = net.network.value(c).shape;
  const ValueId sum = net.call("Add", {b, c}, shape);
  Shape wider = shape, half = shape;
  wider.extents[1] = half.extents[1] = 12;
  half.extents[2] /= 2;
  half.extents[3] /= 2;
  const ValueId both = net.call("Concat", {sum, a}, wider, {{"axis", std::int64_t{1}}});
  const std::vector<std::int64_t> two{2, 2};
  const ValueId pooled = net.call("MaxPool", {both}, half, {{"kernel_shape", two}, {"strides", two}});
  net.conv(pooled, {.outputs = 5, .sparsity = 0.5});
  return net;
}

/// Sums that could be written over their skip connection, were it not for the neighbours that fetch rows of it in the same phase.
TensorNetwork blocks(std::uint32_t width) {
  TensorNetwork net({{1, 6, 24, width}}, width);
  ValueId at = net.conv(net.network.input, {.outputs = 6, .sparsity = 0.5});
  for (int block = 0; block < 3; ++block) {
    const ValueId inner = net.conv(at, {.outputs = 9, .sparsity = 0.5, .activation = Activation::relu()});
    at = net.conv(inner, {.outputs = 6, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5}, at);
  }
  return net;
}

struct Planned {
  std::vector<rows::Planes> planes;
  std::vector<Choice> choices;
};

Planned plan_with(const Network& network, const ChooseOptions& options, const std::vector<rows::Planes>& planes, const ConvKernelChoice& choice) {
  Planned planned{planes, {}};
  for (const Operator& op : network.operators) {
    planned.choices.push_back({World::planes, {}, {}});
    if (!std::holds_alternative<Conv>(op.operation)) continue;
    const ConvTrial trial(network, op, planes, options);
    const std::vector<ConvKernelChoice> candidates = trial.sparse_choices();
    const auto same_kind = std::find_if(candidates.begin(), candidates.end(), [&](const ConvKernelChoice& candidate) { return candidate.kind == choice.kind; });
    planned.choices.back().sparse = trial.sparse(same_kind != candidates.end() ? *same_kind : candidates.front());
  }
  return planned;
}

class BandsOfRows : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<float> run(const TensorProgram& program, const TypedTensor& input) {
    base::AlignedFloats arena(program.arena_bytes / sizeof(float) + 16);
    std::fill_n(arena.data(), arena.size(), std::numeric_limits<float>::quiet_NaN());
    OutputMemory memory;
    const std::vector<TypedTensor> outputs = program.run(reinterpret_cast<std::byte*>(arena.data()), std::span(&input, 1), memory);
    const auto values = outputs[0].as<float>();
    return {values.begin(), values.end()};
  }

  static void expect_same(TensorNetwork net, ConvKernelKind kind, unsigned threads, std::size_t first = 0, std::size_t most = all) {
    const Network& network = net.network;
    const ChooseOptions options{cpu::choose_isa(GetParam()), threads};
    const Planned whole = plan_with(network, options, planes_of_values(network, options), {kind});
    const std::size_t end = std::min(most, end_of_bands(network, whole.choices, whole.planes, first, threads));
    ASSERT_GT(end, first + 3);
    const std::shared_ptr<Bands> bands = cut_bands(network, options, whole.planes, first, end);
    ChooseOptions alone = options;
    alone.threads = 1;
    bands->chosen.choices = plan_with(bands->network, alone, bands->chosen.planes, {kind}).choices;
    const auto program = [&](const Bands* some) { return build_program(network, whole.choices, whole.planes, options.isa, threads, {}, some); };
    const TypedTensor input = net.random_input();
    const std::vector<float> expected = run(program(nullptr), input), got = run(program(bands.get()), input);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-4 * (1 + std::abs(expected[k]))) << "element " << k;
  }
};

TEST_P(BandsOfRows, AgreeWithWholeImages) {
  for (ConvKernelKind kind : {ConvKernelKind::table, ConvKernelKind::baked, ConvKernelKind::depthwise, ConvKernelKind::line_pairs, ConvKernelKind::steps})
    for (unsigned threads : {2u, 3u})
      for (std::uint32_t width : {14u, 28u, 33u}) {
        SCOPED_TRACE(testing::Message() << to_string(ConvKernelChoice{kind}) << ", " << threads << " threads, width " << width);
        expect_same(resnet_like(width, 96), kind, threads);
        expect_same(mobilenet_like(width), kind, threads);
        expect_same(mixture(width), kind, threads);
        expect_same(blocks(width), kind, threads);
      }
}

TEST_P(BandsOfRows, BeginAndEndAnywhere) {
  for (std::size_t end : {6u, 7u, 9u}) expect_same(resnet_like(28, 96), ConvKernelKind::table, 2, 1, end);
  for (std::size_t end : {5u, 6u}) expect_same(mobilenet_like(14), ConvKernelKind::table, 3, 1, end);
}

TEST_P(BandsOfRows, EndWhereRowsDoNotPart) {
  const ChooseOptions options{cpu::choose_isa(GetParam()), 2};
  const auto end_from = [&](const TensorNetwork& net, std::size_t first, unsigned bands) {
    const std::vector<Choice> choices(net.network.operators.size(), Choice{World::planes, {}, {}});
    return end_of_bands(net.network, choices, planes_of_values(net.network, options), first, bands);
  };
  const TensorNetwork net = mobilenet_like(14);  // 24 rows, then 12
  EXPECT_EQ(end_from(net, 0, 2), 7u);
  EXPECT_EQ(end_from(net, 0, 5), 0u) << "24 rows in five bands";
  EXPECT_EQ(end_from(net, 0, 4), 3u) << "bands of three rows";
  TensorNetwork odd({{1, 4, 22, 14}});
  odd.conv(odd.network.input, {});
  odd.conv(odd.network.output, {.stride = 2});
  EXPECT_EQ(end_from(odd, 0, 2), 1u) << "11 rows in two bands";
  TensorNetwork tall({{1, 4, 16, 14}});
  tall.conv(tall.network.input, {});
  tall.conv(tall.network.output, {.kernel = {19, 19}, .pad = 9});
  EXPECT_EQ(end_from(tall, 0, 2), 1u) << "nine rows beyond a band of eight";
  TensorNetwork pool({{1, 4, 16, 16}});
  const ValueId at = pool.conv(pool.network.input, {});
  pool.call("MaxPool", {at}, {{1, 4, 8, 8}}, {{"kernel_shape", std::vector<std::int64_t>{3, 3}}, {"pads", std::vector<std::int64_t>(4, 1)}, {"strides", std::vector<std::int64_t>{2, 2}}});
  EXPECT_EQ(end_from(pool, 0, 2), 1u) << "windows over the border of bands";
  const TensorNetwork two = resnet_like(14, 96);
  EXPECT_EQ(end_from(two, 3, 2), 4u) << "the sum reads a second value from before";
}

INSTANTIATE_TEST_SUITE_P(Isas, BandsOfRows, testing::ValuesIn(tests::all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::engine::tensors
