// One suite for every device, instruction set and thread count of this machine: random networks of awkward sizes against the reference.
#include <gtest/gtest.h>

#include <lacuna/compile.hpp>

#include "conformance/error_bound.hpp"
#include "reference/reference.hpp"
#include "support/all_isas.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

struct Setting {
  std::string device;
  std::string isa;  ///< of the cpu
  unsigned threads;
  std::string optimise;
  std::string kernel;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& isa : all_isas())
    for (const std::string& kernel : kernels_of(isa))
      for (unsigned threads : {1u, 2u})
        for (const char* optimise : {"all", "none"}) all.push_back({"cpu", isa, threads, optimise, kernel});
  for (const std::string& device : gpu_devices())
    for (const char* kernel : {"table", "baked"})
      for (const char* optimise : {"all", "none"}) all.push_back({device, "", 0, optimise, kernel});
  return all;
}

std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  if (info.param.isa.empty()) return info.param.device.substr(0, info.param.device.find(':')) + "_" + info.param.kernel + "_optimise_" + info.param.optimise;
  return info.param.isa + "_" + info.param.kernel + "_" + std::to_string(info.param.threads) + "_threads_optimise_" + info.param.optimise;
}

class Layers : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (!on_gpu()) return;
    if (const std::string missing = why_missing(GetParam().device); !missing.empty()) GTEST_SKIP() << missing;
  }

  bool on_gpu() const { return GetParam().isa.empty(); }

  /// Compilers of GPUs take a tenth of a second and more for a thousand nonzeros in the code.
  bool bakes_slowly() const { return on_gpu() && GetParam().kernel == "baked"; }

  Program compile_here(const Network& network, unsigned panel_lanes = 0) const {
    CompileOptions options;
    options.device = GetParam().device;
    options.isa = GetParam().isa;
    options.threads = GetParam().threads;
    options.optimise = GetParam().optimise;
    options.panel_lanes = panel_lanes;
    options.kernel = GetParam().kernel;
    return compile(network, options);
  }

  void expect_within_bound(const Network& network, const SparseMatrix& inputs, unsigned panel_lanes = 0) const {
    Session session = compile_here(network, panel_lanes).open();
    const Tensor got = session.run(inputs).to_tensor();
    ASSERT_EQ(got.rows(), inputs.rows);
    for (std::size_t row = 0; row < inputs.rows; ++row) {
      const Bounded expected = evaluate_with_bound(network, reference::input_row(inputs, row));
      for (std::size_t column = 0; column < expected.value.size(); ++column)
        ASSERT_NEAR(got.values[row * expected.value.size() + column], expected.value[column], expected.error[column])
            << "input " << row << ", output " << column;
    }
  }
};

TEST_P(Layers, LayersOfAwkwardSizesAgreeWithTheReference) {
  unsigned seed = 1;
  const std::uint32_t large = bakes_slowly() ? 40 : 1000;
  for (std::uint32_t inputs : {1u, 31u, 32u, 33u, large})
    for (std::uint32_t neurons : {1u, 31u, 32u, 33u, large}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << inputs << " to " << neurons);
      const Network network = random_network(inputs, {{neurons, 0.1, Activation::relu()}, {33, 0.3, Activation::identity()}}, seed);
      expect_within_bound(network, random_inputs(5, inputs, seed + 100));
      ++seed;
    }
}

TEST_P(Layers, ALayerOfThousandsOfNeuronsAgrees) {
  if (bakes_slowly()) GTEST_SKIP() << "minutes of compiling";
  const std::uint32_t neurons = GetParam().kernel == "baked" ? 1025 : 4097;  // its dense rows would be a hundred megabytes of code
  const Network network = random_network(neurons, {{neurons, 0.005, Activation::clip(0, 32)}, {neurons, 0.005, Activation::relu(), false}}, 7);
  expect_within_bound(network, random_inputs(3, neurons, 8));
}

TEST_P(Layers, AnyNumberOfInputsAgrees) {
  const Network network = random_network(37, {{41, 0.2, Activation::relu()}, {29, 0.2, Activation::clip(-1, 1)}}, 11);
  for (std::uint32_t count : {0u, 1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 70u, 300u}) {
    SCOPED_TRACE(count);
    expect_within_bound(network, random_inputs(count, 37, count));
  }
}

TEST_P(Layers, EveryPanelWidthAgrees) {
  if (on_gpu()) GTEST_SKIP() << "tiles of GPUs have one width";
  const Network network = random_network(50, {{60, 0.2, Activation::relu()}, {20, 0.5, Activation::identity()}}, 13);
  const unsigned vector_lanes = GetParam().isa == "scalar" ? 1 : GetParam().isa == "sse4" ? 4 : GetParam().isa == "avx2" ? 8 : 16;
  for (unsigned vectors : {1u, 2u, 3u, 4u, 6u, 8u}) {
    SCOPED_TRACE(vectors);
    expect_within_bound(network, random_inputs(150, 50, vectors), vectors * vector_lanes);
  }
}

TEST_P(Layers, EveryActivationAgrees) {
  unsigned seed = 20;
  for (const Activation& activation : {Activation::identity(), Activation::relu(), Activation::clip(0, 0.5f), Activation::clip(-0.25f, 0.25f),
                                       Activation::leaky_relu(0.1f), Activation::sigmoid(), Activation::tanh(), Activation::hard_sigmoid(0.2f, 0.5f),
                                       Activation::hard_swish(), Activation::swish()}) {
    SCOPED_TRACE(to_string(activation));
    expect_within_bound(random_network(40, {{35, 0.3, activation}, {17, 0.3, activation, false}}, seed), random_inputs(40, 40, seed));
    ++seed;
  }
}

TEST_P(Layers, OneWeightForAllAgrees) {
  const Network network = random_network(100, {{90, 0.2, Activation::clip(0, 32)}, {80, 0.2, Activation::relu()}}, 3);  // a multiple of 3: 0.0625
  ASSERT_TRUE(std::get<Linear>(network.operators[0].operation).weights.has_one_value());
  expect_within_bound(network, random_inputs(70, 100, 5));
}

TEST_P(Layers, SkipConnectionsAgree) {
  Network network = random_network(40, {{40, 0.2, Activation::relu(), true, true}, {40, 0.2, Activation::tanh(), true, true}}, 17);
  const ValueId sum = network.add_value("sum", {{40}});
  network.operators.push_back({Add{Activation::relu()}, {network.output, network.input, network.operators[0].output}, sum});
  network.output = sum;
  expect_within_bound(network, random_inputs(70, 40, 19));
}

TEST_P(Layers, MoreThan65536NeuronsAgree) {
  if (bakes_slowly()) GTEST_SKIP() << "minutes of compiling";
  const Network network = random_network(70000, {{5, 0.001, Activation::relu()}, {70001, 0.3, Activation::identity()}}, 4);
  expect_within_bound(network, random_inputs(2, 70000, 23));
}

TEST_P(Layers, DenseInputsGiveWhatSparseOnesGive) {
  const Network network = random_network(50, {{40, 0.3, Activation::relu()}}, 29);
  const SparseMatrix sparse = random_inputs(33, 50, 31);
  Tensor dense{{33, 50}, {}};
  for (std::size_t row = 0; row < 33; ++row)
    for (double value : reference::input_row(sparse, row)) dense.values.push_back(static_cast<float>(value));
  Session session = compile_here(network).open();
  EXPECT_EQ(session.run(sparse).to_tensor().values, session.run(dense).to_tensor().values);
}

/// Every row of the hidden layers stands there four times.
TEST_P(Layers, EqualNeuronsAgree) {
  const Network random = random_network(33, {{31, 0.3, Activation::relu()}, {29, 0.3, Activation::tanh(), false}, {20, 0.5, Activation::identity()}}, 43);
  Network network = random;
  std::uint32_t copies_of_source = 1;
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const bool is_last = k + 1 == network.operators.size();
    auto& linear = std::get<Linear>(network.operators[k].operation);
    const SparseMatrix weights = linear.weights;
    const std::uint32_t copies = is_last ? 1 : 4;
    std::vector<Entry> entries;
    std::vector<float> bias;
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      for (std::uint32_t row = 0; row < weights.rows; ++row) {
        bias.push_back(linear.bias[linear.bias.size() == 1 ? 0 : row]);
        for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + std::size_t{1}]; ++e)
          for (std::uint32_t source = 0; source < copies_of_source; ++source)
            entries.push_back({copy * weights.rows + row, source * weights.columns + weights.column(e), weights.value(e) / static_cast<float>(1 + source)});
      }
    linear.weights = make_sparse_matrix(copies * weights.rows, copies_of_source * weights.columns, entries);
    linear.bias = bias;
    network.values[static_cast<std::size_t>(network.operators[k].output)].shape = {{copies * weights.rows}};
    copies_of_source = copies;
  }
  expect_within_bound(network, random_inputs(70, 33, 47));
  const std::uint64_t edges = count_edges(compile_here(network).network());
  if (GetParam().optimise == "none")
    EXPECT_EQ(edges, count_edges(network));
  else
    EXPECT_LE(edges, count_edges(random));  // its own empty rows merge too
}

/// Negative biases: zero stays zero, so inputs may leave; with optimisations they must leave, without they must not.
TEST_P(Layers, InputsThatDieLeaveTheBatchAndOthersKeepTheirPlace) {
  std::mt19937 random(37);
  Network network = random_network(64, {}, 1);
  for (int layer = 0; layer < 6; ++layer) {
    Linear linear{random_matrix(64, 64, 0.2, random), std::vector<float>{-0.05f}, Activation::clip(0, 32)};
    const ValueId source = network.output;
    network.output = network.add_value("l" + std::to_string(layer + 1), {{64}});
    network.operators.push_back({std::move(linear), {source}, network.output});
  }
  std::vector<Entry> entries;  // every third input has something to say
  for (std::uint32_t row = 0; row < 500; row += 3)
    for (std::uint32_t column = 0; column < 64; ++column) entries.push_back({row, column, static_cast<float>(1 + (row + column) % 5)});
  const SparseMatrix inputs = make_sparse_matrix(500, 64, entries);
  expect_within_bound(network, inputs);

  Session session = compile_here(network).open();
  const Outputs outputs = session.run(inputs);
  for (std::uint32_t survivor : outputs.survivors) EXPECT_EQ(survivor % 3, 0u);
  const std::uint64_t nominal = count_edges(network) * 500;
  if (GetParam().optimise == "none")
    EXPECT_EQ(session.report().active_edges, nominal);
  else
    EXPECT_LT(session.report().active_edges, nominal * 2 / 3);
}

TEST_P(Layers, AnAllZeroInputStaysWhereZeroDoesNotStayZero) {
  Network network = random_network(20, {{20, 0.3, Activation::relu()}}, 41);  // biases of both signs
  const SparseMatrix nothing = make_sparse_matrix(9, 20, std::span<const Entry>{});
  expect_within_bound(network, nothing);
}

INSTANTIATE_TEST_SUITE_P(Every, Layers, testing::ValuesIn(settings()), setting_name);

}  // namespace
}  // namespace lacuna::tests
