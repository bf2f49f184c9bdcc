// Sparse convolutions, every kernel on every instruction set, against plain loops in double.
#include "plan/sparse_conv.hpp"

#include <gtest/gtest.h>

#include "base/aligned_buffer.hpp"
#include "plan/tile_shape.hpp"
#include "support/all_isas.hpp"
#include "support/random_conv.hpp"

namespace lacuna::tests {
namespace {

using plan::ConvKernelChoice;
using plan::ConvKernelKind;
using rows::Lanes;
using rows::Planes;

std::vector<ConvKernelChoice> choices_of(cpu::Isa isa) {
  std::vector<ConvKernelChoice> choices{{ConvKernelKind::table, 8, 64, 3, 1}, {ConvKernelKind::table, 2, 3, 5, 3}, {ConvKernelKind::gather}, {ConvKernelKind::depthwise}, {ConvKernelKind::steps, 8, 64, 1000, 1},
                                        {ConvKernelKind::steps, 2, 3, 2, 3}};
  for (plan::TileShape shape : plan::tile_shapes(isa)) {
    if (shape.vectors == 1)
      for (bool by_lines : {false, true}) {
        choices.push_back({ConvKernelKind::line_pairs, 1, shape.rows, 1, 1, 1, by_lines});
        if (by_lines) choices.insert(choices.end(), {{ConvKernelKind::baked, 1, shape.rows, 4, 1, 1, true}, {ConvKernelKind::baked, 1, 2, 3, 3, 2, true}});
        choices.push_back({ConvKernelKind::baked, 1, shape.rows, by_lines ? 3u : 1000u, by_lines ? 1u : 3u, 1, by_lines, true});
        choices.push_back({ConvKernelKind::baked, 1, shape.rows - 1, by_lines ? 1000u : 3u, 2, by_lines ? 1u : 4u, by_lines, false, true});
        choices.push_back({ConvKernelKind::line_pairs, 1, shape.rows - 1, 1, 1, 1, by_lines, false, true});
      }
    choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, 4, 1});
    choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, 3, 3});
    choices.push_back({ConvKernelKind::baked, shape.vectors, 2, 3, 2, 3});  // blocks together, the last with fewer rows
  }
  return choices;
}

TEST(SparseConvByLines, IsSaidToBeSoOnlyWhereTilesBeginAlike) {
  std::mt19937 random(1);
  const auto says = [&](const ConvCase& wanted, unsigned vectors, cpu::Isa isa) {
    const Planes in = rows::planes_for(input_shape(wanted), 1, 1), out = rows::planes_for(output_shape(wanted), 1, wanted.pads_begin[1]);
    return plan::SparseConv(random_conv(wanted, random), in, out, nullptr, {ConvKernelKind::baked, vectors, 4, 4, 1, 1, true}, isa, 1).describe().find("by lines") != std::string::npos;
  };
  const ConvCase same_pitch{.extents = {14, 14}}, rows_apart{.extents = {20, 21}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
  for (const std::string& name : all_isas()) {
    const cpu::Isa isa = cpu::choose_isa(name);
    if (plan::tile_shapes(isa).empty()) continue;
    EXPECT_EQ(says(same_pitch, 1, isa), isa == cpu::Isa::avx512) << name;
    EXPECT_FALSE(says(same_pitch, 2, isa)) << name;
    EXPECT_FALSE(says(rows_apart, 1, isa)) << name;
  }
}

class SparseConvConformance : public testing::TestWithParam<std::string> {
 protected:
  cpu::Isa isa() const { return cpu::choose_isa(GetParam()); }

  /// The halo of `in` and the rows of `out` are those of the case unless `extra` columns more are wanted.
  void expect_agrees(const ConvCase& wanted, Lanes lanes, unsigned seed, std::uint32_t out_halo = 1) const {
    std::mt19937 random(seed);
    const Conv conv = random_conv(wanted, random);
    const Shape in_shape = input_shape(wanted), out_shape = output_shape(wanted);
    const std::vector<float> input = random_floats(in_shape.size(), random);
    const std::vector<float> skip = wanted.skip ? random_floats(out_shape.size(), random) : std::vector<float>();
    const PlainOutput expected = plain_conv(conv, in_shape, out_shape, input, skip);
    const rows::Halo halo = rows::halo_of(conv);
    const Planes in = planes_for(in_shape, halo.y, halo.x, lanes), out = planes_for(out_shape, out_halo, out_halo, lanes), skip_planes = planes_for(out_shape, 0, 2, lanes);
    base::AlignedFloats in_memory(in.floats), out_memory(out.floats), skip_memory(skip_planes.floats);
    load_planes(input.data(), in, in_memory.data());
    if (wanted.skip) load_planes(skip.data(), skip_planes, skip_memory.data());
    std::vector<float> first_bits;
    for (const ConvKernelChoice& choice : choices_of(isa()))
      for (unsigned threads : {1u, 2u}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << to_string(choice) << ", " << threads << " threads, lanes are " << (lanes == Lanes::batch ? "inputs" : "pixels"));
        const plan::SparseConv sparse(conv, in, out, wanted.skip ? &skip_planes : nullptr, choice, isa(), threads);
        base::AlignedFloats scratch(sparse.scratch_floats());
        std::fill(out_memory.data(), out_memory.data() + out.floats, 777.0f);
        std::fill(scratch.data(), scratch.data() + scratch.size(), std::numeric_limits<float>::quiet_NaN());
        sparse.run(in_memory.data(), skip_memory.data(), out_memory.data(), scratch.data());
        std::vector<float> got(out_shape.size());
        store_elements(out, out_memory.data(), got.data());
        for (std::size_t k = 0; k < got.size(); ++k) {
          const double slope = std::max(1.0, double{std::abs(wanted.activation.first)});
          const double bound = slope * 1.2 * (expected.magnitudes[k] * 6e-8 * 40 + 1e-6);
          ASSERT_NEAR(got[k], expected.values[k], bound) << sparse.describe() << ", element " << k;
        }
        expect_halo_is_zero(out, out_memory.data());
        const bool has_stride = std::any_of(conv.strides.begin(), conv.strides.end(), [](std::uint32_t stride) { return stride > 1; });
        if (choice.kind == ConvKernelKind::gather || choice.kind == ConvKernelKind::line_pairs || (choice.kind == ConvKernelKind::depthwise && has_stride)) continue;
        if (first_bits.empty()) first_bits = got;
        ASSERT_EQ(got, first_bits) << "other bits than the first kernel's";
      }
  }

  /// What a convolution that reads these planes may touch.
  static void expect_halo_is_zero(const Planes& planes, const float* memory) {
    for (std::uint32_t n = 0; n < planes.batch; ++n)
      for (std::uint32_t c = 0; c < planes.channels; ++c)
        for (std::int64_t y = -std::int64_t{planes.halo_y}; y < std::int64_t{planes.height} + planes.halo_y; ++y)
          for (std::int64_t x = -std::int64_t{planes.halo_x}; x < std::int64_t{planes.width} + planes.halo_x; ++x) {
            if (y >= 0 && y < planes.height && x >= 0 && x < planes.width) continue;
            const auto place = static_cast<std::int64_t>(planes.at(n, c, 0, 0)) + y * static_cast<std::int64_t>(planes.row) + x * static_cast<std::int64_t>(planes.column);
            ASSERT_EQ(memory[place], 0.0f) << "halo of image " << n << ", channel " << c << ", row " << y << ", column " << x;
          }
  }

  void expect_agrees_everywhere(const ConvCase& wanted, unsigned seed) const {
    for (std::uint32_t batch : {1u, 3u, 16u})
      for (Lanes lanes : {Lanes::pixels, Lanes::batch}) {
        ConvCase one = wanted;
        one.batch = batch;
        expect_agrees(one, lanes, seed);
      }
  }
};

TEST_P(SparseConvConformance, WindowsOfAllKindsAgree) {
  unsigned seed = 1;
  for (const ConvCase& wanted : {ConvCase{}, ConvCase{.extents = {7, 7}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                                 ConvCase{.extents = {14, 15}, .strides = {2, 2}}, ConvCase{.extents = {13, 14}, .kernel = {1, 1}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                                 ConvCase{.extents = {12, 11}, .kernel = {5, 3}, .strides = {1, 3}, .pads_begin = {0, 2}, .pads_end = {2, 1}},
                                 ConvCase{.extents = {12, 20}, .dilations = {2, 3}, .pads_begin = {2, 3}, .pads_end = {2, 3}},
                                 ConvCase{.extents = {11, 12}, .strides = {2, 1}, .dilations = {3, 2}, .pads_begin = {1, 0}, .pads_end = {4, 0}},
                                 ConvCase{.extents = {6, 66}, .strides = {2, 2}}, ConvCase{.extents = {9, 69}, .kernel = {1, 1}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                                 ConvCase{.extents = {30, 33}, .kernel = {7, 7}, .strides = {2, 2}, .pads_begin = {3, 3}, .pads_end = {3, 3}}})
    expect_agrees_everywhere(wanted, seed++);
}

TEST_P(SparseConvConformance, FirstLayersAgree) {
  unsigned seed = 100;
  for (const ConvCase& wanted : {ConvCase{.extents = {44, 70}, .kernel = {7, 7}, .strides = {2, 2}, .pads_begin = {3, 3}, .pads_end = {3, 3}}, ConvCase{.extents = {18, 33}},
                                 ConvCase{.extents = {20, 40}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {1, 1}}, ConvCase{.extents = {20, 41}, .kernel = {4, 2}, .pads_begin = {1, 0}, .pads_end = {2, 1}},
                                 ConvCase{.extents = {24, 50}, .kernel = {6, 6}, .strides = {2, 2}, .pads_begin = {2, 2}, .pads_end = {2, 2}, .activation = Activation::hard_swish()}}) {
    ConvCase one = wanted;
    one.group_channels = 3;
    one.output_channels = 13;
    one.density = 1;
    expect_agrees_everywhere(one, seed++);
  }
}

TEST_P(SparseConvConformance, InputsBeyondTheCacheAreTakenApartInExcerpts) {
  for (const ConvCase& wanted : {ConvCase{.group_channels = 2000, .output_channels = 3, .extents = {19, 30}, .strides = {2, 2}, .density = 0.01},
                                 ConvCase{.group_channels = 4000, .output_channels = 10, .extents = {19, 30}, .kernel = {1, 1}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.01}})
    for (std::uint32_t batch : {1u, 2u}) {
      ConvCase one = wanted;
      one.batch = batch;
      expect_agrees(one, Lanes::pixels, 120);
    }
}

TEST_P(SparseConvConformance, InputsBeyondTheCacheArePackedInExcerpts) {
  expect_agrees(ConvCase{.batch = 2, .group_channels = 900, .output_channels = 3, .extents = {21, 30}, .density = 0.01}, Lanes::pixels, 125);
  expect_agrees(ConvCase{.group_channels = 600, .output_channels = 30, .extents = {33, 17}, .kernel = {3, 5}, .dilations = {2, 1}, .pads_begin = {2, 2}, .pads_end = {2, 2}, .density = 0.005}, Lanes::pixels, 126, 2);
}

TEST(SparseConvPacked, IsSaidToBeSoOnlyWhereItIs) {
  std::mt19937 random(1);
  const auto says = [&](const ConvCase& wanted, cpu::Isa isa) {
    const Planes in = rows::planes_for(input_shape(wanted), 1, 1), out = rows::planes_for(output_shape(wanted), 1, 1);
    return plan::SparseConv(random_conv(wanted, random), in, out, nullptr, {ConvKernelKind::baked, 1, 4, 4, 1, 1, false, true}, isa, 1).describe();
  };
  for (const std::string& name : all_isas()) {
    const cpu::Isa isa = cpu::choose_isa(name);
    if (plan::tile_shapes(isa).empty()) continue;
    const std::string packed = says({.extents = {14, 14}}, isa), strided = says({.extents = {14, 14}, .strides = {2, 2}}, isa);
    EXPECT_NE(packed.find(", input packed"), std::string::npos) << packed;
    EXPECT_EQ(packed.find("taken apart"), std::string::npos) << packed;
    EXPECT_EQ(strided.find("packed"), std::string::npos) << strided;
    EXPECT_NE(strided.find(", input taken apart"), std::string::npos) << strided;
  }
}

TEST_P(SparseConvConformance, GroupsAndManyRowsAgree) {
  expect_agrees_everywhere(ConvCase{.group_channels = 1, .output_channels = 6, .groups = 6, .density = 1}, 20);
  expect_agrees_everywhere(ConvCase{.group_channels = 3, .output_channels = 8, .groups = 2}, 21);
  expect_agrees_everywhere(ConvCase{.group_channels = 20, .output_channels = 61, .extents = {9, 10}, .density = 0.1}, 22);
}

TEST_P(SparseConvConformance, DepthwiseWindowsAgree) {
  unsigned seed = 25;
  for (const ConvCase& wanted : {ConvCase{.extents = {14, 14}}, ConvCase{.extents = {15, 33}, .activation = Activation::hard_swish()}, ConvCase{.extents = {29, 32}, .strides = {2, 2}},
                                 ConvCase{.extents = {14, 17}, .kernel = {5, 5}, .pads_begin = {2, 2}, .pads_end = {2, 2}},
                                 ConvCase{.extents = {20, 70}, .kernel = {5, 5}, .strides = {2, 2}, .pads_begin = {2, 1}, .pads_end = {1, 2}}}) {
    ConvCase one = wanted;
    one.group_channels = 1;
    one.groups = 5;
    one.output_channels = seed % 2 == 0 ? 5 : 10;  // or two outputs of each channel
    one.density = 0.8;
    expect_agrees_everywhere(one, seed++);
  }
}

TEST_P(SparseConvConformance, DepthwiseIsATableWhereWindowsDoNotFit) {
  std::mt19937 random(1);
  const auto described = [&](const ConvCase& wanted, std::uint32_t halo) {
    const Planes in = rows::planes_for(input_shape(wanted), halo, halo), out = rows::planes_for(output_shape(wanted), 1, 1);
    return plan::SparseConv(random_conv(wanted, random), in, out, nullptr, {ConvKernelKind::depthwise}, isa(), 1).describe();
  };
  const ConvCase fits{.group_channels = 1, .output_channels = 8, .groups = 8, .extents = {14, 14}};
  ConvCase dilated = fits, mixed = fits;
  dilated.dilations = {2, 2};
  mixed.group_channels = 2;
  EXPECT_EQ(described(fits, 1), "depthwise");
  for (const std::string& text : {described(fits, 0), described(dilated, 2), described(mixed, 1)}) EXPECT_EQ(text.substr(0, 5), "table");
}

TEST_P(SparseConvConformance, PlanesOfOnePixelAgree) {
  for (std::uint32_t batch : {1u, 3u, 16u})
    for (Lanes lanes : {Lanes::pixels, Lanes::batch})
      for (std::uint32_t outputs : {1u, 7u})
        for (std::uint32_t inputs : {1u, 9u})
          expect_agrees(ConvCase{.batch = batch, .group_channels = inputs, .output_channels = outputs, .extents = {1, 1}, .kernel = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .density = 0.9}, lanes,
                        28 + outputs, 0);
}

TEST_P(SparseConvConformance, OneAxisAndNoneAgree) {
  expect_agrees_everywhere(ConvCase{.extents = {23}, .kernel = {3}, .strides = {1}, .dilations = {1}, .pads_begin = {1}, .pads_end = {1}}, 30);
  expect_agrees_everywhere(ConvCase{.extents = {50}, .kernel = {5}, .strides = {2}, .dilations = {2}, .pads_begin = {4}, .pads_end = {0}}, 31);
  expect_agrees_everywhere(ConvCase{.group_channels = 40, .output_channels = 35, .extents = {}, .kernel = {}, .strides = {}, .dilations = {}, .pads_begin = {}, .pads_end = {}}, 32);
}

TEST_P(SparseConvConformance, AStrideOfTwoIsReadInStepsOnlyWhereItCanBe) {
  std::mt19937 random(1);
  const auto described = [&](const ConvCase& wanted, std::uint32_t halo) {
    const Planes in = rows::planes_for(input_shape(wanted), halo, halo), out = rows::planes_for(output_shape(wanted), 1, 1);
    return plan::SparseConv(random_conv(wanted, random), in, out, nullptr, {ConvKernelKind::steps, 8, 128, 1000, 1}, isa(), 1).describe();
  };
  EXPECT_EQ(described({.group_channels = 1, .output_channels = 8, .groups = 8, .extents = {56, 56}, .strides = {2, 2}}, 1), "table of 8 vectors in steps, 128 rows, 1000 tiles, 1 groups");
  EXPECT_EQ(described({.group_channels = 1, .output_channels = 8, .groups = 8, .extents = {56, 56}, .strides = {2, 2}}, 0),
            "table of 8 vectors, 128 rows, 1000 tiles, 1 groups, input taken apart");
}

TEST_P(SparseConvConformance, ActivationsAndSkipConnectionsAgree) {
  unsigned seed = 40;
  for (const Activation& activation :
       {Activation::identity(), Activation::relu(), Activation::clip(-0.5f, 0.25f), Activation::leaky_relu(0.1f), Activation::sigmoid(), Activation::tanh(),
        Activation::hard_sigmoid(0.2f, 0.5f), Activation::hard_swish(), Activation::swish()})
    for (bool skip : {false, true}) {
      SCOPED_TRACE(testing::Message() << to_string(activation) << (skip ? " with a skip connection" : ""));
      for (Lanes lanes : {Lanes::pixels, Lanes::batch}) {
        expect_agrees(ConvCase{.batch = 2, .extents = {9, 9}, .activation = activation, .skip = skip}, lanes, seed);
        expect_agrees(ConvCase{.batch = 8, .extents = {5, 5}, .strides = {2, 2}, .activation = activation, .skip = skip}, lanes, seed, 0);
      }
      ++seed;
    }
}

TEST_P(SparseConvConformance, SmallAndEmptyOnesAgree) {
  expect_agrees_everywhere(ConvCase{.extents = {1, 1}}, 70);
  expect_agrees_everywhere(ConvCase{.output_channels = 1, .extents = {2, 3}, .density = 0}, 71);
  expect_agrees_everywhere(ConvCase{.group_channels = 1, .output_channels = 1, .extents = {3, 40}, .density = 1}, 72);
}

TEST_P(SparseConvConformance, ASourceThatIsNoNumberMakesItsReadersNoNumbers) {
  const ConvCase wanted{.group_channels = 1, .output_channels = 3, .extents = {6, 9}, .density = 1, .activation = Activation::identity()};
  std::mt19937 random(80);
  const Conv conv = random_conv(wanted, random);
  const Planes planes = rows::planes_for(input_shape(wanted), 1, 1), out = rows::planes_for(output_shape(wanted), 1, 1);
  std::vector<float> input = random_floats(input_shape(wanted).size(), random);
  input[2 * 9 + 4] = std::numeric_limits<float>::quiet_NaN();
  base::AlignedFloats in_memory(planes.floats), out_memory(out.floats);
  load_planes(input.data(), planes, in_memory.data());
  for (const ConvKernelChoice& choice : choices_of(isa())) {
    if (choice.kind == ConvKernelKind::gather) continue;
    SCOPED_TRACE(to_string(choice));
    const plan::SparseConv sparse(conv, planes, out, nullptr, choice, isa(), 1);
    base::AlignedFloats scratch(sparse.scratch_floats());
    sparse.run(in_memory.data(), nullptr, out_memory.data(), scratch.data());
    for (std::uint32_t c = 0; c < 3; ++c)
      for (std::uint32_t y = 0; y < 6; ++y)
        for (std::uint32_t x = 0; x < 9; ++x)
          ASSERT_EQ(std::isnan(out_memory.data()[out.at(0, c, y, x)]), y >= 1 && y <= 3 && x >= 3 && x <= 5) << c << ", " << y << ", " << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, SparseConvConformance, testing::ValuesIn(all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::tests
