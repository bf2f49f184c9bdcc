#include "engine/gpus/share_buffers.hpp"

#include <gtest/gtest.h>

#include "plan/gpus/places.hpp"

namespace lacuna::engine::gpus {
namespace {

const rows::Planes wide = plan::gpus::padded_planes({{1, 4, 8, 8}}, 1, 1), narrow = plan::gpus::padded_planes({{1, 4, 8, 8}}, 0, 0);

TEST(SharedBuffers, ValuesThatNeverLiveAtOnceShareOne) {
  SharedBuffers buffers;
  const auto first = buffers.add(wide, 0);
  buffers.use(first, 1);
  const auto second = buffers.add(wide, 1);
  buffers.use(second, 2);
  const auto third = buffers.add(wide, 2);
  std::vector<std::size_t> bytes;
  const auto of = buffers.assign(bytes);
  EXPECT_NE(of[first], of[second]);   // one is read while the other is written
  EXPECT_NE(of[second], of[third]);
  EXPECT_EQ(of[first], of[third]);
  EXPECT_EQ(bytes, (std::vector<std::size_t>{wide.floats * 4, wide.floats * 4}));
}

TEST(SharedBuffers, OtherZerosAroundThePlanesAreAnotherBuffer) {
  SharedBuffers buffers;
  const auto first = buffers.add(wide, 0), second = buffers.add(narrow, 5);
  std::vector<std::size_t> bytes;
  const auto of = buffers.assign(bytes);
  EXPECT_NE(of[first], of[second]);
}

TEST(SharedBuffers, WhatTheCallerReadsLivesToTheEnd) {
  SharedBuffers buffers;
  const auto first = buffers.add(wide, 0);
  buffers.keep(first);
  const auto second = buffers.add(wide, 9);
  std::vector<std::size_t> bytes;
  const auto of = buffers.assign(bytes);
  EXPECT_NE(of[first], of[second]);
}

}  // namespace
}  // namespace lacuna::engine::gpus
