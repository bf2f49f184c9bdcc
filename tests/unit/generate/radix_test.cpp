#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <map>
#include <string>
#include <vector>

#include "generate/residues.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

const SparseMatrix& weights_of(const Network& network, std::size_t layer) {
  return std::get<Linear>(network.operators[layer].operation).weights;
}

std::vector<std::uint32_t> row_of(const SparseMatrix& matrix, std::uint32_t row) {
  std::vector<std::uint32_t> columns;
  for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) columns.push_back(matrix.column(e));
  return columns;
}

/// The rule as it is written down, one pair of neurons at a time.
bool is_connected(const std::vector<std::uint32_t>& residues, std::uint32_t stride, std::uint32_t r, std::uint32_t c) {
  const auto modulus = static_cast<std::uint32_t>(residues.size() / 16);
  return residues[r] == c % modulus || residues[r] == (c + stride) % modulus;
}

void expect_follows_the_rule(const Network& network, const generate::Residues& residues, std::uint32_t neurons) {
  const auto group_layers = static_cast<std::uint32_t>(std::countr_zero(neurons / 16));
  for (std::uint32_t l = 0; l < network.operators.size(); ++l) {
    for (std::uint32_t c = 0; c < neurons; ++c) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t r = 0; r < neurons; ++r)
        if (is_connected(residues[l / group_layers], 1u << l % group_layers, r, c)) expected.push_back(r);
      ASSERT_EQ(row_of(weights_of(network, l), c), expected) << "layer " << l << ", output " << c;
    }
  }
}

std::string radix_error(const RadixOptions& options) {
  return message_of<InputError>([&] { generate_radix(options); });
}

TEST(Radix, FollowsTheRuleForSmallSizes) {
  for (const std::uint32_t neurons : {32u, 64u, 256u}) {
    SCOPED_TRACE(neurons);
    const Network network = generate_radix({.neurons = neurons, .layers = 9, .seed = 5, .residues = {}});
    EXPECT_NO_THROW(verify(network));
    EXPECT_EQ(count_edges(network), std::uint64_t{9} * 32 * neurons);
    expect_follows_the_rule(network, generate::random_residues(neurons, 9, 5), neurons);
  }
}

TEST(Radix, TakesTwoBytesAnEdgeAndTheChallengesBiasAndClip) {
  const Network network = generate_radix({.neurons = 4096, .layers = 2, .residues = {}});
  const Linear& layer = std::get<Linear>(network.operators[1].operation);
  EXPECT_EQ(layer.weights.narrow_columns.bytes(), std::size_t{2} * 32 * 4096);
  EXPECT_EQ(layer.weights.values.size(), 1u);
  EXPECT_EQ(layer.weights.value(77), 0.0625f);
  EXPECT_EQ(layer.weights.row_begin.data(), weights_of(network, 0).row_begin.data()) << "row positions are shared";
  ASSERT_EQ(layer.bias.size(), 1u);
  EXPECT_EQ(layer.bias[0], -0.35f);
  EXPECT_EQ(layer.activation, Activation::clip(0, 32));
  EXPECT_EQ(network.value(network.input).name, "input");
  EXPECT_EQ(network.value(network.output).name, "l2");
}

TEST(Radix, UsesWideColumnsAbove65536Neurons) {
  const Network network = generate_radix({.neurons = 131072, .layers = 1, .residues = {}});
  EXPECT_TRUE(weights_of(network, 0).narrow_columns.empty());
  EXPECT_EQ(row_of(weights_of(network, 0), 131071).front(), 0u) << "residue 0 follows the last one";
  EXPECT_EQ(row_of(weights_of(network, 0), 131071).back(), 131071u);
}

TEST(Radix, GivesTheSameNetworkForTheSameSeedOnly) {
  const RadixOptions options{.neurons = 256, .layers = 8, .seed = 3, .residues = {}};
  EXPECT_EQ(hash(generate_radix(options)), hash(generate_radix(options)));
  RadixOptions other = options;
  other.seed = 4;
  EXPECT_NE(hash(generate_radix(options)), hash(generate_radix(other)));
}

TEST(Radix, ShuffledResiduesAreTheSameOnEveryMachine) {
  const generate::Residues residues = generate::random_residues(32, 2, 1);
  std::string second;
  for (const std::uint32_t residue : residues[1]) second += static_cast<char>('0' + residue);
  EXPECT_EQ(second, "00100101100110111011011000100011");
}

TEST(Radix, ChallengeBiasGrowsWithTheSize) {
  const std::map<std::uint32_t, float> biases{{32, -0.3f},    {1024, -0.3f},   {4096, -0.35f},
                                              {16384, -0.4f}, {65536, -0.45f}, {131072, -0.45f}};
  for (const auto& [neurons, bias] : biases) EXPECT_EQ(challenge_bias(neurons), bias) << neurons;
}

TEST(Radix, RefusesOtherSizes) {
  const std::string rest = " neurons: a radix network has 16 times a power of two, from 32 to 67108864 neurons";
  EXPECT_EQ(radix_error({.neurons = 1000, .layers = 1, .residues = {}}), "1000" + rest);
  EXPECT_EQ(radix_error({.neurons = 16, .layers = 1, .residues = {}}), "16" + rest);
  EXPECT_EQ(radix_error({.neurons = 1024, .layers = 0, .residues = {}}), "0 layers: a radix network has at least 1");
}

TEST(Radix, ReadsResiduesAsBytesOrAbove4096NeuronsAs16Bits) {
  const TempFolder folder;
  std::string bytes, words;
  for (unsigned r = 0; r < 32; ++r) bytes += static_cast<char>(r % 2);
  for (unsigned r = 0; r < 8192; ++r) words += {static_cast<char>(r % 512 & 255), static_cast<char>(r % 512 >> 8)};
  const auto narrow = folder.write("narrow.bin", bytes);
  const auto wide = folder.write("wide.bin", words);
  EXPECT_EQ(hash(generate_radix({.neurons = 32, .layers = 1, .residues = narrow})),
            hash(generate_radix({.neurons = 32, .layers = 1, .residues = {}})));
  EXPECT_EQ(hash(generate_radix({.neurons = 8192, .layers = 9, .residues = wide})),
            hash(generate_radix({.neurons = 8192, .layers = 9, .residues = {}})));
}

TEST(Radix, SaysWhatIsWrongWithAResiduesFile) {
  const TempFolder folder;
  std::string good;
  for (unsigned r = 0; r < 32; ++r) good += static_cast<char>(r % 2);
  const auto short_file = folder.write("short.bin", good.substr(1));
  const auto one_group = folder.write("one.bin", good);
  std::string bad = good;
  bad[0] = 1;
  const auto uneven = folder.write("uneven.bin", bad);
  bad[0] = 7;
  const auto outside = folder.write("outside.bin", bad);
  EXPECT_EQ(radix_error({.neurons = 32, .layers = 1, .residues = short_file}),
            short_file.string() + ": 31 bytes are not whole groups of 32 residues (1 byte each for this size)");
  EXPECT_EQ(radix_error({.neurons = 8192, .layers = 1, .residues = one_group}),
            one_group.string() +
                ": 32 bytes are not whole groups of 8192 residues (2 bytes, little-endian, each for this size)");
  EXPECT_EQ(radix_error({.neurons = 32, .layers = 2, .residues = one_group}),
            one_group.string() + ": holds 1 groups of 32 residues, but the layers need 2");
  EXPECT_EQ(radix_error({.neurons = 32, .layers = 1, .residues = uneven}),
            uneven.string() + ": group 0: residue 0 appears 15 times, not 16");
  EXPECT_EQ(radix_error({.neurons = 32, .layers = 1, .residues = outside}),
            outside.string() + ": group 0: residue 7 of input 0 is not below 2 (neurons / 16)");
}

// The checksums are of text made by a separate program from the rule and the residues file.
TEST(Radix, RegeneratesTheOfficialLayersByteForByte) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set: no official residues";
  const auto residues = data_folder() / "graph-challenge" / "n1024_group_residues_u8.bin";
  const Network network = generate_radix({.neurons = 1024, .layers = 120, .residues = residues});
  const TempFolder folder;
  write_challenge_folder(network, folder.path());
  const auto add = [](uLong sum, const std::string& text) {
    return crc32(sum, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  };
  const std::map<int, uLong> pinned{{1, 0xa5eb90d9}, {7, 0x0176db02}, {60, 0x9d7eabfb}, {120, 0xb93e36fa}};
  uLong all = 0;
  for (int l = 1; l <= 120; ++l) {
    const std::string text = read_file(folder / ("n1024-l" + std::to_string(l) + ".tsv"));
    if (const auto pin = pinned.find(l); pin != pinned.end()) {
      EXPECT_EQ(add(0, text), pin->second) << "layer " << l;
    }
    all = add(all, text);
  }
  EXPECT_EQ(all, 0x2c7d904eu) << "all 120 layers one after another";
}

TEST(Radix, OfficialLayersHave32EdgesIntoAndOutOfEveryNeuron) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set: no official residues";
  const auto residues = data_folder() / "graph-challenge" / "n1024_group_residues_u8.bin";
  const Network network = generate_radix({.neurons = 1024, .layers = 120, .residues = residues});
  for (std::size_t l = 0; l < 120; ++l) {
    const SparseMatrix into = transpose(weights_of(network, l));
    for (std::uint32_t r = 0; r < 1024; ++r) ASSERT_EQ(into.row_begin[r + 1] - into.row_begin[r], 32u);
  }
}

}  // namespace
}  // namespace lacuna::tests
