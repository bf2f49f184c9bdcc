#include "rows/conv_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "support/random_conv.hpp"

namespace lacuna::rows {
namespace {

using tests::ConvCase;

TEST(ConvRows, ASourceIsAnOffsetFromThePixel) {
  Conv conv;
  conv.output_channels = 2;
  conv.group_channels = 2;
  conv.kernel = {1, 3};
  conv.strides = conv.dilations = {1, 1};
  conv.pads_begin = conv.pads_end = {0, 1};
  conv.weights = std::vector<float>{1, 0, 2, 0, 0, 0, /**/ 0, 0, 0, 0, 3, 0};
  const Planes planes = planes_for({{1, 2, 4, 5}}, 0, 1);
  const ConvRows rows = lower_conv(conv, planes, planes);
  EXPECT_EQ(rows.source, planes);
  EXPECT_TRUE(rows.phases.empty());
  EXPECT_EQ(rows.row_begin, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(rows.nonzeros[0].offset, -1);
  EXPECT_EQ(rows.nonzeros[1].offset, 1);
  EXPECT_EQ(rows.nonzeros[2].offset, static_cast<std::int32_t>(planes.channel));
  EXPECT_EQ(rows.nonzeros[2].weight, 3);
}

TEST(ConvRows, AStrideReadsOnlyThePhasesThatHaveWeights) {
  const ConvCase wanted{.extents = {8, 8}, .kernel = {1, 1}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 1};
  std::mt19937 random(1);
  const ConvRows rows = lower_conv(tests::random_conv(wanted, random), planes_for(input_shape(wanted), 0, 0), planes_for(output_shape(wanted), 1, 1));
  EXPECT_EQ(rows.phases.size(), 1u);
  EXPECT_EQ(rows.source.row, 5u);  // the output's: 4 pixels and the column of zeros
}

TEST(ConvRows, AStrideCanBeReadInPlace) {
  const ConvCase wanted{.extents = {8, 8}, .strides = {2, 3}, .density = 1};
  std::mt19937 random(1);
  const Planes in = planes_for(input_shape(wanted), 1, 1);
  const ConvRows rows = lower_conv(tests::random_conv(wanted, random), in, planes_for(output_shape(wanted), 1, 1), Strides::in_place);
  EXPECT_TRUE(rows.phases.empty());
  EXPECT_EQ(rows.source, in);
  EXPECT_EQ(rows.step_y, 2u);
  EXPECT_EQ(rows.step_x, 3u);
  EXPECT_EQ(rows.nonzeros[0].offset, -static_cast<std::int32_t>(in.row) - 1);  // up and left of the pixel
}

TEST(ConvRows, PackedLinesStandAsTheyDoInPlanesAndChannelsNearEachOther) {
  const ConvCase wanted{.group_channels = 2, .output_channels = 1, .extents = {40, 29}, .density = 1};
  std::mt19937 random(1);
  const Planes in = planes_for(input_shape(wanted), 1, 1), out = planes_for(output_shape(wanted), 1, 1);
  const ConvRows rows = lower_conv(tests::random_conv(wanted, random), in, out, Strides::packed, 6);
  EXPECT_TRUE(rows.is_packed);
  EXPECT_EQ(rows.lines, 42u);
  EXPECT_EQ(rows.source.row, in.row);
  EXPECT_EQ(rows.source.height, 7u) << "an excerpt may begin some lanes before its first line";
  EXPECT_EQ(rows.source.channel / 16 % 2, 1u);
  EXPECT_EQ(rows.nonzeros[0].offset, 0) << "the excerpt begins with the padding";
  EXPECT_EQ(rows.nonzeros[5].offset, static_cast<std::int32_t>(in.row) + 2);
  std::vector<float> input(in.floats, 0.0f), source(rows.source.floats, 7.0f);
  for (std::size_t y = 0; y < 40; ++y) input[in.at(0, 1, y, 28)] = 100.0f + static_cast<float>(y);
  const std::size_t first_lane = 10 * in.row / 16 * 16;
  take_apart(rows, in, input.data(), {0, 10, 14, first_lane}, source.data(), nullptr);
  const std::size_t at = rows.source.channel + 10 * in.row - first_lane;
  EXPECT_EQ(source[at + 29], 109.0f) << "line 10 of the padded input is line 9 of the input";
  EXPECT_EQ(source[at + 3 * in.row + 29], 112.0f);
  EXPECT_EQ(source[at + 4 * in.row], 0.0f) << "what pixels read beyond the last line";
  EXPECT_FALSE(lower_conv(tests::random_conv({.extents = {9, 9}, .strides = {1, 2}}, random), planes_for({{1, 4, 9, 9}}, 1, 1), planes_for({{1, 5, 9, 5}}, 1, 1), Strides::packed).is_packed);
}

TEST(ConvRows, StepsOfTwoKeepTheOrderOfTheSums) {
  const ConvCase wanted{.extents = {8, 8}, .strides = {2, 2}, .density = 0.7};
  std::mt19937 random(1);
  const Conv conv = tests::random_conv(wanted, random);
  const Planes in = planes_for(input_shape(wanted), 1, 1), out = planes_for(output_shape(wanted), 1, 1);
  ASSERT_TRUE(can_be_in_steps(conv, in, out));
  const ConvRows apart = lower_conv(conv, in, out), steps = lower_conv(conv, in, out, Strides::in_steps);
  EXPECT_EQ(steps.source, in);
  EXPECT_EQ(steps.lane_step, 2u);
  EXPECT_EQ(apart.lane_step, 1u);
  ASSERT_EQ(steps.row_begin, apart.row_begin);
  for (std::size_t e = 0; e < apart.nonzeros.size(); ++e) EXPECT_EQ(steps.nonzeros[e].weight, apart.nonzeros[e].weight) << e;
}

TEST(ConvRows, OtherStepsAndHalosTooSmallAreTakenApart) {
  std::mt19937 random(1);
  const auto lowered = [&](const ConvCase& wanted, std::uint32_t halo, Lanes lanes = Lanes::pixels) {
    const Conv conv = tests::random_conv(wanted, random);
    return lower_conv(conv, planes_for(input_shape(wanted), halo, halo, lanes), planes_for(output_shape(wanted), 1, 1, lanes), Strides::in_steps);
  };
  EXPECT_EQ(lowered({.extents = {8, 8}, .strides = {2, 3}}, 1).lane_step, 1u);
  EXPECT_EQ(lowered({.extents = {8, 8}, .strides = {2, 1}}, 1).lane_step, 1u);
  EXPECT_EQ(lowered({.extents = {8, 8}, .strides = {2, 2}}, 0).lane_step, 1u);
  EXPECT_EQ(lowered({.batch = 3, .extents = {8, 8}, .strides = {2, 2}}, 1, Lanes::batch).lane_step, 1u);
  EXPECT_EQ(lowered({.extents = {8, 8}, .strides = {1, 2}}, 1).lane_step, 2u);
}

TEST(ConvRows, RowsBeyondAreThoseThatWindowsReach) {
  const auto beyond = [](Window window, std::uint32_t in, std::uint32_t out) {
    const RowsBeyond rows = rows_beyond(window, in, out);
    return std::pair(rows.above, rows.below);
  };
  EXPECT_EQ(beyond({}, 7, 7), std::pair(0u, 0u));
  EXPECT_EQ(beyond({.kernel_y = 3, .pad_y = 1}, 7, 7), std::pair(1u, 1u));
  EXPECT_EQ(beyond({.kernel_y = 3, .stride_y = 2, .pad_y = 1}, 14, 7), std::pair(1u, 0u)) << "the last window ends with the last row";
  EXPECT_EQ(beyond({.kernel_y = 3, .dilation_y = 2, .pad_y = 2}, 8, 8), std::pair(2u, 2u));
  EXPECT_EQ(beyond({.kernel_y = 5, .pad_y = 1}, 8, 8), std::pair(1u, 3u)) << "what pads less above reaches further below";
}

TEST(ConvRows, PlanesThatDoNotFitAreNamed) {
  const ConvCase wanted;
  std::mt19937 random(1);
  const Conv conv = tests::random_conv(wanted, random);
  const Planes in = planes_for(input_shape(wanted), 1, 1);
  try {
    lower_conv(conv, in, planes_for({{1, 5, 6, 8}}, 0, 0));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a convolution gives 1x5x6x7, not 1x5x6x8: give it planes of that shape");
  }
  EXPECT_THROW(lower_conv(conv, planes_for({{1, 3, 6, 7}}, 1, 1), planes_for(output_shape(wanted), 0, 0)), InputError);
}

TEST(ClusterRows, RowsWithTheSameSourcesStandTogether) {
  ConvRows rows;
  rows.row_begin = {0};
  for (std::int32_t row = 0; row < 8; ++row) {  // even rows read 0..3, odd ones 10..13
    for (std::int32_t k = 0; k < 4; ++k) rows.nonzeros.push_back({row % 2 * 10 + k, 1});
    rows.row_begin.push_back(rows.nonzeros.size());
    rows.bias.push_back(0);
  }
  const std::vector<std::uint32_t> order = cluster_rows(rows, 4);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(order[k] % 2, order[k / 4 * 4] % 2);
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace lacuna::rows
