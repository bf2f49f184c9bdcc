// Batches input by input: the same answer as on the whole batch, whoever takes which input.
#include "engine/tensors/one_by_one.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>

#include "devices/cpu/isa.hpp"
#include "plan/tile_shape.hpp"
#include "support/mixed_network.hpp"

namespace lacuna {
namespace {

using engine::tensors::count_one_by_one;
using test::TensorNetwork;
using testing::HasSubstr;

/// Two convolutions with a skip connection, pooling, and a fully connected layer.
TensorNetwork classifier(std::uint32_t batch) {
  TensorNetwork net({{batch, 3, 12, 12}}, batch);
  const ValueId first = net.conv(net.network.input, {.outputs = 8, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId second = net.conv(first, {.outputs = 8, .sparsity = 0.8});
  const ValueId sum = net.call("Add", {first, second}, {{batch, 8, 12, 12}});
  const ValueId pooled = net.call("GlobalAveragePool", {sum}, {{batch, 8, 1, 1}});
  const ValueId flat = net.call("Flatten", {pooled}, {{batch, 8}}, {{"axis", std::int64_t{1}}});
  net.conv(flat, {.outputs = 5, .kernel = {}, .pad = 0, .sparsity = 0.3});
  return net;
}

/// A large plane, then small ones whose code is too large to stay in a cache.
TensorNetwork large_code(std::uint32_t batch) {
  TensorNetwork net({{batch, 8, 16, 16}}, batch);
  const ValueId large = net.conv(net.network.input, {.outputs = 32, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId small = net.conv(large, {.outputs = 256, .stride = 2, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId sum = net.conv(small, {.outputs = 640, .sparsity = 0.1});
  const ValueId pooled = net.call("GlobalAveragePool", {sum}, {{batch, 640, 1, 1}});
  net.conv(net.call("Flatten", {pooled}, {{batch, 640}}, {{"axis", std::int64_t{1}}}), {.outputs = 5, .kernel = {}, .pad = 0, .sparsity = 0.3});
  return net;
}

/// The same with a block around the place where the parts meet: a sum over its skip connection, in slabs, is what the first part leaves.
TensorNetwork large_code_after_a_sum(std::uint32_t batch) {
  TensorNetwork net({{batch, 8, 19, 19}}, batch);
  const ValueId large = net.conv(net.network.input, {.outputs = 16, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId inner = net.conv(large, {.outputs = 16, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId small = net.conv(inner, {.outputs = 32, .stride = 2, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId skip = net.conv(large, {.outputs = 336, .kernel = {1, 1}, .stride = 2, .pad = 0, .sparsity = 0.5});
  const ValueId sum = net.conv(small, {.outputs = 336, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5, .activation = Activation::relu()}, skip);
  const ValueId narrow = net.conv(sum, {.outputs = 160, .kernel = {1, 1}, .pad = 0, .sparsity = 0.5, .activation = Activation::relu()});
  const ValueId wide = net.conv(narrow, {.outputs = 960, .sparsity = 0.1});
  const ValueId pooled = net.call("GlobalAveragePool", {wide}, {{batch, 960, 1, 1}});
  net.conv(net.call("Flatten", {pooled}, {{batch, 960}}, {{"axis", std::int64_t{1}}}), {.outputs = 5, .kernel = {}, .pad = 0, .sparsity = 0.3});
  return net;
}

engine::tensors::ChooseOptions with(unsigned threads, plan::KernelWish kernel = plan::KernelWish::automatic) { return {cpu::choose_isa(), threads, kernel}; }

void expect_right(TensorNetwork& net, const CompileOptions& options, bool is_split) {
  const TypedTensor input = net.random_input();
  const Program program = compile(net.network, options);
  if (is_split) {
    EXPECT_THAT(program.explain(), HasSubstr("operators run input by input, each input on one thread"));
  }
  Session session = program.open();
  std::vector<double> seconds;
  const auto outputs = session.run(std::span(&input, 1));
  const Verdict verdict = check_outputs(net.network, std::span(&input, 1), outputs, 1e-5);
  ASSERT_TRUE(verdict.right) << verdict.sentence << " kernel " << options.kernel << " threads " << options.threads;
  EXPECT_EQ(session.run_profiled(std::span(&input, 1), seconds)[0].bytes.span().size(), outputs[0].bytes.span().size());
  ASSERT_EQ(seconds.size(), program.network().operators.size());
  EXPECT_GT(seconds[0], 0) << "layers are timed in both parts";
  EXPECT_GT(seconds.back(), 0);
}

TEST(OneByOne, ThePartEndsWhereInputsMeetOrOneValueIsNotEnough) {
  EXPECT_EQ(count_one_by_one(classifier(4).network, with(2)), 4u);  // Flatten has no image of its own
  Network skipped = classifier(4).network;
  skipped.other_outputs.push_back(skipped.operators[0].output);  // the first layer's output is read to the end
  EXPECT_EQ(count_one_by_one(skipped, with(2)), 1u);
  Network early = classifier(4).network;
  early.operators[4].inputs[0] = early.operators[1].output;  // two values would have to be handed over after the sum
  EXPECT_EQ(count_one_by_one(early, with(2)), 1u);
}

TEST(OneByOne, ALoneConvolutionLeavesNoRest) {
  TensorNetwork net({{4, 3, 12, 12}}, 5);
  net.conv(net.network.input, {.outputs = 8, .sparsity = 0.5});
  EXPECT_EQ(count_one_by_one(net.network, with(2)), 1u);
  const auto [one, rest] = engine::tensors::split_at(net.network, 1);
  EXPECT_NO_THROW(verify(one));
  EXPECT_TRUE(rest.operators.empty());
  EXPECT_EQ(rest.input, rest.output);
  for (const char* tune : {"off", "fast"}) expect_right(net, {.threads = 2, .kernel = "table", .tune = tune}, true);
}

TEST(OneByOne, AValueMayBeHandedOverAndGivenOut) {
  TensorNetwork net = classifier(4);
  net.network.other_outputs.push_back(net.network.operators[0].output);
  expect_right(net, {.threads = 2, .kernel = "table", .tune = "off"}, true);
}

TEST(OneByOne, IsLeftWhereThreadsWouldWaitOrDenseIsAskedFor) {
  EXPECT_EQ(count_one_by_one(classifier(1).network, with(1)), 0u);
  EXPECT_EQ(count_one_by_one(classifier(3).network, with(2)), 0u);
  EXPECT_EQ(count_one_by_one(classifier(3).network, with(1)), 4u);
  EXPECT_EQ(count_one_by_one(classifier(9).network, with(2)), 4u);
  EXPECT_EQ(count_one_by_one(classifier(4).network, with(8)), 0u);
  EXPECT_EQ(count_one_by_one(classifier(4).network, with(2, plan::KernelWish::dense)), 0u);
}

TEST(OneByOne, BothPartsAreNetworks) {
  const Network network = classifier(6).network;
  const auto [one, rest] = engine::tensors::split_at(network, 4);
  EXPECT_NO_THROW(verify(one));
  EXPECT_NO_THROW(verify(rest));
  EXPECT_EQ(one.operators.size(), 4u);
  EXPECT_EQ(rest.operators.size(), network.operators.size() - 4);
  EXPECT_EQ(one.value(one.output).shape.extents, (std::vector<std::uint32_t>{1, 8, 1, 1}));
  EXPECT_EQ(rest.value(rest.input).shape.extents, (std::vector<std::uint32_t>{6, 8, 1, 1}));
}

TEST(OneByOne, GivesTheReferencesAnswerOnEveryInstructionSet) {
  for (cpu::Isa isa : cpu::available_isas())
    for (std::uint32_t batch : {2u, 4u, 9u})
      for (unsigned threads : {1u, 2u}) {
        TensorNetwork net = classifier(batch);
        expect_right(net, {.isa = std::string(cpu::name(isa)), .threads = threads, .kernel = "table", .tune = "off"}, true);
      }
}

TEST(OneByOne, LargeCodeForSmallPlanesServesAFewInputsAtATime) {
  const Network network = large_code(8).network;
  EXPECT_EQ(count_one_by_one(network, with(2)), 4u);
  EXPECT_EQ(engine::tensors::count_before_large_code(engine::tensors::split_at(network, 4).first), 1u) << "the first plane is large";
  EXPECT_EQ(engine::tensors::count_before_large_code(engine::tensors::split_at(classifier(8).network, 4).first), 4u) << "little code stays in the cache";
  const auto [few, rest] = engine::tensors::split_at(network, 4, 2);
  EXPECT_NO_THROW(verify(few));
  EXPECT_EQ(few.value(few.output).shape.extents, (std::vector<std::uint32_t>{2, 640, 1, 1}));
}

TEST(OneByOne, AFewInputsAtATimeGiveTheReferencesAnswer) {
  for (cpu::Isa isa : cpu::available_isas())
    for (unsigned threads : {1u, 2u})
      for (const char* kernel : {"table", "baked"}) {
        if (std::string_view(kernel) == "baked" && plan::tile_shapes(isa).empty()) continue;
        TensorNetwork net = large_code(4);
        const CompileOptions options{.isa = std::string(cpu::name(isa)), .threads = threads, .kernel = kernel, .tune = "off"};
        expect_right(net, options, true);
        EXPECT_THAT(compile(net.network, options).explain(), HasSubstr(threads == 1 ? "the 3 after them on 4 inputs at a time" : "the 3 after them on 2 inputs at a time"));
      }
}

TEST(OneByOne, PartsMeetAtASumWrittenOverItsSkipConnection) {
  for (const char* kernel : {"table", "baked"}) {
    if (std::string_view(kernel) == "baked" && plan::tile_shapes(cpu::choose_isa()).empty()) continue;
    TensorNetwork net = large_code_after_a_sum(4);
    const CompileOptions options{.threads = 1, .kernel = kernel, .tune = "off"};
    EXPECT_THAT(compile(net.network, options).explain(), HasSubstr("the first 5 operators run input by input, each input on one thread; the 3 after them on 4 inputs at a time"));
    expect_right(net, options, true);
  }
}

TEST(OneByOne, InputsThatDoNotPartEvenlyGoOneByOne) {
  TensorNetwork net = large_code(6);
  EXPECT_THAT(compile(net.network, {.threads = 2, .kernel = "table", .tune = "off"}).explain(), HasSubstr("the first 4 operators run input by input, each input on one thread; the others"));
}

TEST(OneByOne, TheMeasuredPlanGivesTheReferencesAnswerAndIsRemembered) {
  TensorNetwork net = classifier(8);
  for (int time = 0; time < 2; ++time) expect_right(net, {.threads = 2, .tune = "fast"}, false);
}

}  // namespace
}  // namespace lacuna
