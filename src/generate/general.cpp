// generate_general: a network with nothing to merge and no input that dies, so that its speed is the kernels' own.
// Weights are uniform around a slightly positive mean and scaled as for ReLU; the first layer lifts 0/1 inputs to the
// size of signals that the clip at 32 then holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"
#include "generate/random.hpp"

namespace lacuna {
namespace generate {
namespace {

// Found by simulation in f32 and f64 (1,024 and 4,096 neurons, 120 to 1,920 layers, seeds 1 to 3). With zero mean every
// gain above 1 is chaotic (f32 and f64 part after some hundred layers) and below it inputs die; a larger mean makes all
// inputs equal. At these values a difference neither grows nor shrinks much: after 1,920 layers f32 is within 3e-4 of
// f64 and inputs still differ by 2e-3 to 5e-3.
constexpr double gain = 1.05;              // standard deviation of a weight: gain * sqrt(2 / mean fan-in)
constexpr double mean_share = 0.2828427;   // mean of a weight: its standard deviation * mean_share / sqrt(mean fan-in)
constexpr double first_layer_lift = 20.0;  // inputs are 0 or 1, a tenth of them 1; later signals average about 10
constexpr double lowest_bias = -0.3;       // all biases <= 0: "add only where the sum is nonzero" is then a dense add
constexpr std::int32_t unit = 1 << 24;     // a weight is an odd number in (-unit, unit) times a step: never zero

struct Layer {
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> weights;
  std::vector<float> biases;
};

void check(const GeneralOptions& options) {
  if (options.neurons == 0) throw InputError("0 neurons: a network has at least 1");
  if (options.layers == 0) throw InputError("0 layers: a network has at least 1");
  if (options.fan_in_low == 0 || options.fan_in_low > options.fan_in_high)
    throw InputError(
        fmt::format("fan-in from {} to {}: give 1 <= low <= high", options.fan_in_low, options.fan_in_high));
  const std::uint64_t most_edges =
      static_cast<std::uint64_t>(options.neurons) * std::min(options.fan_in_high, options.neurons);
  if (most_edges >= std::uint64_t{1} << 32)
    throw InputError(fmt::format("{} neurons with fan-in {} may have {} weights in a layer; the limit is 4294967295",
                                 options.neurons, options.fan_in_high, most_edges));
}

Layer make_layer(const GeneralOptions& options, std::uint32_t layer) {
  const std::uint32_t low = std::min(options.fan_in_low, options.neurons);
  const std::uint32_t high = std::min(options.fan_in_high, options.neurons);
  const double mean_fan_in = 0.5 * (static_cast<double>(low) + high);
  const double deviation = gain * std::sqrt(2 / mean_fan_in) * (layer == 0 ? first_layer_lift : 1.0);
  const double step = deviation * std::sqrt(3.0) / unit;
  const auto offset = 2 * static_cast<std::int32_t>(mean_share / std::sqrt(3 * mean_fan_in) * unit / 2);

  Random random(options.seed, layer);
  const auto uniform = [&] { return static_cast<std::int32_t>(random.next() >> 40); };  // in [0, unit)
  std::vector<std::uint32_t> sources(options.neurons);
  std::iota(sources.begin(), sources.end(), 0u);
  Layer made;
  for (std::uint32_t row = 0; row < options.neurons; ++row) {
    const std::uint32_t fan_in = low + random.below(high - low + 1);
    random.shuffle_first<std::uint32_t>(sources, fan_in);
    const auto chosen_end = sources.begin() + fan_in;
    std::sort(sources.begin(), chosen_end);
    made.columns.insert(made.columns.end(), sources.begin(), chosen_end);
    for (std::uint32_t i = 0; i < fan_in; ++i)
      made.weights.push_back(static_cast<float>((2 * uniform() + 1 - unit + offset) * step));
    made.biases.push_back(static_cast<float>(uniform() * (lowest_bias / unit)));
    made.row_begin.push_back(static_cast<std::uint32_t>(made.columns.size()));
  }
  return made;
}

}  // namespace
}  // namespace generate

Network generate_general(const GeneralOptions& options) {
  generate::check(options);
  const std::uint32_t neurons = options.neurons;
  Network network;
  network.input = network.output = network.add_value("input", Shape{{neurons}});
  for (std::uint32_t l = 0; l < options.layers; ++l) {
    const ValueId from = network.output;
    network.output = network.add_value(fmt::format("l{}", l + 1), Shape{{neurons}});
    network.operators.push_back({Linear{{}, {}, Activation::clip(0, 32)}, {from}, network.output});
  }
  base::parallel_for(base::thread_count(0), options.layers, [&](std::size_t l, unsigned) {
    generate::Layer made = generate::make_layer(options, static_cast<std::uint32_t>(l));
    Linear& linear = std::get<Linear>(network.operators[l].operation);
    linear.weights = make_sparse_matrix(neurons, neurons, std::move(made.row_begin), std::move(made.columns),
                                        std::move(made.weights));
    linear.bias = std::move(made.biases);
  });
  return network;
}

}  // namespace lacuna
