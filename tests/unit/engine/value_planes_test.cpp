// Which values stand in slabs, and where sums are written over what was added to them.
#include "engine/tensors/value_planes.hpp"

#include <gtest/gtest.h>

#include "devices/cpu/isa.hpp"
#include "engine/tensors/tensor_program.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

using test::ConvSpec;
using test::TensorNetwork;

ConvSpec one_tap(std::uint32_t outputs, std::uint32_t stride = 1) { return {.outputs = outputs, .kernel = {1, 1}, .stride = stride, .pad = 0, .sparsity = 0.9, .activation = Activation::relu()}; }
ConvSpec nine_taps(std::uint32_t outputs, std::uint32_t stride = 1) { return {.outputs = outputs, .stride = stride, .sparsity = 0.9, .activation = Activation::relu()}; }

/// Two blocks as ResNets have them, the second with a stride.
struct Blocks {
  TensorNetwork net{{{1, 16, 14, 14}}};
  ValueId first = net.conv(net.network.input, one_tap(200)), narrow = net.conv(first, one_tap(180)), inner = net.conv(narrow, nine_taps(170)), sum = net.conv(inner, one_tap(200), first),
          strided = net.conv(net.conv(sum, one_tap(180)), nine_taps(190, 2)), side = net.conv(sum, one_tap(200, 2)), last = net.conv(strided, one_tap(200), side);
};

bool is_in_slabs(const Blocks& blocks, ValueId id, std::uint32_t threads = 1) {
  return planes_of_values(blocks.net.network, {cpu::choose_isa(), threads})[static_cast<std::size_t>(id)].slab != 0;
}

TEST(ValuePlanes, WhatOnlySingleTapsReadStandsInSlabs) {
  const Blocks blocks;
  EXPECT_FALSE(is_in_slabs(blocks, blocks.net.network.input)) << "no convolution writes it";
  EXPECT_TRUE(is_in_slabs(blocks, blocks.first));
  EXPECT_FALSE(is_in_slabs(blocks, blocks.narrow)) << "nine taps read it";
  EXPECT_TRUE(is_in_slabs(blocks, blocks.inner));
  EXPECT_TRUE(is_in_slabs(blocks, blocks.sum)) << "one of its readers has a stride";
  EXPECT_FALSE(is_in_slabs(blocks, blocks.strided)) << "7x7 pixels fit one slab: a plane is as good";
  EXPECT_FALSE(is_in_slabs(blocks, blocks.last)) << "the caller's";
}

TEST(ValuePlanes, SmallValuesAndDepthwiseOnesDoNotAndBatchesOfVectorsDoPixelByPixel) {
  TensorNetwork small({{1, 4, 14, 14}}), depthwise({{1, 200, 14, 14}}), batch({{16, 16, 14, 14}});
  const auto middle = [](TensorNetwork& net, const ConvSpec& spec) {
    const ValueId id = net.conv(net.network.input, spec);
    net.conv(id, one_tap(8));
    return planes_of_values(net.network, {cpu::choose_isa(), 1})[static_cast<std::size_t>(id)];
  };
  EXPECT_EQ(middle(small, one_tap(8)).slab, 0u);
  EXPECT_EQ(middle(depthwise, {.outputs = 200, .groups = 200}).slab, 0u);
  const rows::Planes lanes = middle(batch, one_tap(200));
  EXPECT_EQ(lanes.slab, lanes.lanes_are_inputs() ? 16u : 64u);  // by the width of vectors
}

TEST(ValuePlanes, SumsAreWrittenOverWhatWasAddedIfNobodyReadsItAgain) {
  const auto bytes = [](bool is_read_again) {
    TensorNetwork net{{{1, 16, 28, 28}}};
    const ValueId wide = net.conv(net.network.input, one_tap(400)), sum = net.conv(net.conv(wide, one_tap(8)), one_tap(400), wide);
    net.conv(sum, one_tap(8), is_read_again ? net.conv(wide, one_tap(8)) : no_value);
    const Chosen chosen = choose_together(net.network, {cpu::choose_isa(), 1, plan::KernelWish::table, Tune::off});
    return build(net.network, chosen, 1).arena_bytes;
  };
  constexpr std::size_t wide_bytes = 400 * 28 * 28 * sizeof(float);
  EXPECT_LT(bytes(false), wide_bytes * 3 / 2);
  EXPECT_GT(bytes(true), wide_bytes * 2);
}

}  // namespace
}  // namespace lacuna::engine::tensors
