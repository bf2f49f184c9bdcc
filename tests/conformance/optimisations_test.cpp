// Every subset of the optimisations on random networks made of what they look for: equal, constant and unread neurons, skips, all activations.
// All must stay within the bound of the network as given; those that keep bits must keep each of them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include <lacuna/lacuna.hpp>

#include "conformance/error_bound.hpp"
#include "reference/reference.hpp"
#include "support/all_isas.hpp"
#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

constexpr std::uint32_t width = 17;

/// What a network is made of.
struct Kind {
  bool one_value;   ///< one weight for all edges of a layer
  bool zero_stays;  ///< biases and activations map zero to zero, so inputs may die
};

/// Rows drawn from few patterns, some of them empty; a third of the sources is never read.
Linear redundant_layer(std::mt19937& random, std::uint32_t rows, Kind kind) {
  std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
  const SparseMatrix patterns = random_matrix(5, width, 0.3, random, kind.one_value);
  std::vector<float> pattern_bias(5);
  for (float& bias : pattern_bias) bias = kind.zero_stays ? -0.01f * std::abs(uniform(random)) : uniform(random);
  const bool shares_bias = random() % 2 == 0;
  std::vector<Entry> entries;
  std::vector<float> biases;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto pattern = static_cast<std::uint32_t>(random() % 5);
    biases.push_back(pattern_bias[random() % 3 == 0 ? 0 : pattern]);
    if (random() % 6 == 0) continue;
    for (std::size_t e = patterns.row_begin[pattern]; e < patterns.row_begin[pattern + std::size_t{1}]; ++e)
      if (patterns.column(e) % 3 != 1) entries.push_back({row, patterns.column(e), patterns.value(e)});
  }
  if (shares_bias) biases.resize(1);
  const Activation activations[] = {Activation::identity(),       Activation::relu(),    Activation::clip(0, 0.5f),
                                    Activation::leaky_relu(0.1f), Activation::sigmoid(), Activation::tanh()};
  const std::size_t choice = kind.zero_stays ? 1 + random() % 2 : random() % 6;
  return {make_sparse_matrix(rows, width, entries), biases, activations[choice]};
}

Network redundant_network(unsigned seed) {
  std::mt19937 random(seed);
  const Kind kind{seed % 2 == 0, seed % 3 == 0};
  Network network;
  network.input = network.output = network.add_value("x", {{width}});
  std::vector<ValueId> earlier{network.input};
  for (int layer = 0; layer < 6; ++layer) {
    const ValueId source = earlier[earlier.size() - 1 - random() % std::min<std::size_t>(2, earlier.size())];  // sometimes skips one, sometimes leaves one unread
    const ValueId output = network.add_value("l" + std::to_string(layer), {{width}});
    std::vector<ValueId> inputs{source};
    if (random() % 4 == 0) inputs.push_back(earlier[random() % earlier.size()]);
    if (random() % 6 == 0) {
      inputs.push_back(earlier[random() % earlier.size()]);
      network.operators.push_back({Add{Activation::relu()}, inputs, output});
    } else {
      network.operators.push_back({redundant_layer(random, width, kind), inputs, output});
    }
    earlier.push_back(output);
  }
  network.output = network.add_value("y", {{7}});
  network.operators.push_back({redundant_layer(random, 7, kind), {earlier.back()}, network.output});
  verify(network);
  return network;
}

/// Every third input is all zero.
SparseMatrix with_zero_inputs(const SparseMatrix& inputs) {
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < inputs.rows; ++row)
    for (std::size_t e = inputs.row_begin[row]; e < inputs.row_begin[row + std::size_t{1}] && row % 3 != 0; ++e)
      entries.push_back({row, inputs.column(e), inputs.value(e)});
  return make_sparse_matrix(inputs.rows, inputs.columns, entries);
}

struct Answer {
  Tensor outputs;
  std::uint64_t edges_left;
};

Answer run(const Network& network, const SparseMatrix& inputs, const std::string& optimise, const std::string& isa, const std::string& kernel = "table") {
  CompileOptions options;
  options.kernel = kernel;
  options.isa = isa;
  options.threads = 1;
  options.panel_lanes = isa == "scalar" ? 1 : 16;  // no measuring
  options.optimise = optimise;
  const Program program = compile(network, options);
  return {program.open().run(inputs).to_tensor(), program.edges_left()};
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.values.size() == b.values.size() && std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

TEST(Optimisations, EverySubsetKeepsTheAnswerOfRedundantNetworks) {
  auto all = optimisations();
  std::erase_if(all, [](const Optimisation& one) { return one.serves == Serves::networks_of_tensors || one.serves == Serves::neuron_graphs; });
  std::vector<std::uint64_t> saved(all.size(), 0);
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Network network = redundant_network(seed);
    const SparseMatrix inputs = with_zero_inputs(random_inputs(19, width, seed + 1000));
    std::vector<Bounded> expected;
    for (std::size_t row = 0; row < inputs.rows; ++row) expected.push_back(evaluate_with_bound(network, reference::input_row(inputs, row)));
    const Answer plain = run(network, inputs, "none", "sse4");
    for (std::size_t subset = 1; subset < std::size_t{1} << all.size(); ++subset) {
      std::string names;
      bool keeps_bits = true;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if ((subset >> k & 1) == 0) continue;
        names += (names.empty() ? "" : ",") + std::string(all[k].name);
        keeps_bits = keeps_bits && all[k].keeps_bits;
      }
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << names);
      const Answer got = run(network, inputs, names, "sse4");
      if (keeps_bits) {
        ASSERT_TRUE(same_bits(got.outputs, plain.outputs));
      }
      for (std::size_t row = 0; row < inputs.rows; ++row)
        for (std::size_t k = 0; k < expected[row].value.size(); ++k)
          ASSERT_NEAR(got.outputs.values[row * expected[row].value.size() + k], expected[row].value[k], expected[row].error[k]) << "input " << row << ", output " << k;
      ASSERT_LE(got.edges_left, plain.edges_left);
      if ((subset & (subset - 1)) == 0) saved[static_cast<std::size_t>(std::countr_zero(subset))] += plain.edges_left - got.edges_left;
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].is_pass || all[k].name == "merge_equal_rows") {
      EXPECT_GT(saved[k], 0u) << all[k].name << " found nothing in any of these networks";
    }
}

/// The challenge's structure with weights and biases that round: one weight for all, or one for each edge.
Network rounding_radix(bool one_weight) {
  Network network = generate_radix({1024, 14, 5});
  for (Operator& op : network.operators) {
    auto& linear = std::get<Linear>(op.operation);
    linear.bias = std::vector<float>{0.00137f};
    linear.weights.values = std::vector<float>{0.0309f};
    if (one_weight) continue;
    const std::size_t period = 64 * 32;  // rows come in 16 copies
    std::vector<float> values(linear.weights.nnz());
    for (std::size_t e = 0; e < values.size(); ++e) values[e] = 0.02f + 0.00041f * static_cast<float>(e % period % 53);
    linear.weights.values = values;
  }
  return network;
}

TEST(Bitwise, GivesEveryBitOfTheUnoptimisedAnswerOnEveryIsaWithFewerEdges) {
  const SparseMatrix inputs = generate_inputs({1024, 40, 2});
  for (const bool one_weight : {true, false}) {
    const Network network = rounding_radix(one_weight);
    bool merging_rounds = false;
    for (const std::string& isa : all_isas()) {
      SCOPED_TRACE(isa + (one_weight ? ", one weight" : ", a weight for each edge"));
      const Answer plain = run(network, inputs, "none", isa);
      EXPECT_EQ(plain.edges_left, count_edges(network));
      for (const char* optimise : {"bitwise", "merge_equal_rows"}) {
        const Answer got = run(network, inputs, optimise, isa);
        EXPECT_TRUE(same_bits(got.outputs, plain.outputs)) << optimise;
        EXPECT_LT(got.edges_left, plain.edges_left / 7) << optimise << ": all layers but the last keep a sixteenth";
        for (const std::string& kernel : kernels_of(isa)) EXPECT_TRUE(same_bits(run(network, inputs, optimise, isa, kernel).outputs, plain.outputs)) << optimise << ", " << kernel;
      }
      merging_rounds = merging_rounds || !same_bits(run(network, inputs, "merge_equal_neurons", isa).outputs, plain.outputs);
    }
    EXPECT_TRUE(merging_rounds) << "nothing rounds here: this test would show nothing";
  }
}

}  // namespace
}  // namespace lacuna::tests
