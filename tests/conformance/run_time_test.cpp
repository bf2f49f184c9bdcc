// What is left out while a program runs changes no bit: every choice of run-time optimisations, thread count and form of the inputs gives the
// outputs of `--optimise none`.
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "support/all_isas.hpp"
#include "support/random_bits.hpp"
#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

std::vector<std::string> run_time_names() {
  std::vector<std::string> names;
  for (const Optimisation& optimisation : optimisations())
    if (!optimisation.is_pass) names.emplace_back(optimisation.name);
  return names;
}

std::string subset(const std::vector<std::string>& names, unsigned chosen) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    if ((chosen >> k & 1) != 0) text += (text.empty() ? "" : ",") + names[k];
  return text.empty() ? "none" : text;
}

Session open(const Network& network, const std::string& optimise, unsigned threads, const std::string& isa) {
  CompileOptions options;
  options.optimise = optimise;
  options.threads = threads;
  options.isa = isa;
  options.kernel = "table";  // no measuring
  options.panel_lanes = isa == "scalar" ? 4 : isa == "sse4" ? 8 : 16;
  return compile(network, options).open();
}

void expect_same(const Outputs& got, const Outputs& expected) {
  ASSERT_EQ(got.survivors, expected.survivors);
  for (std::size_t k = 0; k < expected.survivors.size(); ++k)
    ASSERT_TRUE(std::ranges::equal(got.of(k), expected.of(k))) << "input " << expected.survivors[k];
}

class RunTime : public testing::TestWithParam<std::string> {};

TEST_P(RunTime, EverySubsetGivesTheSameBitsOnAChallengeNetwork) {
  const Network network = generate_radix({64, 24, 5, {}});
  const SparseMatrix inputs = random_on_off(900, 64, 0.45, 5, 1, 7);
  const Outputs expected = open(network, "none", 1, GetParam()).run(inputs);
  ASSERT_GT(expected.survivors.size(), 30u);
  ASSERT_LT(expected.survivors.size(), 870u);
  const BitMatrix bits = pack_bits(inputs);
  const std::vector<std::string> names = run_time_names();
  for (unsigned chosen = 0; chosen < 1u << names.size(); ++chosen)
    for (unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(subset(names, chosen) + ", threads " + std::to_string(threads));
      Session session = open(network, subset(names, chosen), threads, GetParam());
      Outputs first = session.run(inputs);
      expect_same(first, expected);
      session.reuse(std::move(first));
      expect_same(session.run(bits), expected);  // and memory kept from the run before does no harm
    }
}

TEST_P(RunTime, InputsThatAreEqualFromTheStartAreComputedOnce) {
  const Network network = generate_general({64, 20, 4, 12, 3});
  const SparseMatrix five = random_on_off(5, 64, 0.5, 9);
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < 700; ++row)
    for (std::size_t e = five.row_begin[row % 5]; e < five.row_begin[row % 5 + 1]; ++e) entries.push_back({row, five.column(e), 1});
  const SparseMatrix inputs = make_sparse_matrix(700, 64, entries);
  const Outputs expected = open(network, "none", 2, GetParam()).run(inputs);
  Session session = open(network, "depth_first,equal_inputs", 1, GetParam());
  expect_same(session.run(inputs), expected);
  EXPECT_LE(session.report().different_outputs, 20u);  // each share finds its own five; pools find them all, where layers are left
  EXPECT_LT(session.report().active_edges, count_edges(network) * 700 / 2);
}

TEST_P(RunTime, TheReportSaysWhatRan) {
  const Network network = generate_radix({64, 40, 5, {}});
  Session all = open(network, "depth_first,sparse_first_layer,dead_inputs,equal_inputs", 1, GetParam());
  all.run(random_on_off(3000, 64, 0.45, 5));
  EXPECT_TRUE(all.report().counted_first_layer);
  EXPECT_GT(all.report().waves, 1u);
  all.run(random_on_off(3000, 64, 0.45, 5, 0.1f));  // ten times 0.1 is not 1: these must not be counted
  EXPECT_FALSE(all.report().counted_first_layer);
  Session none = open(network, "none", 1, GetParam());
  none.run(random_on_off(3000, 64, 0.45, 5));
  EXPECT_FALSE(none.report().counted_first_layer);
  EXPECT_EQ(none.report().waves, 1u);
}

TEST_P(RunTime, BitsGiveWhatCompressedRowsGiveWhereTheyAreNotCounted) {
  const Network network = random_network(100, {{60, 0.2, Activation::tanh()}, {30, 0.3, Activation::relu()}}, 4);
  const SparseMatrix inputs = random_on_off(300, 100, 0.3, 6, 0.5f);
  Session session = open(network, "all", 2, GetParam());
  expect_same(session.run(pack_bits(inputs)), session.run(inputs));
}

INSTANTIATE_TEST_SUITE_P(Every, RunTime, testing::ValuesIn(all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::tests
