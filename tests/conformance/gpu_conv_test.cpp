// Convolutions on GPUs, every kernel on every device, against plain loops in double.
#include <gtest/gtest.h>

#include "plan/gpus/conv_kernels.hpp"
#include "plan/gpus/kernel_text.hpp"
#include "plan/gpus/places.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_conv.hpp"

namespace lacuna::tests {
namespace {

using plan::gpus::ConvKernel;
using plan::gpus::ConvKernels;
using rows::Planes;

class GpuConvConformance : public GpuTest {
 protected:
  gpu::Device& device() {
    if (opened_ == nullptr) opened_ = gpu::open_devices(GetParam()).front();
    return *opened_;
  }

  gpu::BufferPointer upload(std::span<const std::byte> bytes) {
    const gpu::BufferPointer buffer = device().allocate(std::max<std::size_t>(bytes.size(), 4));
    device().write(buffer, 0, bytes);
    return buffer;
  }

  std::vector<float> run(const ConvKernels& made, const Planes& in, const std::vector<float>& input, const Planes& out, const Planes* skip_planes, const std::vector<float>& skip) {
    std::vector<float> in_memory(in.floats), skip_memory(skip_planes == nullptr ? 1 : skip_planes->floats), out_memory(out.floats, 777.0f);
    load_planes(input.data(), in, in_memory.data());
    if (skip_planes != nullptr) load_planes(skip.data(), *skip_planes, skip_memory.data());
    const auto source = upload(std::as_bytes(std::span(in_memory))), target = upload(std::as_bytes(std::span(out_memory)));
    std::vector<gpu::Argument> arguments{source};
    if (skip_planes != nullptr) arguments.emplace_back(upload(std::as_bytes(std::span(skip_memory))));
    arguments.emplace_back(target);
    if (!made.rows.empty()) {
      arguments.emplace_back(upload(std::as_bytes(std::span(made.rows))));
      arguments.emplace_back(upload(std::as_bytes(std::span(made.edges))));
    }
    const auto kernels = plan::gpus::load_kernels(made.programs, device());
    for (const ConvKernels::Launch& launch : made.launches) device().launch({kernels[launch.program], launch.blocks_x, launch.blocks_y, arguments});
    device().read(target, 0, std::as_writable_bytes(std::span(out_memory)));
    std::vector<float> got(std::size_t{out.batch} * out.channels * out.height * out.width);
    store_elements(out, out_memory.data(), got.data());
    // What is no pixel was not written.
    zero_halo(out, out_memory.data());
    EXPECT_EQ(std::count(out_memory.begin(), out_memory.end(), 777.0f), 0);
    return got;
  }

  void expect_agrees(const ConvCase& wanted, unsigned seed) {
    std::mt19937 random(seed);
    const Conv conv = random_conv(wanted, random);
    const Shape in_shape = input_shape(wanted), out_shape = output_shape(wanted);
    const std::vector<float> input = random_floats(in_shape.size(), random);
    const std::vector<float> skip = wanted.skip ? random_floats(out_shape.size(), random) : std::vector<float>();
    const PlainOutput expected = plain_conv(conv, in_shape, out_shape, input, skip);
    const rows::Halo halo = rows::halo_of(conv);
    const Planes in = plan::gpus::padded_planes(in_shape, halo.y, halo.x), out = plan::gpus::padded_planes(out_shape, 1, 1), skip_planes = plan::gpus::padded_planes(out_shape, 0, 2);
    std::vector<float> first_bits;
    std::vector<ConvKernel> kernels{ConvKernel::table, ConvKernel::baked};
    if (out.height * out.width <= 16) kernels.push_back(ConvKernel::dot);
    for (const ConvKernel kernel : kernels)
      for (const unsigned multiprocessors : {1u, 100u}) {  // many want small tiles, one large ones
        const bool is_opencl = device().language() == gpu::Language::opencl;
        const bool is_quick_to_compile = kernel == ConvKernel::table || !is_opencl;
        if ((kernel == ConvKernel::dot || !is_quick_to_compile) && multiprocessors > 1) continue;
        const ConvKernels made = plan::gpus::plan_conv("conv", conv, in, out, wanted.skip ? &skip_planes : nullptr,
                                           {.kernel = kernel, .multiprocessors = multiprocessors, .kernel_multiply_adds = is_opencl ? 256u : 0u, .piece = is_opencl ? 0u : 16u});
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << made.description);
        const std::vector<float> got = run(made, in, input, out, wanted.skip ? &skip_planes : nullptr, skip);
        for (std::size_t k = 0; k < got.size(); ++k) {
          const double slope = std::max(1.0, double{std::abs(wanted.activation.first)});
          ASSERT_NEAR(got[k], expected.values[k], slope * 1.2 * (expected.magnitudes[k] * 6e-8 * 40 + 1e-6)) << "element " << k;
        }
        if (kernel == ConvKernel::dot) continue;
        if (first_bits.empty()) first_bits = got;
        ASSERT_EQ(got, first_bits) << "other bits than the first kernel's";
      }
  }

  gpu::DevicePointer opened_;
};

TEST_P(GpuConvConformance, AwkwardSizes) {
  unsigned seed = 100;
  for (const std::uint32_t width : {1u, 7u, 31u, 32u, 33u})
    for (const std::uint32_t height : {1u, 14u}) expect_agrees({.extents = {height, width}}, ++seed);
}
TEST_P(GpuConvConformance, WidthsThatTakeVectors) {
  expect_agrees({.group_channels = 3, .output_channels = 9, .extents = {24, 24}, .kernel = {5, 5}, .pads_begin = {2, 2}, .pads_end = {2, 2}, .density = 0.1}, 200);
  expect_agrees({.batch = 3, .group_channels = 8, .output_channels = 16, .extents = {8, 8}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}}, 201);
  expect_agrees({.group_channels = 5, .output_channels = 70, .extents = {6, 8}, .skip = true}, 202);
}
TEST_P(GpuConvConformance, Strides) {
  expect_agrees({.extents = {14, 14}, .strides = {2, 2}}, 300);
  expect_agrees({.batch = 3, .extents = {15, 17}, .strides = {2, 3}}, 301);
  expect_agrees({.extents = {16, 16}, .kernel = {1, 1}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}}, 302);
  expect_agrees({.group_channels = 3, .extents = {32, 32}, .kernel = {7, 7}, .strides = {2, 2}, .pads_begin = {3, 3}, .pads_end = {3, 3}}, 303);
  expect_agrees({.group_channels = 3, .extents = {32, 32}, .kernel = {16, 16}, .strides = {16, 16}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.05}, 304);
}
TEST_P(GpuConvConformance, PadsAndDilations) {
  expect_agrees({.extents = {9, 8}, .pads_begin = {0, 2}, .pads_end = {3, 0}}, 400);
  expect_agrees({.extents = {12, 12}, .dilations = {2, 3}, .pads_begin = {2, 3}, .pads_end = {2, 3}}, 401);
  expect_agrees({.extents = {13, 9}, .kernel = {2, 4}, .strides = {1, 2}, .dilations = {3, 1}, .pads_begin = {1, 1}, .pads_end = {0, 2}}, 402);
}
TEST_P(GpuConvConformance, GroupsAndDepthwise) {
  expect_agrees({.group_channels = 3, .output_channels = 8, .groups = 4, .density = 0.6}, 500);
  expect_agrees({.batch = 3, .group_channels = 1, .output_channels = 33, .groups = 33, .extents = {7, 8}, .density = 1.0}, 501);
}
TEST_P(GpuConvConformance, OneAxisAndNone) {
  expect_agrees({.extents = {33}, .kernel = {5}, .strides = {2}, .dilations = {1}, .pads_begin = {2}, .pads_end = {2}}, 600);
  for (const std::uint32_t batch : {1u, 3u, 33u})
    expect_agrees({.batch = batch, .group_channels = 40, .output_channels = 37, .extents = {}, .kernel = {}, .strides = {}, .dilations = {}, .pads_begin = {}, .pads_end = {}, .skip = batch == 3}, 601 + batch);
}
TEST_P(GpuConvConformance, FewOutputPixels) {
  expect_agrees({.batch = 5, .group_channels = 9, .output_channels = 40, .extents = {4, 3}, .strides = {2, 1}, .skip = true}, 649);
  expect_agrees({.batch = 2, .group_channels = 5, .output_channels = 33, .extents = {7, 7}, .kernel = {7, 7}, .pads_begin = {0, 0}, .pads_end = {0, 0}}, 650);
  expect_agrees({.batch = 5, .group_channels = 5, .output_channels = 3, .extents = {1, 1}, .density = 0.5}, 651);
}
TEST_P(GpuConvConformance, BatchesAndSkips) {
  for (const std::uint32_t batch : {1u, 3u, 32u}) expect_agrees({.batch = batch, .extents = {7, 7}, .skip = true}, 700 + batch);
}
TEST_P(GpuConvConformance, ActivationsOfEveryKind) {
  for (const Activation& activation : {Activation::identity(), Activation::clip(-0.5f, 0.25f), Activation::leaky_relu(0.1f), Activation::sigmoid(), Activation::tanh(),
                                       Activation::hard_sigmoid(0.2f, 0.5f), Activation::hard_swish(), Activation::swish()})
    expect_agrees({.extents = {5, 4}, .activation = activation, .skip = true}, 800);
}
TEST_P(GpuConvConformance, RowsWithoutWeights) {
  expect_agrees({.output_channels = 40, .density = 0.01}, 900);
  expect_agrees({.density = 0}, 901);
  expect_agrees({.output_channels = 3, .extents = {1, 1}, .density = 0}, 902);
}

INSTANTIATE_TEST_SUITE_P(Gpus, GpuConvConformance, testing::ValuesIn(gpu_devices()), gpu_device_name);

}  // namespace
}  // namespace lacuna::tests
