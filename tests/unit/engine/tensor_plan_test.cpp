// How a network of tensors is planned: worlds by cost, buffers by lifetime.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <random>

#include "engine/tensors/buffers.hpp"
#include <lacuna/error.hpp>

#include "engine/tensors/choose.hpp"
#include "engine/tensors/explain.hpp"
#include "engine/tensors/one_by_one.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

Network chain(int layers) {
  test::TensorNetwork net({{1, 64, 56, 56}});  // a copy of a value costs about 0.2 ms
  ValueId value = net.network.input;
  for (int k = 0; k < layers; ++k) value = net.conv(value, {.outputs = 64, .kernel = {1, 1}, .pad = 0});
  return net.network;
}

TEST(ChooseWorlds, ALayerStaysDenseWhereCopiesCostMoreThanItGains) {
  std::vector<Costs> cost(5, {never, 9e-3, 1e-3, never});
  cost[2] = {never, 0.9e-3, 1e-3, never};
  EXPECT_EQ(choose_worlds(chain(5), cost), std::vector<World>(5, World::dense));
}

TEST(ChooseWorlds, ALayerGoesWhereItGainsMoreThanTheCopies) {
  std::vector<Costs> cost(5, {never, 9e-3, 1e-3, never});
  cost[2] = {never, 0.1e-3, 8e-3, never};
  EXPECT_EQ(choose_worlds(chain(5), cost)[2], World::planes);
}

TEST(ChooseWorlds, NeighboursChangeTogether) {
  // Each by itself gains less than its copies; all together gain more.
  const std::vector<Costs> cost(5, {never, 0.85e-3, 1e-3, never});
  EXPECT_EQ(choose_worlds(chain(5), cost), std::vector<World>(5, World::planes));
}

TEST(ChooseWorlds, Bf16IsTakenWhereItGainsMoreThanConverting) {
  std::vector<Costs> cost(5, {never, never, 1e-3, 0.9e-3});
  EXPECT_EQ(choose_worlds(chain(5), cost), std::vector<World>(5, World::dense_bf16));  // 0.5 ms gained, two copies that are made in any world
  for (std::size_t k = 0; k < 5; ++k)
    if (k != 2) cost[k] = {never, never, 1e-3, never};
  EXPECT_EQ(choose_worlds(chain(5), cost), std::vector<World>(5, World::dense));  // 0.1 ms gained, two copies of 0.15 ms each more
}

TEST(Choose, LayersAlikeTakeTheSameKernelByTheLeastThatWasSeen) {
  test::TensorNetwork net({{1, 16, 9, 9}});
  ValueId value = net.network.input;
  for (int k = 0; k < 3; ++k) value = net.conv(value, {.outputs = 16, .kernel = {3, 3}, .pad = 1});
  for (Operator& op : net.network.operators) std::get<Conv>(op.operation).weights = std::get<Conv>(net.network.operators[0].operation).weights;
  ChooseOptions options{cpu::choose_isa(), 1};
  options.kernel = plan::KernelWish::table;
  const Chosen chosen = choose(net.network, options);
  ASSERT_GE(chosen.timings[0].candidate, 0);
  for (const Timing& timing : chosen.timings) {
    EXPECT_EQ(timing.candidate, chosen.timings[0].candidate);
    EXPECT_EQ(timing.seconds_sparse, chosen.timings[0].seconds_sparse);
    EXPECT_EQ(timing.losers, chosen.timings[0].losers);
    for (double seconds : timing.seconds_of_candidates) EXPECT_LE(timing.seconds_sparse, seconds);
  }
}

TEST(Buffers, OnlyThoseOfOnePitchShareMemoryAtMultiplesOfIt) {
  Buffers buffers;
  const std::size_t wide = buffers.add(4 * 192, 0, 192);
  const std::size_t narrow = buffers.add(2 * 192, 1, 192);
  const std::size_t later = buffers.add(3 * 192, 2, 192);
  const std::size_t other = buffers.add(128, 2, 128);
  buffers.touch(wide, 1);
  buffers.place();
  EXPECT_EQ((buffers.offset(narrow) - buffers.offset(wide)) % 192, 0u);
  EXPECT_GE(buffers.offset(narrow), buffers.offset(wide) + 4 * 192) << "they live at once";
  EXPECT_EQ(buffers.offset(later), buffers.offset(wide)) << "wide is dead by then";
  EXPECT_TRUE(buffers.offset(other) + 128 <= buffers.offset(wide) || buffers.offset(other) >= buffers.offset(narrow) + 2 * 192) << "planes of another pitch are divided elsewhere";
}

TEST(Buffers, ThoseThatLiveAtOnceDoNotOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Buffers buffers;
    std::vector<std::array<std::size_t, 2>> lives;
    for (std::size_t k = 0; k < 40; ++k) {
      const std::size_t first = random() % 30;
      const std::size_t last = first + random() % 6;
      buffers.touch(buffers.add(random() % 5000, first), last);
      lives.push_back({first, last});
    }
    buffers.place();
    for (std::size_t a = 0; a < lives.size(); ++a) {
      ASSERT_EQ(buffers.offset(a) % 64, 0u);
      ASSERT_LE(buffers.offset(a) + buffers.size(a), buffers.arena_bytes());
      for (std::size_t b = 0; b < a; ++b) {
        if (lives[a][1] < lives[b][0] || lives[b][1] < lives[a][0]) continue;
        ASSERT_TRUE(buffers.offset(a) + buffers.size(a) <= buffers.offset(b) || buffers.offset(b) + buffers.size(b) <= buffers.offset(a));
      }
    }
    ASSERT_LE(buffers.least_bytes(), buffers.arena_bytes());
    ASSERT_LE(buffers.arena_bytes(), buffers.least_bytes() * 3 / 2);
  }
}

TEST(ExplainPlan, SaysHowManyRunsGoStripByStrip) {
  Chosen chosen;
  const auto says = [&](const char* words) { return explain({}, chosen, 1e9).find(words) != std::string::npos; };
  EXPECT_FALSE(says("strip by strip"));
  chosen.arrangement.chains = 1;
  EXPECT_TRUE(says("convolutions before the first pooling run strip by strip"));
  chosen.arrangement.chains = 2;
  EXPECT_TRUE(says("convolutions before the first 2 poolings run strip by strip"));
}

TEST(ExplainPlan, TellsTheArrangementOfInputsThatGoOneByOne) {
  const auto split = std::make_shared<Split>();
  split->of_one.arrangement.chains = 1;
  split->one.operators.resize(1);
  Chosen chosen;
  chosen.split = split;
  EXPECT_NE(explain({}, chosen, 1e9).find("convolutions before the first pooling run strip by strip"), std::string::npos);
}

TEST(ExplainPlan, TellsOfAFewInputsAtATimeAndOfTheArrangementBeforeThem) {
  const auto alone = std::make_shared<Split>();
  alone->of_one.arrangement.chains = 1;
  alone->one.operators.resize(2);
  const auto few = std::make_shared<Split>();
  few->inputs = 4;
  few->one.operators.resize(5);
  few->rest.operators.resize(1);
  few->of_one.split = alone;
  Chosen chosen;
  chosen.split = few;
  const std::string text = explain({}, chosen, 1e9);
  EXPECT_NE(text.find("convolutions before the first pooling run strip by strip"), std::string::npos);
  EXPECT_NE(text.find("the first 2 operators run input by input, each input on one thread; the 3 after them on 4 inputs at a time, so that their code serves several; the others on the whole batch\n"), std::string::npos) << text;
}

TEST(ParseTune, KnowsThreeWords) {
  EXPECT_EQ(parse_tune("fast"), Tune::fast);
  EXPECT_THROW(parse_tune("faster"), InputError);
}

}  // namespace
}  // namespace lacuna::engine::tensors
