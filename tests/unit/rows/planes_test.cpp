#include "rows/planes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <numeric>

#include <lacuna/error.hpp>

namespace lacuna::rows {
namespace {

std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(Planes, HalosAreSharedBetweenRowsAndPlanes) {
  const Planes planes = planes_for({{2, 3, 7, 7}}, 1, 1);
  EXPECT_EQ(planes.row, 8u);
  EXPECT_EQ(planes.column, 1u);
  EXPECT_EQ(planes.channel, 64u);  // 7 rows of 8, and the row of zeros below, which is the next plane's row above
  EXPECT_EQ(planes.image, 3 * 64u);
  EXPECT_EQ(planes.origin % 16, 0u);
  EXPECT_GE(planes.origin, 9u);
}

TEST(Planes, NeighboursAreNever4096BytesApart) {
  for (std::uint32_t width = 1; width < 70; ++width) EXPECT_NE(planes_for({{1, 4, 32, width}}, 0, 0).channel % 1024, 0u) << width;
}

TEST(Planes, SingleNumbersStandSideBySideUnlessThatMadeThemLanes) {
  EXPECT_EQ(planes_for({{1, 500}}, 0, 0, Lanes::batch).channel, 1u);
  EXPECT_EQ(planes_for({{3, 500, 1, 1}}, 0, 0).channel, 1u);
  EXPECT_EQ(planes_for({{1, 1, 1, 1}}, 0, 0).channel, 1u);
  EXPECT_EQ(planes_for({{3, 500, 1, 1}}, 0, 1).channel, 16u) << "with zeros around";
  EXPECT_FALSE(planes_for({{3, 1, 1, 1}}, 0, 0).lanes_are_inputs());
}

TEST(Planes, ThreeSpatialAxesAreRefused) { EXPECT_THROW(planes_for({{1, 2, 3, 4, 5}}, 0, 0), Unsupported); }

TEST(Planes, ElementsGoInAndComeBackAndTheRestIsZero) {
  for (Lanes lanes : {Lanes::pixels, Lanes::batch})
    for (const Shape& shape : {Shape{{3, 2, 4, 5}}, Shape{{1, 2, 6}}, Shape{{4, 7}}}) {
      const Planes planes = planes_for(shape, 1, 2, lanes);
      const std::vector<float> elements = counted(shape.size());
      std::vector<float> memory(planes.floats, 99.0f), back(shape.size());
      load_planes(elements.data(), planes, memory.data());
      store_elements(planes, memory.data(), back.data());
      EXPECT_EQ(back, elements);
      EXPECT_EQ(std::accumulate(memory.begin(), memory.end(), 0.0), std::accumulate(elements.begin(), elements.end(), 0.0)) << to_string(shape);

      const Planes other = planes_for(shape, 0, 1, lanes == Lanes::pixels ? Lanes::batch : Lanes::pixels);
      std::vector<float> copied(other.floats, 99.0f);
      copy_planes(planes, memory.data(), other, copied.data());
      store_elements(other, copied.data(), back.data());
      EXPECT_EQ(back, elements);
      EXPECT_EQ(std::accumulate(copied.begin(), copied.end(), 0.0), std::accumulate(elements.begin(), elements.end(), 0.0)) << to_string(shape);
    }
}

TEST(Planes, PlanesOfOtherExtentsAreAnInternalError) {
  const Planes a = planes_for({{1, 2, 3, 4}}, 0, 0), b = planes_for({{1, 2, 4, 3}}, 0, 0);
  std::vector<float> memory(a.floats + b.floats);
  EXPECT_THROW(copy_planes(a, memory.data(), b, memory.data()), InternalError);
}

TEST(Planes, SlabsHave64LanesOfAllChannelsTogether) {
  const Planes slabs = slabs_for({{2, 3, 9, 14}}, 1);
  EXPECT_EQ(slabs.row, 15u);
  EXPECT_EQ(slabs.at(0, 0, 0, 0), 0u);
  EXPECT_EQ(slabs.at(0, 2, 0, 5), 2 * 64 + 5u);
  EXPECT_EQ(slabs.at(0, 1, 4, 3), 1 * 64 + 63u);               // the last lane of the first slab
  EXPECT_EQ(slabs.at(0, 1, 4, 4), 3 * 64 + 1 * 64u);           // the first of the second
  EXPECT_EQ(slabs.at(1, 0, 0, 0), 3 * 64 * 3u);                // 8 rows of 15 and one of 14 take three slabs
  EXPECT_EQ(slabs.side_by_side(60), 4u);
  EXPECT_GT(slabs.floats % 1024, 0u) << "the buffer behind should not begin at the same place in a page";
}

TEST(Planes, NarrowSlabsHave16Lanes) {
  const Planes slabs = slabs_for({{2, 3, 9, 14}}, 1, Lanes::pixels, narrow_slab);
  EXPECT_EQ(slabs.at(0, 2, 0, 5), 2 * 16 + 5u);
  EXPECT_EQ(slabs.at(0, 1, 1, 3), 3 * 16 + 16 + 2u);
  EXPECT_EQ(slabs.at(1, 0, 0, 0), 9 * 16 * 3u);  // 8 rows of 15 and one of 14
}

TEST(Planes, SlabsOfInputsHaveOnePixelOfAllChannelsTogether) {
  const Planes slabs = slabs_for({{16, 3, 7, 7}}, 1, Lanes::batch);
  EXPECT_TRUE(slabs.lanes_are_inputs());
  EXPECT_EQ(slabs.at(5, 2, 0, 0), 2 * 16 + 5u);
  EXPECT_EQ(slabs.at(5, 2, 0, 1), 3 * 16 + 2 * 16 + 5u);
  EXPECT_EQ(slabs.at(0, 0, 1, 0), 8 * 3 * 16u);  // a row has a gap
  EXPECT_EQ(slabs.divided(), slabs.floats);
  EXPECT_LT(slabs.at(15, 2, 6, 6), slabs.floats);
}

TEST(Planes, ElementsGoIntoSlabsAndComeBack) {
  const Shape inputs{{16, 5, 3, 4}};
  const Planes of_inputs = slabs_for(inputs, 1, Lanes::batch), lanes = planes_for(inputs, 1, 1, Lanes::batch);
  const std::vector<float> all = counted(inputs.size());
  std::vector<float> in_slabs(of_inputs.floats), on_planes(lanes.floats), again(inputs.size());
  load_planes(all.data(), of_inputs, in_slabs.data());
  copy_planes(of_inputs, in_slabs.data(), lanes, on_planes.data());
  store_elements(lanes, on_planes.data(), again.data());
  EXPECT_EQ(again, all);
  for (const Shape& shape : {Shape{{1, 2, 4, 5}}, Shape{{3, 5, 14, 14}}, Shape{{1, 3, 2, 200}}}) {
    const Planes slabs = slabs_for(shape, 1), planes = planes_for(shape, 1, 2);
    const std::vector<float> elements = counted(shape.size());
    std::vector<float> memory(slabs.floats), copied(planes.floats, 99.0f), back(shape.size());
    load_planes(elements.data(), slabs, memory.data());
    store_elements(slabs, memory.data(), back.data());
    EXPECT_EQ(back, elements);
    copy_planes(slabs, memory.data(), planes, copied.data());
    store_elements(planes, copied.data(), back.data());
    EXPECT_EQ(back, elements);
    EXPECT_EQ(std::accumulate(copied.begin(), copied.end(), 0.0), std::accumulate(elements.begin(), elements.end(), 0.0)) << "zeros around them";
  }
}

TEST(Planes, PartsOfTheHaloAreTheWholeHalo) {
  for (const Lanes lanes : {Lanes::pixels, Lanes::batch}) {
    const Planes planes = planes_for({{2, 3, 7, 5}}, 1, 2, lanes);
    std::vector<float> whole(planes.floats, 1), parts = whole;
    zero_halo(planes, whole.data());
    for (std::size_t part = 0; part < 3; ++part) zero_halo(planes, parts.data(), planes.height * part / 3, planes.height * (part + 1) / 3);
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(std::count(whole.begin(), whole.end(), 1.0f), 2 * 3 * 7 * 5) << "no element is written";
  }
}

TEST(Planes, PartsLoadAndStoreWhatTheWholeDoes) {
  for (const Lanes lanes : {Lanes::pixels, Lanes::batch})
    for (const std::uint32_t width : {5u, 16u, 33u}) {
      const Planes planes = planes_for({{2, 3, 7, width}}, 1, 1, lanes);
      const std::vector<float> elements = counted(std::size_t{2} * 3 * 7 * width);
      std::vector<float> whole(planes.floats, 99.0f), parts = whole, back(elements.size());
      load_planes(elements.data(), planes, whole.data());
      for (std::size_t part = 0; part < 3; ++part) load_planes(elements.data(), planes, parts.data(), planes.height * part / 3, planes.height * (part + 1) / 3);
      EXPECT_EQ(parts, whole) << width;
      for (std::size_t part = 0; part < 2; ++part) store_elements(planes, whole.data(), back.data(), planes.channels * part / 2, planes.channels * (part + 1) / 2);
      EXPECT_EQ(back, elements) << width;
    }
}

TEST(Planes, ChannelsOfBandsShareNoRowsAboveAndBelow) {
  const Planes band = band_planes_for({{1, 3, 4, 14}}, 2, 2);
  EXPECT_GE(band.channel, (4 + 2 + 2) * band.row) << "two rows above and two below, none of them the neighbour's";
  EXPECT_LT(planes_for({{1, 3, 4, 14}}, 2, 2).channel, (4 + 2 + 2) * band.row) << "where others share them";
  EXPECT_GE(band.origin, 2 * band.row + 2);
  EXPECT_GE(band.floats, band.at(0, 2, 3, 13) + 2 * band.row + 2);
}

TEST(Planes, BandsBecomeTheWhole) {
  for (const std::uint32_t width : {5u, 14u, 16u, 33u})
    for (const std::uint32_t halo : {0u, 1u, 2u}) {
      const Planes whole = planes_for({{1, 3, 6, width}}, halo, halo), band = band_planes_for({{1, 3, 2, width}}, 1, halo);
      const std::vector<float> elements = counted(std::size_t{3} * 6 * width);
      std::vector<float> wanted(whole.floats), memory(whole.floats, 99.0f), source(band.floats);
      for (std::size_t c = 0; c < 3; ++c) std::fill_n(source.data() + band.at(0, c, 0, 0) - band.row, width, 77.0f);  // what another band has there
      load_planes(elements.data(), whole, wanted.data());
      zero_halo(whole, memory.data());
      for (std::size_t first = 0; first < 6; first += 2) {
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t y = 0; y < 2; ++y) std::copy_n(wanted.data() + whole.at(0, c, first + y, 0), width, source.data() + band.at(0, c, y, 0));
        copy_band(band, source.data(), whole, memory.data(), first);
      }
      EXPECT_EQ(memory, wanted) << width << " pixels, halo " << halo;
    }
}

}  // namespace
}  // namespace lacuna::rows
