// Layered networks on GPUs: what is left out there changes no bit, whoever works, and the official answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <lacuna/lacuna.hpp>

#include "devices/cuda/open.hpp"
#include "engine/gpus/gpu_program.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_bits.hpp"

namespace lacuna::tests {
namespace {

Session open(const Network& network, const std::string& device, const std::string& optimise, const std::string& kernel = "table") {
  CompileOptions options;
  options.device = device;
  options.optimise = optimise;
  options.kernel = kernel;
  return compile(network, options).open();
}

void expect_same(const Outputs& got, const Outputs& expected) {
  ASSERT_EQ(got.survivors, expected.survivors);
  for (std::size_t k = 0; k < expected.survivors.size(); ++k)
    ASSERT_TRUE(std::ranges::equal(got.of(k), expected.of(k))) << "input " << expected.survivors[k];
}

class GpuLayers : public GpuTest {};

TEST_P(GpuLayers, EverySubsetOfTheLooksGivesTheBitsOfTheCpu) {
  const Network network = generate_radix({64, 24, 5, {}});
  const SparseMatrix inputs = random_on_off(900, 64, 0.45, 5, 1, 7);
  const Outputs expected = open(network, "cpu", "none").run(inputs);
  ASSERT_GT(expected.survivors.size(), 30u);
  ASSERT_LT(expected.survivors.size(), 870u);
  const BitMatrix bits = pack_bits(inputs);
  for (const char* optimise : {"none", "dead_inputs", "equal_inputs", "dead_inputs,equal_inputs", "merge_equal_rows", "bitwise"}) {
    SCOPED_TRACE(optimise);
    Session session = open(network, device(), optimise);
    expect_same(session.run(inputs), expected);
    expect_same(session.run(bits), expected);
  }
}

TEST_P(GpuLayers, DeadInputsLeaveAndEqualOnesGoOnAsOne) {
  const Network network = generate_radix({64, 40, 5, {}});
  const SparseMatrix inputs = random_on_off(900, 64, 0.45, 5, 1, 7);
  Session none = open(network, device(), "none"), dead = open(network, device(), "dead_inputs"), equal = open(network, device(), "dead_inputs,equal_inputs");
  none.run(inputs);
  dead.run(inputs);
  equal.run(inputs);
  EXPECT_EQ(none.report().active_edges, count_edges(network) * 900);
  EXPECT_LT(dead.report().active_edges, none.report().active_edges * 9 / 10);  // every seventh is blank, and others die
  EXPECT_LT(equal.report().active_edges, dead.report().active_edges);
  EXPECT_LT(equal.report().different_outputs, dead.report().different_outputs);
}

TEST_P(GpuLayers, BakedRowsGiveTheBitsOfTheTable) {
  const Network network = generate_general({64, 6, 4, 12, 3});
  const SparseMatrix inputs = random_on_off(200, 64, 0.5, 9);
  const Outputs expected = open(network, "cpu", "none").run(inputs);
  expect_same(open(network, device(), "none").run(inputs), expected);
  expect_same(open(network, device(), "none", "baked").run(inputs), expected);
}

TEST_P(GpuLayers, ASessionTakesBatchesOfAnySizeOneAfterTheOther) {
  const Network network = generate_general({64, 5, 4, 12, 3});
  Session session = open(network, device(), "all"), cpu = open(network, "cpu", "all");
  for (std::uint32_t count : {1u, 300u, 0u, 129u, 128u, 1000u}) {
    SCOPED_TRACE(count);
    const SparseMatrix inputs = random_on_off(count, 64, 0.5, count + 1);
    expect_same(session.run(inputs), cpu.run(inputs));
  }
}

TEST_P(GpuLayers, InputsOfAnotherWidthAreRefused) {
  Session session = open(generate_general({64, 2, 4, 12, 3}), device(), "all");
  try {
    session.run(random_on_off(3, 16, 0.5, 1));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the inputs have 16 values each, but the network's input has 64 neurons");
  }
}

TEST_P(GpuLayers, ANetworkThatIsTooLargeToBeBakedIsRefused) {
  try {
    open(generate_general({1024, 8, 16, 48, 3}), device(), "all", "baked");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), testing::MatchesRegex("the network has [0-9]+ nonzeros left, and at most 200000 are baked for a GPU; leave --kernel out"));
  }
}

TEST(GpuLayersOfSim, TwoSimulatedGpusGiveTheAnswerOfOne) {
  if (const std::string missing = why_missing("sim:v100:2"); !missing.empty()) GTEST_SKIP() << missing;
  const Network network = generate_radix({64, 24, 5, {}});
  const SparseMatrix inputs = random_on_off(901, 64, 0.45, 5, 1, 7);
  expect_same(open(network, "sim:v100:2", "all").run(inputs), open(network, "sim:v100", "all").run(inputs));
}

/// One layer of a general network on a simulated GPU whose second cache holds a part of the planes only.
struct Counted {
  double instructions_of_edge, conflicts, dram_of_least;
};

Counted count_layer(const std::string& kernel) {
  constexpr std::uint32_t neurons = 1024, count = 1536;
  const Network network = generate_general({neurons, 1, 16, 48, 1});
  auto devices = gpu::open_devices("sim:v100");
  const auto simulation = cuda::simulation_of(*devices[0]);
  const auto program = engine::gpus::compile_layers(network, devices, {plan::parse_kernel_wish(kernel), {}, false});
  simulation->reset();
  RunReport report;
  program->open()->run(engine::Batch(random_on_off(count, neurons, 0.5, 1)), report);
  const auto edges = static_cast<double>(count_edges(network));
  const double dram = simulation->figure("dram_bytes_read") + simulation->figure("dram_bytes_written");
  return {simulation->figure("warp_instructions") / (edges * count / 32), simulation->figure("shared_conflict_cycles"), dram / (2.0 * count * neurons * 4 + edges * 6)};
}

TEST(GpuLayersOfSim, AnEdgeTakesFewInstructionsAndInputsCrossTheMemoryOnce) {
  if (const std::string missing = why_missing("sim:v100"); !missing.empty()) GTEST_SKIP() << missing;
  const Counted table = count_layer("table"), baked = count_layer("baked");
  EXPECT_LE(table.instructions_of_edge, 2.0);
  EXPECT_LE(baked.instructions_of_edge, 1.3);
  for (const Counted& counted : {table, baked}) {
    EXPECT_EQ(counted.conflicts, 0);
    EXPECT_LE(counted.dram_of_least, 1.5);
  }
}

TEST_P(GpuLayers, TheOfficial1200ImagesGiveThe19Survivors) {
  const char* const folder = std::getenv("LACUNA_DATA");
  if (folder == nullptr) GTEST_SKIP() << "LACUNA_DATA is not set: the official data is not at hand";
  const auto official = std::filesystem::path(folder) / "graph-challenge";
  RadixOptions radix;
  radix.residues = official / "n1024_group_residues_u8.bin";
  LoadOptions options;
  options.neurons = 1024;
  options.use_store = false;
  const BitMatrix inputs = pack_bits(load_inputs(official / "sparse-images-1024_first1200.mtx", 0, false, options));
  const auto truth = load_categories(official / "neuron1024-l120-categories_first1200.mtx", inputs.rows);
  const Network network = generate_radix(radix);
  EXPECT_EQ(open(network, device(), "all").run(inputs).survivors, truth);
  EXPECT_EQ(open(network, device(), "dead_inputs").run(inputs).survivors, truth);
}

INSTANTIATE_TEST_SUITE_P(On, GpuLayers, testing::ValuesIn(gpu_devices()), gpu_device_name);

}  // namespace
}  // namespace lacuna::tests
