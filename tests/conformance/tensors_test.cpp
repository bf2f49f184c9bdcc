// Networks of tensors against the reference: every kernel forced in turn, every instruction set this machine runs, one and two threads.
#include <gtest/gtest.h>

#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>
#include <lacuna/devices.hpp>
#include <lacuna/error.hpp>

#include "devices/cpu/isa.hpp"
#include "support/mixed_network.hpp"

namespace lacuna {
namespace {

using test::ConvSpec;
using test::mixed_network;
using test::TensorNetwork;

void expect_right(TensorNetwork& net, const CompileOptions& options) {
  const TypedTensor input = net.random_input();
  Session session = compile(net.network, options).open();
  for (int run = 0; run < 2; ++run) {  // the second on used memory
    const auto outputs = session.run(std::span(&input, 1));
    const Verdict verdict = check_outputs(net.network, std::span(&input, 1), outputs, 1e-5);
    ASSERT_TRUE(verdict.right) << verdict.sentence << " kernel " << options.kernel << " isa " << options.isa << " threads " << options.threads;
  }
}

TEST(Tensors, EveryKernelOnEveryInstructionSetGivesTheReferencesAnswer) {
  for (cpu::Isa isa : cpu::available_isas())
    for (const char* kernel : {"dense", "table", "baked"}) {
      if (std::string_view(kernel) == "baked" && isa < cpu::Isa::avx2) continue;  // no such code
      for (std::uint32_t batch : {1u, 3u})
        for (unsigned threads : {1u, 2u}) {
          TensorNetwork net = mixed_network(batch, 7 * batch + threads);
          expect_right(net, {.isa = std::string(cpu::name(isa)), .threads = threads, .kernel = kernel, .tune = "off"});
        }
    }
}

TEST(Tensors, TheMeasuredPlanGivesTheReferencesAnswer) {
  TensorNetwork net = mixed_network(2, 5);
  expect_right(net, {.threads = 2, .tune = "fast"});
}

/// Bottlenecks large enough for slabs, one with a stride; the sums are written over what was added.
TensorNetwork bottlenecks(std::uint32_t batch) {
  TensorNetwork net({{batch, 12, 15, 14}}, batch);
  const auto one_tap = [](std::uint32_t outputs, std::uint32_t stride = 1) {
    return ConvSpec{.outputs = outputs, .kernel = {1, 1}, .stride = stride, .pad = 0, .sparsity = 0.8, .activation = Activation::relu()};
  };
  const auto nine_taps = [](std::uint32_t outputs, std::uint32_t stride = 1) { return ConvSpec{.outputs = outputs, .stride = stride, .sparsity = 0.8, .activation = Activation::relu()}; };
  const ValueId wide = net.conv(net.network.input, one_tap(170)), sum = net.conv(net.conv(net.conv(wide, one_tap(40)), nine_taps(160)), one_tap(170), wide);
  const ValueId side = net.conv(sum, one_tap(180, 2)), strided = net.conv(net.conv(sum, one_tap(160)), nine_taps(30, 2));
  net.conv(net.conv(strided, one_tap(180), side), one_tap(9));
  return net;
}

TEST(Tensors, BottlenecksInSlabsGiveTheReferencesAnswer) {
  for (cpu::Isa isa : cpu::available_isas())
    for (const char* kernel : {"dense", "table", "baked"}) {
      if (std::string_view(kernel) == "baked" && isa < cpu::Isa::avx2) continue;
      for (unsigned threads : {1u, 3u}) {
        TensorNetwork net = bottlenecks(threads);
        expect_right(net, {.isa = std::string(cpu::name(isa)), .threads = threads, .kernel = kernel, .tune = "off"});
      }
    }
  TensorNetwork net = bottlenecks(1);
  expect_right(net, {.threads = 2, .tune = "fast"});
}

TEST(Tensors, NoOptimisationIsNeededForTheAnswer) {
  TensorNetwork net = mixed_network(1, 9);
  expect_right(net, {.threads = 1, .optimise = "none", .kernel = "table", .tune = "off"});
}

TEST(Tensors, ABatchOfSixteenFillsLanes) {
  TensorNetwork net = mixed_network(16, 11);
  expect_right(net, {.threads = 5, .kernel = "table", .tune = "off"});  // not input by input: one of five threads would wait
}

TEST(Tensors, OutputsOfEarlierRunsStayAsTheyAre) {
  TensorNetwork net = mixed_network(1, 4);
  Session session = compile(net.network, {.threads = 1, .kernel = "table", .tune = "off"}).open();
  const TypedTensor one = net.random_input(), other = net.random_input();
  const auto kept = session.run(std::span(&one, 1));
  const void* const dropped = session.run(std::span(&other, 1))[0].bytes.data();
  const auto last = session.run(std::span(&other, 1));
  EXPECT_EQ(last[0].bytes.data(), dropped) << "memory nobody has is used again";
  EXPECT_TRUE(check_outputs(net.network, std::span(&one, 1), kept, 1e-5).right);
  EXPECT_TRUE(check_outputs(net.network, std::span(&other, 1), last, 1e-5).right);
}

TEST(Tensors, InputsMayStandAnywhereInMemory) {
  for (const char* kernel : {"dense", "table", "auto"})
    for (std::uint32_t batch : {1u, 4u}) {
      TensorNetwork net = mixed_network(batch, 6);
      const TypedTensor aligned = net.random_input();
      const auto memory = std::make_shared<std::vector<std::byte>>(sizeof(float) + aligned.bytes.size());  // nothing after the last element
      std::copy(aligned.bytes.begin(), aligned.bytes.end(), memory->begin() + sizeof(float));
      const TypedTensor input{aligned.type, aligned.shape, {std::span<const std::byte>(memory->data() + sizeof(float), aligned.bytes.size()), memory}};
      Session session = compile(net.network, {.threads = 2, .kernel = kernel, .tune = "off"}).open();
      EXPECT_TRUE(check_outputs(net.network, std::span(&input, 1), session.run(std::span(&input, 1)), 1e-5).right) << kernel;
    }
}

TEST(Tensors, AnInputMayBeAnOutput) {
  TensorNetwork net({{2, 3, 6, 6}}, 3);
  net.conv(net.network.input, {.outputs = 4, .sparsity = 0.5});
  net.network.other_outputs.push_back(net.network.input);
  expect_right(net, {.threads = 1, .kernel = "table", .tune = "off"});
}

TEST(Tensors, OneDimensionalConvolutions) {
  TensorNetwork net({{2, 5, 40}}, 3);
  const ValueId first = net.conv(net.network.input, {.outputs = 6, .kernel = {5}, .pad = 2, .sparsity = 0.8, .activation = Activation::relu()});
  const ValueId second = net.conv(first, {.outputs = 7, .kernel = {3}, .stride = 2, .pad = 1, .sparsity = 0.8, .activation = Activation::sigmoid()});
  net.call("GlobalMaxPool", {second}, {{2, 7, 1}});
  for (const char* kernel : {"dense", "table"}) expect_right(net, {.threads = 2, .kernel = kernel, .tune = "off"});
}

TEST(Tensors, PoolingOnPlanesTakesWindowsThatHangOverTheEdge) {
  struct Window {
    std::int64_t kernel, stride, pad;
  };
  for (const Window& window : {Window{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {2, 3, 0}, {5, 3, 2}, {7, 1, 3}, {9, 2, 4}})
    for (const std::uint32_t width : {9u, 18u, 37u})
      for (const char* pool : {"MaxPool", "AveragePool"}) {
        TensorNetwork net({{2, 3, 11, width}}, 3);
        const ValueId first = net.conv(net.network.input, {.outputs = 5, .sparsity = 0.8});
        const auto extent = [&](std::int64_t of) { return static_cast<std::uint32_t>((of + 2 * window.pad - window.kernel) / window.stride + 1); };
        const ValueId pooled = net.call(pool, {first}, {{2, 5, extent(11), extent(width)}},
                                        {{"kernel_shape", std::vector<std::int64_t>(2, window.kernel)}, {"pads", std::vector<std::int64_t>(4, window.pad)}, {"strides", std::vector<std::int64_t>(2, window.stride)}});
        net.conv(pooled, {.outputs = 4, .sparsity = 0.8});
        const CompileOptions options{.threads = 2, .kernel = "table", .tune = "off"};
        EXPECT_NE(compile(net.network, options).explain().find("on planes"), std::string::npos);
        expect_right(net, options);
      }
}

TEST(Tensors, AConvolutionMayReadAConstant) {
  TensorNetwork net({{1, 4, 6, 6}}, 3);
  std::vector<float> values(4 * 6 * 6);
  for (float& value : values) value = net.number();
  const ValueId made = net.conv(net.constant({{1, 4, 6, 6}}, values), {.outputs = 4, .sparsity = 0.8});
  net.conv(net.network.input, {.outputs = 4, .sparsity = 0.8}, made);
  for (const char* kernel : {"dense", "table"}) expect_right(net, {.threads = 1, .kernel = kernel, .tune = "off"});
}

TEST(Tensors, BuffersShareMemory) {
  TensorNetwork net({{1, 8, 16, 16}}, 3);
  ValueId value = net.network.input;
  for (int layer = 0; layer < 10; ++layer) value = net.conv(value, {.outputs = 8, .sparsity = 0.8});
  const Program program = compile(net.network, {.threads = 1, .kernel = "table", .tune = "off"});
  EXPECT_LT(program.arena_bytes(), 4 * 8 * 18 * 18 * sizeof(float) * 2) << "ten layers need two or three buffers, not eleven";
  EXPECT_LE(program.least_arena_bytes(), program.arena_bytes());
  EXPECT_LE(program.arena_bytes(), program.least_arena_bytes() * 5 / 4);
}

TEST(Tensors, ThreeSpatialAxesRunDense) {
  TensorNetwork net({{1, 2, 5, 6, 7}}, 3);
  net.conv(net.network.input, {.outputs = 4, .kernel = {3, 3, 3}, .sparsity = 0.8, .activation = Activation::relu()});
  expect_right(net, {.threads = 1, .tune = "off"});
}

template <typename Kind, typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.what();
  }
  return "no such error";
}

TEST(Tensors, WhatOnlyLayeredNetworksHaveIsRefused) {
  TensorNetwork net = mixed_network(1, 1);
  const Program program = compile(net.network, {.threads = 1, .tune = "off"});
  EXPECT_EQ(message_of<Unsupported>([&] { program.print_rows(true); }), "the rows of a network of tensors cannot be printed yet; its plan can, with reasons (--explain)");
  EXPECT_THROW(program.print_kernels(), Unsupported);
  EXPECT_THROW(program.print_code(), Unsupported);
  Session session = program.open();
  EXPECT_EQ(message_of<Unsupported>([&] { session.run(SparseMatrix{}); }), "a network of tensors takes dense inputs; give it a Tensor or TypedTensors");
  EXPECT_EQ(message_of<InputError>([&] { compile(net.network, {.threads = 1, .tune = "quick"}); }), "no tuning is called \"quick\"; give off, fast or full");
}

TEST(Tensors, WhatOnlyTheyHaveIsRefusedElsewhere) {
  const Network layered = parse("lacuna network 1\ninput x 1\ny = linear x 1 relu {\n  0: 0*1\n}\noutput y\n");
  EXPECT_EQ(message_of<Unsupported>([&] { compile(layered, {.kernel = "dense"}); }), "a layered network has no dense kernel; ask for auto, table or baked");
  Session session = compile(layered, {.threads = 1, .kernel = "table"}).open();
  std::vector<double> seconds;
  EXPECT_EQ(message_of<Unsupported>([&] { session.run(std::vector<TypedTensor>{}); }), "a layered network takes one Tensor, SparseMatrix or BitMatrix");
  EXPECT_EQ(message_of<Unsupported>([&] { session.run_profiled({}, seconds); }), "only networks of tensors are profiled operator by operator");
}

TEST(Tensors, WrongInputsAreToldApart) {
  TensorNetwork net = mixed_network(1, 1);
  Session session = compile(net.network, {.threads = 1, .tune = "off"}).open();
  const auto message = [&](const std::vector<TypedTensor>& inputs) -> std::string {
    try {
      session.run(inputs);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({}), "0 inputs given; the network has 1");
  EXPECT_EQ(message({make_tensor<float>({1, 3, 17, 18}, std::vector<float>(1 * 3 * 17 * 18))}), "input x has the shape 1x3x17x18; the network was compiled for 1x3x17x19");
  EXPECT_EQ(message({make_tensor<double>({1, 3, 17, 19}, std::vector<double>(1 * 3 * 17 * 19))}), "input x holds f64; the network takes f32 there");
}

}  // namespace
}  // namespace lacuna
