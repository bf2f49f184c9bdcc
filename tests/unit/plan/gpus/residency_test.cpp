#include "plan/gpus/residency.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace lacuna::plan::gpus {
namespace {

std::size_t bytes_that_stay(const Residency& residency, const std::vector<std::size_t>& tables) {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < tables.size(); ++k) bytes += residency.stays[k] ? tables[k] : 0;
  return bytes;
}

TEST(Residency, WhatFitsStays) {
  const Residency residency = choose_residency(std::vector<std::size_t>{100, 200, 300}, 600);
  EXPECT_EQ(residency.stays, std::vector<bool>(3, true));
  EXPECT_FALSE(residency.is_streamed());
  EXPECT_EQ(residency.device_bytes(), 600u);
  EXPECT_EQ(residency.streamed_bytes(), 0u);
  EXPECT_EQ(print(residency), "weights resident: 600 bytes");
}

TEST(Residency, WithoutLayersNothingIsNeeded) { EXPECT_EQ(choose_residency({}, 0).device_bytes(), 0u); }

TEST(Residency, OneByteTooFewAndTwoBuffersTakeTurns) {
  const Residency residency = choose_residency(std::vector<std::size_t>{100, 200, 300}, 599);
  EXPECT_EQ(residency.stays, std::vector<bool>(3, false));
  EXPECT_EQ(residency.turns, 2u);
  EXPECT_EQ(residency.turn_bytes, 300u);
  EXPECT_EQ(print(residency), "weights streamed: 0 of 600 bytes resident, the others through two buffers of 300 bytes");
}

TEST(Residency, ThoseThatStayAreSpreadEvenlyAndLeaveRoomForTheTurns) {
  const std::vector<std::size_t> tables(100, 1000);
  for (std::size_t room : {2000u, 2999u, 10000u, 27000u, 52000u, 99999u}) {
    SCOPED_TRACE(room);
    const Residency residency = choose_residency(tables, room);
    EXPECT_EQ(residency.resident_bytes, bytes_that_stay(residency, tables));
    EXPECT_LE(residency.device_bytes(), room);
    EXPECT_GE(residency.device_bytes() + 1000, room) << "room is left for another";
    const double share = static_cast<double>(residency.resident_bytes) / 100000;
    double stayed = 0;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      stayed += residency.stays[k] ? 1 : 0;
      EXPECT_NEAR(stayed, share * static_cast<double>(k + 1), 1.1) << "after layer " << k;
    }
  }
}

TEST(Residency, LayersOfDifferentSizesKeepTheRoom) {
  std::vector<std::size_t> tables;
  for (std::size_t k = 0; k < 60; ++k) tables.push_back(k * 7919 % 1000 * 16);
  const std::size_t all = std::accumulate(tables.begin(), tables.end(), std::size_t{0});
  for (std::size_t room = 2 * 16000; room < all; room += 4111) EXPECT_LE(choose_residency(tables, room).device_bytes(), room) << room;
}

TEST(Residency, ASingleTableTakesNoTurns) {
  const Residency residency = choose_residency(std::vector<std::size_t>{500}, 400);
  EXPECT_EQ(residency.turns, 1u);
  EXPECT_EQ(residency.device_bytes(), 500u) << "more than the room: the caller has to refuse";
  EXPECT_EQ(print(residency), "weights streamed: 0 of 500 bytes resident, the others through a buffer of 500 bytes");
}

TEST(Residency, LayersWithoutATableStayAndNeedNothing) {
  const Residency residency = choose_residency(std::vector<std::size_t>{0, 500, 0, 500, 0}, 999);
  EXPECT_EQ(residency.stays, (std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ(residency.resident_bytes, 0u);
}

}  // namespace
}  // namespace lacuna::plan::gpus
