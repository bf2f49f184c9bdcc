// However many panels share a pass of a layer's table, the answer has the same bits.
#include "engine/executor.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "support/all_isas.hpp"
#include "support/random_bits.hpp"
#include "support/random_network.hpp"

namespace lacuna::engine {
namespace {

struct Answer {
  std::vector<std::uint32_t> survivors;
  std::vector<float> values;

  bool operator==(const Answer&) const = default;
};

Answer run_in_sets(plan::Plan& plan, unsigned set, const rows::SparseRows& rows, const plan::CountedLayer* counted, const Batch& batch, const ExecutorOptions& options) {
  plan.panel_set = set;
  Workspaces workspaces;
  RunReport report;
  const Outputs outputs = execute(rows, plan, counted, options, batch, workspaces, {}, report);
  return {outputs.survivors, outputs.to_tensor().values};
}

/// Alone, in pairs, and in sets that do not go into a share evenly or are larger than it.
void expect_same_bits(const Network& network, const SparseMatrix& inputs) {
  const rows::SparseRows rows = rows::lower(network);
  const std::optional<plan::CountedLayer> counted = plan::CountedLayer::of(rows);
  for (const cpu::Isa isa : cpu::available_isas()) {
    plan::Plan plan = plan::make_plan(rows, {isa, cpu::kernels_for(isa).vector_lanes, 1, plan::KernelWish::table});
    for (const bool depth_first : {true, false}) {
      for (const unsigned threads : {1u, 2u}) {
        const auto run = [&](unsigned set) { return run_in_sets(plan, set, rows, counted ? &*counted : nullptr, Batch(inputs), {threads, true, true, depth_first}); };
        const Answer alone = run(1);
        EXPECT_FALSE(alone.survivors.empty());
        for (const unsigned set : {2u, 3u, 6u, 100u})
          EXPECT_EQ(run(set), alone) << cpu::name(isa) << ", " << set << " panels, " << threads << " threads, depth first " << depth_first;
      }
    }
  }
}

TEST(Executor, SetsOfPanelsGiveTheSameBits) {
  expect_same_bits(tests::random_network(64, {{90, 0.2, Activation::relu()}, {70, 0.2, Activation::relu()}, {33, 0.3, Activation::relu()}}, 7), tests::random_inputs(333, 64, 7));
}

TEST(Executor, SetsOfPanelsGiveTheSameBitsAfterCountedBits) {
  const Network network = tests::random_network(64, {{90, 0.2, Activation::relu(), false}, {70, 0.2, Activation::relu()}}, 6);  // 6: one weight for all
  ASSERT_TRUE(plan::CountedLayer::of(rows::lower(network)).has_value());
  expect_same_bits(network, tests::random_on_off(1000, 64, 0.3, 6));
}

}  // namespace
}  // namespace lacuna::engine
