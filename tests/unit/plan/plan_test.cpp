// The plan's choices, forced and measured; the cache that remembers them.
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "plan/cache.hpp"
#include "plan/choose.hpp"
#include "support/all_isas.hpp"
#include "support/random_network.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

bool has_baked_code() { return cpu::available_isas().back() >= cpu::Isa::avx2; }

Network small_network() { return random_network(64, {{60, 0.2, Activation::relu()}, {50, 0.2, Activation::sigmoid()}}, 5); }

CompileOptions with_kernel(const std::string& kernel, unsigned panel_lanes = 0) {
  CompileOptions options;
  options.kernel = kernel;
  options.panel_lanes = panel_lanes;
  options.threads = 1;
  return options;
}

TEST(Plan, AForcedKernelRunsEveryGroup) {
  EXPECT_THAT(compile(small_network(), with_kernel("table")).print_plan(), Not(HasSubstr("baked")));
  if (!has_baked_code()) GTEST_SKIP() << "no instruction set with baked code";
  const std::string text = compile(small_network(), with_kernel("baked")).print_plan();
  EXPECT_THAT(text, HasSubstr("l1: baked"));
  EXPECT_THAT(text, HasSubstr("l2: baked"));
  EXPECT_THAT(text, HasSubstr("activation in a second visit"));
}

TEST(Plan, BakedCodeOnAnInstructionSetWithoutItIsUnsupported) {
  for (const char* isa : {"scalar", "sse4"}) {
    if (std::string(isa) == "sse4" && cpu::available_isas().back() < cpu::Isa::sse4) continue;
    CompileOptions options = with_kernel("baked");
    options.isa = isa;
    EXPECT_EQ(message_of<Unsupported>([&] { compile(small_network(), options); }),
              "kernel \"baked\": there is baked code for avx2 and avx512, not for " + std::string(isa) + "; ask for auto or table");
  }
}

TEST(Plan, AnUnknownKernelIsAnInputError) {
  EXPECT_EQ(message_of<InputError>([&] { compile(small_network(), with_kernel("fast")); }),
            "no kernel is called \"fast\"; give auto, table, baked or dense");
}

TEST(Plan, ExplainNamesTheRunnerUpAndItsRate) {
  if (!has_baked_code()) GTEST_SKIP() << "no instruction set with baked code";
  const std::string text = compile(small_network(), with_kernel("auto")).explain();
  EXPECT_THAT(text, testing::ContainsRegex("why (table|baked [1-4] vectors? x [0-9]+ rows) for l1: [0-9.]+ billion edges/s; (table|baked [^;]*) [0-9.]+, "));
}

TEST(Plan, CodeBeyondTheBudgetIsNotTried) {
  if (!has_baked_code()) GTEST_SKIP() << "no instruction set with baked code";
  const Network large = random_network(1500, {{1500, 0.3, Activation::relu()}}, 4);
  const std::string text = compile(large, with_kernel("auto")).explain();
  EXPECT_THAT(text, HasSubstr("of code, the budget of a network is "));
  EXPECT_THAT(text, HasSubstr("l1: table"));
}

TEST(Plan, PanelsNarrowerThanTheCodeRunTheTable) {
  if (!has_baked_code()) GTEST_SKIP() << "no instruction set with baked code";
  const rows::SparseRows rows = rows::lower(small_network());
  const cpu::Isa isa = cpu::available_isas().back();
  const unsigned vector_lanes = cpu::kernels_for(isa).vector_lanes;
  plan::Plan plan = plan::make_plan(rows, {isa, 4 * vector_lanes, 1, plan::KernelWish::table});
  plan.kinds[0].chosen = {plan::tile_shapes(isa).front()};
  plan::bake_chosen(plan, rows, 1);
  EXPECT_THAT(plan::print(plan, rows), HasSubstr("table on narrower ones"));
  std::vector<std::vector<float>> results;
  for (unsigned lanes : {4 * vector_lanes, vector_lanes}) {
    base::AlignedFloats arena(std::size_t{rows.planes} * lanes);
    for (std::size_t k = 0; k < arena.size(); ++k) arena.data()[k] = 0.5f;
    plan.run(0, lanes, arena.data());
    std::vector<float>& column = results.emplace_back();
    for (std::uint32_t plane = 0; plane < rows.groups[0].destination.count; ++plane)
      column.push_back(arena.data()[(rows.groups[0].destination.first + plane) * std::size_t{lanes}]);
  }
  for (std::size_t k = 0; k < results[0].size(); ++k) EXPECT_NEAR(results[0][k], results[1][k], 1e-5);
}

TEST(Plan, TableAndBakedCodeGiveTheSameBits) {
  if (!has_baked_code()) GTEST_SKIP() << "no instruction set with baked code";
  for (unsigned seed : {5u, 6u}) {  // 6: one weight for all
    const Network network = random_network(64, {{60, 0.2, Activation::relu()}, {60, 0.1, Activation::tanh(), false, true}, {9, 0.5, Activation::clip(-1, 1)}}, seed);
    const SparseMatrix inputs = random_inputs(100, 64, seed);
    const Tensor table = compile(network, with_kernel("table")).open().run(inputs).to_tensor();
    const Tensor baked = compile(network, with_kernel("baked")).open().run(inputs).to_tensor();
    EXPECT_EQ(table.values, baked.values) << "seed " << seed;
  }
}

TEST(Plan, GroupsAlikeAreOneKind) {
  const Network network = random_network(64, {{64, 1.0, Activation::relu()}, {64, 1.0, Activation::relu()}, {64, 1.0, Activation::tanh()}}, 5);
  const std::vector<plan::GroupKind> kinds = plan::find_kinds(rows::lower(network));
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_THAT(kinds[0].groups, testing::ElementsAre(0, 1));
}

class Cache : public testing::Test {
 protected:
  void SetUp() override { use(folder_.path().string()); }
  void TearDown() override { use("off"); }
  static void use(const std::string& value) { ::setenv("LACUNA_CACHE", value.c_str(), 1); }
  std::filesystem::path only_file() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? "" : files[0];
  }
  static std::string explain() { return compile(small_network(), with_kernel("auto")).explain(); }

  TempFolder folder_;
};

TEST_F(Cache, TheSecondCompilationRemembersTheFirst) {
  const std::string first = explain();
  const std::string second = explain();
  EXPECT_THAT(first, Not(HasSubstr("remembered")));
  EXPECT_EQ(second, first + "these figures were measured before and are remembered in " + only_file().string() + "\n");
}

TEST_F(Cache, AnotherNetworkIsAnotherFile) {
  explain();
  compile(random_network(64, {{60, 0.2, Activation::relu()}}, 6), with_kernel("auto"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(Cache, ADamagedFileIsIgnoredAndReplaced) {
  explain();
  const std::string good = read_file(only_file());
  for (std::string damaged : {std::string(), good.substr(0, good.size() / 2), good + "x", "lacuna plan 1" + good.substr(13),
                              std::string(good).replace(good.find("kinds"), 5, "kinbs")}) {
    folder_.write(only_file().filename().string(), damaged);
    EXPECT_THAT(explain(), Not(HasSubstr("remembered")));
    EXPECT_THAT(explain(), HasSubstr("remembered"));
  }
}

TEST_F(Cache, OffMeansOff) {
  use("off");
  EXPECT_EQ(explain().find("remembered"), std::string::npos);
  EXPECT_EQ(folder_.listing(), "");
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsSaidNotThrown) {
  use((folder_.write("file", "") / "sub").string());
  EXPECT_THAT(explain(), HasSubstr("the figures are not remembered: "));
}

}  // namespace
}  // namespace lacuna::tests
