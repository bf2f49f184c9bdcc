// Sparse convolutions whose input, output or skip connection stands in slabs: the same bits as on planes.
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/sparse_conv.hpp"
#include "plan/tile_shape.hpp"
#include "support/all_isas.hpp"
#include "support/random_conv.hpp"

namespace lacuna::tests {
namespace {

using plan::ConvKernelChoice;
using plan::ConvKernelKind;
using rows::Planes;

constexpr std::uint32_t halo = 1;

Planes place(const Shape& shape, bool in_slabs, rows::Lanes lanes = rows::Lanes::pixels, std::size_t slab = rows::wide_slab) {
  return in_slabs ? rows::slabs_for(shape, halo, lanes, slab) : rows::planes_for(shape, halo, halo, lanes);
}

/// Elements on planes or in slabs; what is between them is no number, in slabs.
base::AlignedFloats loaded(const std::vector<float>& elements, const Planes& planes) {
  base::AlignedFloats memory(planes.floats);
  std::fill_n(memory.data(), planes.floats, std::numeric_limits<float>::quiet_NaN());
  load_planes(elements.data(), planes, memory.data());
  return memory;
}

struct Where {
  bool in, out, skip;
  rows::Lanes lanes = rows::Lanes::pixels;
  std::size_t slab = rows::wide_slab;
};

class Slabs : public testing::TestWithParam<std::string> {
 protected:
  cpu::Isa isa() const { return cpu::choose_isa(GetParam()); }

  std::vector<ConvKernelChoice> choices() const {
    std::vector<ConvKernelChoice> choices{{ConvKernelKind::table, 8, 64, 3, 1}, {ConvKernelKind::table, 2, 3, 5, 3}, {ConvKernelKind::depthwise}, {ConvKernelKind::steps, 8, 64, 1000, 1}};
    for (plan::TileShape shape : plan::tile_shapes(isa()))
      if (shape.vectors != 3) choices.insert(choices.end(), {{ConvKernelKind::baked, shape.vectors, shape.rows, 4, 1}, {ConvKernelKind::baked, shape.vectors, shape.rows, 1000, 3}, {ConvKernelKind::baked, shape.vectors, 2, 4, 2, 3}});
    return choices;
  }

  /// In wide slabs, and in narrow ones.
  void expect_same_bits(const ConvCase& wanted, Where where, unsigned seed) const {
    expect_same_bits_in(wanted, where, seed);
    where.slab = rows::narrow_slab;
    if (where.lanes == rows::Lanes::pixels) expect_same_bits_in(wanted, where, seed);
  }

  void expect_same_bits_in(const ConvCase& wanted, Where where, unsigned seed) const {
    std::mt19937 random(seed);
    const Conv conv = random_conv(wanted, random);
    const Shape in_shape = input_shape(wanted), out_shape = output_shape(wanted);
    const std::vector<float> input = random_floats(in_shape.size(), random), skip = random_floats(out_shape.size(), random);
    const auto run = [&](Where places, const ConvKernelChoice& choice, unsigned threads, bool over_skip) {
      const Planes in = place(in_shape, places.in, places.lanes, places.slab), out = place(out_shape, places.out, places.lanes, places.slab), added = place(out_shape, places.skip, places.lanes, places.slab);
      const plan::SparseConv sparse(conv, in, out, wanted.skip ? &added : nullptr, choice, isa(), threads);
      const base::AlignedFloats in_memory = loaded(input, in);
      base::AlignedFloats skip_memory = loaded(skip, added), out_memory(out.floats), scratch(sparse.scratch_floats());
      std::fill_n(out_memory.data(), out.floats, 777.0f);
      float* const target = over_skip && sparse.may_write_over_skip() ? skip_memory.data() : out_memory.data();
      sparse.run(in_memory.data(), skip_memory.data(), target, scratch.data());
      std::vector<float> got(out_shape.size());
      store_elements(out, target, got.data());
      return got;
    };
    const std::vector<float> expected = run({false, false, false, where.lanes}, {ConvKernelKind::table, 8, 64, 3, 1}, 1, false);  // with a stride, lanes decide the order of sums
    for (const ConvKernelChoice& choice : choices())
      for (unsigned threads : {1u, 2u, 3u})
        for (bool over_skip : {false, true}) {
          if (over_skip && !wanted.skip) continue;
          const std::size_t tile = std::size_t{choice.vectors} * cpu::kernels_for(isa()).vector_lanes;
          if (choice.kind == ConvKernelKind::baked && where.lanes == rows::Lanes::pixels && where.slab % tile != 0) continue;  // no candidate
          if (where.lanes == rows::Lanes::batch && choice.kind == ConvKernelKind::baked && wanted.batch % tile != 0) continue;  // no candidate
          SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << to_string(choice) << ", " << threads << " threads, slabs: " << where.in << where.out << where.skip);
          ASSERT_EQ(run(where, choice, threads, over_skip), expected);
        }
  }
};

ConvCase one_tap(std::vector<std::uint32_t> extents, std::uint32_t batch = 1) {
  return {.batch = batch, .group_channels = 9, .output_channels = 33, .extents = std::move(extents), .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.4};
}

TEST_P(Slabs, InputsBeyondTheCacheAreTakenApartInExcerpts) {
  ConvCase wanted = one_tap({41, 30});
  wanted.group_channels = 4000;
  wanted.strides = {2, 2};
  wanted.density = 0.01;
  expect_same_bits(wanted, {true, true, false}, 60);
}

TEST_P(Slabs, OneTapAgrees) {
  unsigned seed = 1;
  for (std::uint32_t batch : {1u, 3u})
    for (const std::vector<std::uint32_t>& extents : {std::vector<std::uint32_t>{14, 14}, {9, 30}, {28, 5}, {3, 64}, {2, 2}})
      for (const Where& where : {Where{true, true, false}, {true, false, false}, {false, true, false}}) expect_same_bits(one_tap(extents, batch), where, seed++);
}

TEST_P(Slabs, SkipConnectionsAgreeAndMayBeWrittenOver) {
  unsigned seed = 50;
  for (const Activation& activation : {Activation::relu(), Activation::hard_swish()})
    for (const Where& where : {Where{true, true, true}, {true, false, true}, {false, true, true}, {false, true, false}, {false, false, false}}) {
      ConvCase wanted = one_tap({14, 15}, 2);
      wanted.skip = true;
      wanted.activation = activation;
      expect_same_bits(wanted, where, seed++);
    }
}

TEST_P(Slabs, AStrideIsTakenApartFromSlabs) {
  unsigned seed = 80;
  for (const std::vector<std::uint32_t>& strides : {std::vector<std::uint32_t>{2, 2}, {1, 3}, {3, 1}})
    for (const Where& where : {Where{true, true, false}, {true, false, false}}) {
      ConvCase wanted = one_tap({29, 33}, 2);
      wanted.strides = strides;
      expect_same_bits(wanted, where, seed++);
    }
}

TEST_P(Slabs, LargerWindowsWriteThem) {
  unsigned seed = 90;
  for (const ConvCase& wanted : {ConvCase{.extents = {14, 14}}, ConvCase{.extents = {29, 28}, .strides = {2, 2}}, ConvCase{.extents = {20, 9}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                                 ConvCase{.group_channels = 1, .output_channels = 6, .groups = 6, .extents = {14, 14}, .density = 1}})
    expect_same_bits(wanted, {false, true, false}, seed++);
}

TEST_P(Slabs, OfLanesThatAreInputsHavePixelsOfAllChannels) {
  unsigned seed = 100;
  ConvCase added = one_tap({7, 5}, 16), strided = one_tap({7, 9}, 16), wide = one_tap({3, 4}, 32);
  added.skip = true;
  strided.strides = {2, 3};
  for (const ConvCase& wanted : {one_tap({7, 7}, 16), one_tap({1, 1}, 16), added, strided, wide})
    for (const Where& where : {Where{true, true, true, rows::Lanes::batch}, {true, false, true, rows::Lanes::batch}, {false, true, false, rows::Lanes::batch}, {false, false, false, rows::Lanes::batch}})
      expect_same_bits(wanted, where, seed++);
  for (const ConvCase& wanted : {ConvCase{.batch = 16, .extents = {7, 7}}, ConvCase{.batch = 16, .extents = {9, 8}, .strides = {2, 2}}, ConvCase{.batch = 16, .group_channels = 1, .output_channels = 6, .groups = 6, .extents = {5, 6}, .density = 1}})
    for (bool out : {false, true}) expect_same_bits(wanted, {false, out, false, rows::Lanes::batch}, seed++);
}

TEST_P(Slabs, WhatCannotReadThemIsAnInternalErrorThatSaysWhy) {
  std::mt19937 random(1);
  const auto message = [&](const ConvCase& wanted, const ConvKernelChoice& choice) -> std::string {
    try {
      const plan::SparseConv made(random_conv(wanted, random), place(input_shape(wanted), true), place(output_shape(wanted), false), nullptr, choice, isa(), 1);
      return "no error";
    } catch (const InternalError& error) {
      return error.what();
    }
  };
  EXPECT_NE(message({.extents = {14, 14}}, {}).find("slabs are for convolutions that read one pixel for each they write"), std::string::npos);
  for (plan::TileShape shape : plan::tile_shapes(isa()))
    if (shape.vectors == 3) {
      EXPECT_NE(message(one_tap({14, 14}), {ConvKernelKind::baked, 3, shape.rows, 4, 1}).find("slabs of 64 lanes cannot be read by tiles of 3 vectors"), std::string::npos);
    }
}

TEST_P(Slabs, TilesThatDoNotFillThemAreNoCandidates) {
  std::mt19937 random(1);
  const ConvCase wanted = one_tap({14, 14});
  const Planes in = place(input_shape(wanted), true), out = place(output_shape(wanted), true);
  for (const ConvKernelChoice& choice : plan::conv_candidates(random_conv(wanted, random), in, out, nullptr, isa()))
    EXPECT_TRUE(choice.kind != ConvKernelKind::baked || in.slab % (choice.vectors * cpu::kernels_for(isa()).vector_lanes) == 0) << to_string(choice);
}

INSTANTIATE_TEST_SUITE_P(Isas, Slabs, testing::ValuesIn(all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::tests
