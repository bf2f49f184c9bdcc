// Closing ranks: who is alive moves forward, in order, into as few and as narrow panels as possible.
#include "engine/panels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lacuna::engine {
namespace {

constexpr std::uint32_t planes = 5;

Panel make_panel(unsigned lanes, std::uint32_t first_id) {
  Panel panel{base::AlignedFloats(std::size_t{planes} * lanes), lanes, {}, {}};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    panel.ids.push_back(first_id + lane);
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      panel.arena.data()[plane * lanes + lane] = static_cast<float>(1000 * plane + first_id + lane + 1);
  }
  return panel;
}

TEST(CloseRanks, KeepsOrderValuesAndOnlyTheLiving) {
  const unsigned widest = 4 * 6;
  const std::vector<rows::PlaneRange> live{{0, 2}, {3, 2}};
  for (unsigned keep_every : {1u, 2u, 3u, 5u, 40u, 1000u}) {
    std::vector<Panel> panels;
    for (std::uint32_t k = 0; k < 4; ++k) panels.push_back(make_panel(widest, k * widest));
    std::vector<std::uint32_t> expected;
    for (Panel& panel : panels) {
      panel.alive.assign(panel.lanes, 0);
      for (unsigned lane = 0; lane < panel.lanes; ++lane)
        if (panel.ids[lane] % keep_every == keep_every - 1) {
          panel.alive[lane] = 1;
          expected.push_back(panel.ids[lane]);
        }
    }
    close_ranks(panels, live, widest, cpu::Isa::sse4);
    std::vector<std::uint32_t> found;
    for (const Panel& panel : panels)
      for (unsigned lane = 0; lane < panel.ids.size(); ++lane) {
        found.push_back(panel.ids[lane]);
        for (std::uint32_t plane : {0u, 1u, 3u, 4u})
          EXPECT_EQ(panel.arena.data()[plane * panel.lanes + lane], static_cast<float>(1000 * plane + panel.ids[lane] + 1)) << keep_every;
      }
    EXPECT_EQ(found, expected);
    if (keep_every == 40) {
      EXPECT_EQ(panels[0].lanes, 4u);  // two survivors: one vector is enough
    }
  }
}

TEST(MarkAlive, SeesAnyValueButZeroOnTheGivenPlanes) {
  Panel panel = make_panel(8, 0);
  std::fill_n(panel.arena.data(), panel.arena.size(), 0.0f);
  panel.arena.data()[1 * 8 + 3] = 1e-40f;                      // a denormal is not zero
  panel.arena.data()[1 * 8 + 4] = -0.0f;                       // this is
  panel.arena.data()[1 * 8 + 5] = std::nanf("");               // NaN is not
  panel.arena.data()[4 * 8 + 6] = 1;                           // outside the range
  const rows::PlaneRange range{0, 3};
  EXPECT_EQ(mark_alive(panel, std::span(&range, 1), cpu::kernels_for(cpu::Isa::sse4)), 2u);
  EXPECT_THAT(panel.alive, testing::ElementsAre(0, 0, 0, 1, 0, 1, 0, 0));
}

}  // namespace
}  // namespace lacuna::engine
