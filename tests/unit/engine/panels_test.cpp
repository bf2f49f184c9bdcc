// Closing ranks: who is alive moves forward, in order, into as few and as narrow panels as possible.
#include "engine/panels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace lacuna::engine {
namespace {

constexpr std::uint32_t planes = 5;

constexpr unsigned most_lanes = 64;

/// Panels borrow their planes.
struct Planes {
  alignas(64) std::array<float, planes * most_lanes> values = {};
};

Panel make_panel(Planes& memory, unsigned lanes, std::uint32_t first_id) {
  Panel panel{memory.values.data(), lanes, {}, {}};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    panel.ids.push_back(first_id + lane);
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      panel.arena[plane * lanes + lane] = static_cast<float>(1000 * plane + first_id + lane + 1);
  }
  return panel;
}

TEST(CloseRanks, KeepsOrderValuesAndOnlyTheLiving) {
  const unsigned widest = 4 * 6;
  const std::vector<rows::PlaneRange> live{{0, 2}, {3, 2}};
  for (unsigned keep_every : {1u, 2u, 3u, 5u, 40u, 1000u}) {
    std::array<Planes, 4> memory;
    std::vector<Panel> panels;
    for (std::uint32_t k = 0; k < memory.size(); ++k) panels.push_back(make_panel(memory[k], widest, k * widest));
    std::vector<std::uint32_t> expected;
    for (Panel& panel : panels) {
      panel.stays.assign(panel.lanes, 0);
      for (unsigned lane = 0; lane < panel.lanes; ++lane)
        if (panel.ids[lane] % keep_every == keep_every - 1) {
          panel.stays[lane] = 1;
          expected.push_back(panel.ids[lane]);
        }
    }
    close_ranks(panels, live, widest, cpu::kernels_for(cpu::Isa::sse4));
    std::vector<std::uint32_t> found;
    for (const Panel& panel : panels)
      for (unsigned lane = 0; lane < panel.ids.size(); ++lane) {
        found.push_back(panel.ids[lane]);
        for (std::uint32_t plane : {0u, 1u, 3u, 4u})
          EXPECT_EQ(panel.arena[plane * panel.lanes + lane], static_cast<float>(1000 * plane + panel.ids[lane] + 1)) << keep_every;
      }
    EXPECT_EQ(found, expected);
    if (keep_every == 40) {
      EXPECT_EQ(panels[0].lanes, 4u);  // two survivors: one vector is enough
    }
  }
}

TEST(MarkAlive, SeesAnyValueButZeroOnTheGivenPlanes) {
  Planes memory;
  Panel panel = make_panel(memory, 8, 0);
  std::fill_n(panel.arena, planes * 8, 0.0f);
  panel.arena[1 * 8 + 3] = 1e-40f;                      // a denormal is not zero
  panel.arena[1 * 8 + 4] = -0.0f;                       // this is
  panel.arena[1 * 8 + 5] = std::nanf("");               // NaN is not
  panel.arena[4 * 8 + 6] = 1;                           // outside the range
  const rows::PlaneRange range{0, 3};
  mark_alive(std::span(&panel, 1), std::span(&range, 1), cpu::kernels_for(cpu::Isa::sse4));
  EXPECT_EQ(count_staying(std::span(&panel, 1)), 2u);
  EXPECT_THAT(panel.stays, testing::ElementsAre(0, 0, 0, 1, 0, 1, 0, 0));
}

TEST(FindFollowers, FindsAllButTheFirstOfLanesWithTheSameBits) {
  for (cpu::Isa isa : cpu::available_isas()) {
    const unsigned lanes = cpu::kernels_for(isa).vector_lanes * 2;
    std::array<Planes, 12> memory;
    std::vector<Panel> panels;
    for (std::uint32_t k = 0; k < memory.size(); ++k) panels.push_back(make_panel(memory[k], lanes, k * lanes));
    panels.back().ids.pop_back();  // padding is nobody's equal
    const std::uint32_t last = 12 * lanes - 2;
    const auto copy_input = [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t plane = 0; plane < planes; ++plane) panels[to / lanes].plane(plane)[to % lanes] = panels[from / lanes].plane(plane)[from % lanes];
    };
    for (std::uint32_t to : {2u, 7u, 11u, last}) copy_input(1, to);
    copy_input(3, 9);
    copy_input(4, 5);
    panels[5 / lanes].plane(4)[5 % lanes] += 1;  // differs in the last live plane
    copy_input(6, 8);
    panels[8 / lanes].plane(2)[8 % lanes] += 1;  // differs where nobody looks
    const std::vector<rows::PlaneRange> live{{0, 2}, {3, 2}};
    mark_all(panels);
    panels[0 / lanes].stays[0] = 0;
    const std::vector<Follower> followers = find_followers(panels, live, cpu::kernels_for(isa));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const Follower& follower : followers) {
      found.emplace_back(follower.id, follower.leader);
      EXPECT_EQ(panels[follower.panel].ids[follower.lane], follower.id);
    }
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{2, 1}, {7, 1}, {8, 6}, {9, 3}, {11, 1}, {last, 1}};
    EXPECT_EQ(found, expected) << cpu::name(isa);
  }
}

}  // namespace
}  // namespace lacuna::engine
