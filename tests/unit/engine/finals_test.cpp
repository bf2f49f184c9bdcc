// Kernels that meet again in the network itself.
#include "engine/tensors/finals.hpp"

#include <gtest/gtest.h>

#include "devices/cpu/isa.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

using test::TensorNetwork;

/// Two layers alike and one that is not, after their trials.
struct Tried {
  Tried() {
    ValueId at = net.conv(net.network.input, {.outputs = 4, .sparsity = 0.5, .activation = Activation::relu()});
    at = net.conv(at, {.outputs = 4, .sparsity = 0.5, .activation = Activation::relu()});
    net.conv(at, {.outputs = 9, .sparsity = 0.5, .activation = Activation::relu()});
    chosen = choose_together(net.network, options);  // for its planes
    made.resize(net.network.operators.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
      chosen.timings[k] = {};
      made[k] = ConvTrial(net.network, net.network.operators[k], chosen.planes, options).run(base::AlignedFloats(1024), chosen.timings[k]);
    }
  }

  TensorNetwork net{{{1, 4, 12, 12}}, 7};
  ChooseOptions options{cpu::choose_isa(), 1};
  Chosen chosen;
  std::vector<Candidates> made;
};

TEST(Finals, LayersOfOneShapeAreAlike) {
  Tried tried;
  const Alike alike = find_alike(tried.net.network, tried.options, tried.chosen);
  ASSERT_EQ(alike.size(), 2u);
  const std::size_t larger = alike[0].size() == 2 ? 0 : 1;
  EXPECT_EQ(alike[larger], (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(alike[1 - larger], (std::vector<std::size_t>{2}));
}

TEST(Finals, LayersAlikeTakeOneKernelAndItsTimeInTheNetwork) {
  Tried tried;
  if (tried.chosen.timings[0].seconds_of_candidates.size() < 2) GTEST_SKIP() << "this instruction set has one kernel only";
  const double never = 1e9;  // what the trial says of all but the first two is far behind
  for (Timing& timing : tried.chosen.timings) {
    std::fill(timing.seconds_of_candidates.begin() + 2, timing.seconds_of_candidates.end(), never);
    timing.seconds_of_candidates[0] = timing.seconds_of_candidates[1] = 1;
    timing.candidate = 0;
  }
  for (std::size_t k = 0; k < tried.made.size(); ++k) {
    const ConvTrial trial(tried.net.network, tried.net.network.operators[k], tried.chosen.planes, tried.options);
    tried.made[k].sparse = trial.sparse(trial.sparse_choices()[0]);
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  decide_finals(tried.net.network, tried.options, {{0, 1}, {2}}, std::vector<Costs>(3, {infinite, 1, infinite, infinite}), tried.made, tried.chosen);
  const std::vector<Timing>& timings = tried.chosen.timings;
  EXPECT_EQ(timings[0].candidate, timings[1].candidate);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(timings[k].candidate == 0 || timings[k].candidate == 1) << "only those two were finalists";
    EXPECT_GT(timings[k].seconds_sparse, 0);
    EXPECT_LT(timings[k].seconds_sparse, 1) << "measured again";
    EXPECT_EQ(timings[k].losers.size() + 1, timings[k].seconds_of_candidates.size());
    const ConvTrial trial(tried.net.network, tried.net.network.operators[k], tried.chosen.planes, tried.options);
    EXPECT_EQ(tried.made[k].sparse->describe().substr(0, 5), to_string(trial.sparse_choices()[static_cast<std::size_t>(timings[k].candidate)]).substr(0, 5));
  }
}

}  // namespace
}  // namespace lacuna::engine::tensors
