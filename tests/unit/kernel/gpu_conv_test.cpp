// The templates of convolutions as thread programs, by the strict interpreter: no read beyond a buffer, no register that holds nothing, no barrier that somebody misses.
#include <gtest/gtest.h>

#include "plan/gpus/conv_kernels.hpp"
#include "plan/gpus/places.hpp"
#include "support/random_conv.hpp"
#include "support/thread_interpreter.hpp"

namespace lacuna::tests {
namespace {

using plan::gpus::ConvKernel;
using plan::gpus::ConvKernels;
using plan::gpus::ConvOptions;

void expect_right(const ConvCase& wanted, const ConvOptions& options, unsigned seed) {
  std::mt19937 random(seed);
  const Conv conv = random_conv(wanted, random);
  const Shape in_shape = input_shape(wanted), out_shape = output_shape(wanted);
  std::vector<float> input(in_shape.size());
  for (float& value : input) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const rows::Halo halo = rows::halo_of(conv);
  const rows::Planes in = plan::gpus::padded_planes(in_shape, halo.y, halo.x), out = plan::gpus::padded_planes(out_shape, 0, 1);
  ConvKernels made = plan_conv("conv", conv, in, out, nullptr, options);
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << made.description);
  std::vector<float> source(in.floats), target(out.floats);
  load_planes(input.data(), in, source.data());
  std::vector<ThreadArgument> arguments{std::as_writable_bytes(std::span(source)), std::as_writable_bytes(std::span(target))};
  if (!made.rows.empty()) {
    arguments.emplace_back(std::as_writable_bytes(std::span(made.rows)));
    arguments.emplace_back(std::as_writable_bytes(std::span(made.edges)));
  }
  for (const auto& launch : made.launches) interpret(made.programs[launch.program], launch.blocks_x, launch.blocks_y, arguments);
  const PlainOutput expected = plain_conv(conv, in_shape, out_shape, input, {});
  std::vector<float> got(out_shape.size());
  store_elements(out, target.data(), got.data());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected.values[k], 3e-6 * expected.magnitudes[k] + 1e-6) << "element " << k;
}

TEST(GpuConvTemplates, BakedWithBarriersAndSeveralRowBlocks) {
  expect_right({.batch = 2, .group_channels = 6, .output_channels = 30, .extents = {9, 11}}, {.kernel = ConvKernel::baked, .multiprocessors = 20, .piece = 10}, 1);
  expect_right({.group_channels = 6, .output_channels = 90, .extents = {8, 8}, .density = 0.1}, {.kernel = ConvKernel::baked, .multiprocessors = 1, .piece = 50}, 2);
}
TEST(GpuConvTemplates, BakedRowByRowOverVectors) {
  expect_right({.group_channels = 1, .output_channels = 20, .extents = {28, 28}, .kernel = {5, 5}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.1},
               {.kernel = ConvKernel::baked, .multiprocessors = 1}, 3);
}
TEST(GpuConvTemplates, SourcesFarFromThePixelHaveAnAddressOfTheirOwn) {
  // 2,000 channels of 576 floats are more than an instruction's offset reaches.
  expect_right({.group_channels = 2000, .output_channels = 2, .extents = {22, 23}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.01},
               {.kernel = ConvKernel::baked, .multiprocessors = 1}, 4);
}
TEST(GpuConvTemplates, TablesWithEveryLengthOfTheLastGroup) {
  expect_right({.batch = 2, .output_channels = 16, .extents = {9, 10}, .strides = {2, 1}, .density = 0.2}, {.kernel = ConvKernel::table, .multiprocessors = 4}, 5);
  expect_right({.group_channels = 7, .output_channels = 6, .extents = {8, 8}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}}, {.kernel = ConvKernel::table, .multiprocessors = 1}, 6);
}
TEST(GpuConvTemplates, DotsOfRowsOfAllLengths) {
  expect_right({.batch = 6, .group_channels = 50, .output_channels = 40, .extents = {}, .kernel = {}, .strides = {}, .dilations = {}, .pads_begin = {}, .pads_end = {}}, {.kernel = ConvKernel::dot}, 7);
}

}  // namespace
}  // namespace lacuna::tests
