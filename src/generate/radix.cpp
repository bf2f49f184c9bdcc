// generate_radix: the networks of the Sparse DNN Graph Challenge. With M = N/16 and K = log2 M, layer l belongs to
// group g = l / K and has stride s = 2^(l mod K); output c sums the 32 inputs r with q_g(r) = c or c + s (mod M), all
// weights 1/16. Rows are built compressed and shared where equal: 65,536 x 1,920 takes 8 GB.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "generate/residues.hpp"

namespace lacuna {
namespace generate {
namespace {

constexpr std::uint32_t fan_in = 2 * copies_per_residue;

void check(const RadixOptions& options) {
  const std::uint32_t neurons = options.neurons;
  if (neurons < 32 || neurons > (1u << 26) || !std::has_single_bit(neurons))
    throw InputError(
        fmt::format("{} neurons: a radix network has 16 times a power of two, from 32 to 67108864 neurons", neurons));
  if (options.layers == 0) throw InputError("0 layers: a radix network has at least 1");
}

/// The 16 inputs of each residue, ascending: inputs of residue m start at 16 m.
std::vector<std::uint32_t> inputs_by_residue(const std::vector<std::uint32_t>& residues) {
  std::vector<std::uint32_t> inputs(residues.size());
  std::vector<std::uint32_t> filled(residues.size() / copies_per_residue);
  for (std::uint32_t r = 0; r < residues.size(); ++r)
    inputs[residues[r] * copies_per_residue + filled[residues[r]]++] = r;
  return inputs;
}

template <typename Column>
Array<Column> layer_columns(const std::vector<std::uint32_t>& inputs, std::uint32_t stride) {
  const auto neurons = static_cast<std::uint32_t>(inputs.size());
  const std::uint32_t modulus = neurons / copies_per_residue;
  const auto block = static_cast<std::ptrdiff_t>(modulus) * fan_in;
  const std::size_t edges = static_cast<std::size_t>(neurons) * fan_in;
  const auto storage = std::make_shared_for_overwrite<Column[]>(edges);
  Column* const columns = storage.get();
  const auto narrow = [](std::uint32_t input) { return static_cast<Column>(input); };
  for (std::uint32_t c = 0; c < modulus; ++c) {
    const std::uint32_t* first = inputs.data() + c * copies_per_residue;
    const std::uint32_t* second = inputs.data() + (c + stride) % modulus * copies_per_residue;
    std::uint32_t row[fan_in];
    std::merge(first, first + copies_per_residue, second, second + copies_per_residue, row);
    std::transform(row, row + fan_in, columns + static_cast<std::ptrdiff_t>(c) * fan_in, narrow);
  }
  for (std::uint32_t copy = 1; copy < copies_per_residue; ++copy) std::copy_n(columns, block, columns + copy * block);
  return {std::span<const Column>(columns, edges), storage};
}

}  // namespace
}  // namespace generate

Network generate_radix(const RadixOptions& options) {
  generate::check(options);
  const std::uint32_t neurons = options.neurons;
  const auto group_layers =
      static_cast<std::uint32_t>(std::countr_zero(neurons) - std::countr_zero(generate::copies_per_residue));
  const std::uint32_t groups = (options.layers - 1) / group_layers + 1;
  const generate::Residues residues = options.residues.empty()
                                          ? generate::random_residues(neurons, groups, options.seed)
                                          : generate::read_residues(options.residues, neurons, groups);

  std::vector<std::uint32_t> positions(neurons + 1);
  for (std::uint32_t c = 0; c <= neurons; ++c) positions[c] = c * generate::fan_in;
  const SparseMatrix shared{neurons, neurons, std::move(positions), {}, {}, std::vector<float>{0.0625f}};
  const Array<float> bias = std::vector<float>{challenge_bias(neurons)};

  Network network;
  network.input = network.output = network.add_value("input", Shape{{neurons}});
  for (std::uint32_t l = 0; l < options.layers; ++l) {
    const ValueId from = network.output;
    network.output = network.add_value(fmt::format("l{}", l + 1), Shape{{neurons}});
    network.operators.push_back({Linear{shared, bias, Activation::clip(0, 32)}, {from}, network.output});
  }
  base::parallel_for(base::thread_count(0), groups, [&](std::size_t g, unsigned) {
    const std::vector<std::uint32_t> inputs = generate::inputs_by_residue(residues[g]);
    const std::size_t end = std::min<std::size_t>((g + 1) * group_layers, options.layers);
    for (std::size_t l = g * group_layers; l < end; ++l) {
      SparseMatrix& weights = std::get<Linear>(network.operators[l].operation).weights;
      const std::uint32_t stride = 1u << (l % group_layers);
      if (neurons <= 65536)
        weights.narrow_columns = generate::layer_columns<std::uint16_t>(inputs, stride);
      else
        weights.wide_columns = generate::layer_columns<std::uint32_t>(inputs, stride);
    }
  });
  return network;
}

}  // namespace lacuna
