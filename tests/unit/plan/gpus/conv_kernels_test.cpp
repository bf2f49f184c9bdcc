#include "plan/gpus/conv_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include <lacuna/error.hpp>

#include "kernel/templates/sparse_conv_table.hpp"
#include "plan/gpus/places.hpp"
#include "support/random_conv.hpp"

namespace lacuna::plan::gpus {
namespace {

using tests::ConvCase;

/// Statements of a program that is one straight line but for the choice of its row block: all that its warps issue if every block runs once.
struct Statements {
  std::size_t all = 0, multiply_adds = 0, loads = 0, constant_loads = 0;

  void count(const kernel::Body& body) {
    for (const kernel::Statement& statement : body) {
      ++all;
      if (const auto* compute = std::get_if<kernel::Compute>(&statement.what)) multiply_adds += compute->operation == kernel::Arithmetic::multiply_add && compute->target.type == kernel::Type::f32;
      if (const auto* load = std::get_if<kernel::Load>(&statement.what)) {
        ++loads;
        constant_loads += load->is_constant;
      }
      if (const auto* branch = std::get_if<kernel::If>(&statement.what)) {
        count(branch->then);
        count(branch->otherwise);
      }
    }
  }
};

ConvKernels plan_case(const ConvCase& wanted, const ConvOptions& options, unsigned seed = 1) {
  std::mt19937 random(seed);
  const Conv conv = tests::random_conv(wanted, random);
  const rows::Halo halo = rows::halo_of(conv);
  return plan_conv("conv", conv, padded_planes(tests::input_shape(wanted), halo.y, halo.x), padded_planes(tests::output_shape(wanted), 1, 1), nullptr, options);
}

/// The ten convolutions of Dong et al. 2020, table 2: pixels, input and output channels, window, and whether the window reaches over the border.
struct Published {
  std::uint32_t pixels, inputs, outputs, window;
  bool is_padded;
};
constexpr Published published[] = {{24, 1, 20, 5, false}, {8, 20, 50, 5, false},   {32, 3, 32, 5, true},  {16, 32, 32, 5, true},  {8, 32, 64, 5, true},
                                   {56, 64, 64, 3, true}, {28, 128, 128, 3, true}, {224, 3, 64, 3, true}, {224, 64, 64, 3, true}, {112, 64, 128, 3, true}};

TEST(GpuConvKernels, EightOfTenBakedInstructionsMultiplyAndNoneReadsAnIndex) {
  for (const Published& layer : published) {
    const std::uint32_t pad = layer.is_padded ? layer.window / 2 : 0, extent = layer.is_padded ? layer.pixels : layer.pixels + layer.window - 1;
    const ConvKernels made = plan_case({.batch = 64, .group_channels = layer.inputs, .output_channels = layer.outputs, .extents = {extent, extent}, .kernel = {layer.window, layer.window},
                                        .pads_begin = {pad, pad}, .pads_end = {pad, pad}, .density = 0.1, .activation = Activation::identity()},
                                       {.kernel = ConvKernel::baked, .multiprocessors = 108});
    SCOPED_TRACE(testing::Message() << layer.pixels << " pixels, " << layer.inputs << " to " << layer.outputs << ": " << made.description);
    ASSERT_EQ(made.programs.size(), 1u);
    Statements counted;
    counted.count(made.programs[0].body);
    EXPECT_GE(static_cast<double>(counted.multiply_adds), 0.8 * static_cast<double>(counted.all));
    EXPECT_EQ(counted.constant_loads, 0u);
    EXPECT_TRUE(made.rows.empty());
    EXPECT_TRUE(made.edges.empty());
    EXPECT_LE(made.programs[0].most_registers, 200u);
  }
}

TEST(GpuConvKernels, ATableHasEveryRowOnceWithAllItsEdges) {
  const ConvCase wanted{.output_channels = 9, .density = 0.4};
  std::mt19937 random(1);
  const Conv conv = tests::random_conv(wanted, random);
  const ConvKernels made = plan_case(wanted, {});
  ASSERT_EQ(made.rows.size(), 36u);
  std::vector<bool> seen(9, false);
  std::size_t edges = 0, last = made.rows[1];
  for (std::size_t row = 0; row < 9; ++row) {
    seen[made.rows[row * 4 + 2]] = true;
    edges += made.rows[row * 4 + 1];
    EXPECT_LE(made.rows[row * 4 + 1], last) << "the longest rows come first";
    last = made.rows[row * 4 + 1];
  }
  EXPECT_THAT(seen, testing::Each(true));
  EXPECT_EQ(edges, count_nonzeros(conv));
}

TEST(GpuConvKernels, OneByOneWindowsTakeVectorsFromATable) {
  const ConvCase wanted{.batch = 8, .group_channels = 64, .output_channels = 64, .extents = {16, 16}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
  EXPECT_THAT(plan_case(wanted, {.multiprocessors = 4}).description, testing::HasSubstr("by vectors"));
}

TEST(GpuConvKernels, RowsOfABlockShareTheirPixelsWhereWarpsAreLeft) {
  const ConvCase wanted{.batch = 16, .group_channels = 8, .output_channels = 64, .extents = {28, 28}};
  EXPECT_THAT(plan_case(wanted, {.multiprocessors = 1}).description, testing::HasSubstr("64 rows a block, 7x1 pixels"));
  EXPECT_THAT(plan_case(wanted, {.multiprocessors = 1000}).description, testing::HasSubstr("2 rows a block, 2x1 pixels"));
}

TEST(GpuConvKernels, FewPixelsGetSmallTilesSoThatEveryMultiprocessorHasWork) {
  const ConvCase wanted{.group_channels = 64, .output_channels = 64, .extents = {14, 14}, .density = 0.1};
  const auto blocks = [&](unsigned multiprocessors) {
    const ConvKernels made = plan_case(wanted, {.kernel = ConvKernel::baked, .multiprocessors = multiprocessors});
    return made.launches[0].blocks_x * made.launches[0].blocks_y;
  };
  EXPECT_GT(blocks(108), 4 * blocks(1));
}

TEST(GpuConvKernels, KernelsForOpenClStayShort) {
  const ConvCase wanted{.group_channels = 16, .output_channels = 32, .extents = {14, 14}, .density = 0.5};
  const ConvKernels made = plan_case(wanted, {.kernel = ConvKernel::baked, .kernel_multiply_adds = 400, .piece = 0});
  EXPECT_GT(made.programs.size(), 4u);
  for (const auto& program : made.programs) {
    Statements counted;
    counted.count(program.body);
    EXPECT_LE(counted.multiply_adds, 480u);  // blocks differ a little from those that were looked at
  }
}

TEST(GpuConvKernels, TooManyOutputChannelsAreRefused) {
  Conv conv;
  conv.output_channels = 70000;
  conv.group_channels = 1;
  conv.kernel = conv.strides = conv.dilations = {1, 1};
  conv.pads_begin = conv.pads_end = {0, 0};
  conv.weights = std::vector<float>(70000, 1.0f);
  try {
    plan_conv("conv", conv, padded_planes({{1, 1, 2, 2}}, 0, 0), padded_planes({{1, 70000, 2, 2}}, 0, 0), nullptr, {});
    FAIL() << "nothing was thrown";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "a convolution with 70000 output channels on a GPU; 65535 are the most");
  }
}

TEST(GpuPlaces, LinesBeginOnVectorsAndTheHaloHasRoom) {
  for (const std::uint32_t width : {1u, 7u, 8u, 33u})
    for (const std::uint32_t halo : {0u, 1u, 3u}) {
      const rows::Planes planes = padded_planes({{2, 3, 5, width}}, halo, halo);
      for (const std::size_t stride : {planes.row, planes.channel, planes.image, planes.origin}) EXPECT_EQ(stride % 4, 0u);
      EXPECT_GE(planes.row, width + halo);
      EXPECT_GE(planes.origin, halo * planes.row + halo);
      EXPECT_GE(planes.floats, planes.at(1, 2, 4, width - 1) + halo * planes.row + halo + 1);
      EXPECT_FALSE(is_plain(planes));
    }
  EXPECT_TRUE(is_plain(plain_planes({{2, 3, 5, 7}})));
}

TEST(GpuPlaces, ValuesBeyondThirtyTwoBitsAreRefused) {
  rows::Planes planes = plain_planes({{1, 1, 1, 1}});
  planes.floats = std::size_t{1} << 33;
  try {
    view_of(planes);
    FAIL() << "nothing was thrown";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "a value of 8589934592 floats on a GPU; 2^32 are the most: use a smaller batch");
  }
  EXPECT_THROW(plain_planes({{1, 2, 3, 4, 5}}), Unsupported);
}

}  // namespace
}  // namespace lacuna::plan::gpus
