// What a simulated GPU counts and predicts for challenge networks: Lacuna's kernels and a published scheme (At-Scale) on the same networks. Answers are
// compared before a figure is printed. One JSON object a line. Usage:
//   gpu_predict general|radix MODEL NEURONS [INPUTS]            one layer, all inputs alive: kernels alone
//   gpu_predict published MODEL NEURONS                         the published scheme's time for 60,000 inputs, beside what its authors measured
//   gpu_predict optimised MODEL NEURONS LAYERS [INPUTS]         Lacuna with all exact optimisations; fewer than 60,000 inputs are scaled up
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include <lacuna/lacuna.hpp>

#include "at_scale_runner.hpp"
#include "devices/cuda/open.hpp"
#include "engine/gpus/gpu_program.hpp"

namespace {

using namespace lacuna;

struct Figures {
  double seconds, instructions, conflicts, dram_bytes, launches;
  std::string bound;
};

Figures figures_of(cuda::Simulation& simulation, const std::string& kernel = {}) {
  Figures figures{simulation.figure("predicted_seconds", kernel), simulation.figure("warp_instructions", kernel), simulation.figure("shared_conflict_cycles", kernel),
                  simulation.figure("dram_bytes_read", kernel) + simulation.figure("dram_bytes_written", kernel), simulation.figure("launches", kernel), {}};
  for (const char* part : {"issue", "fp32", "integer", "special", "shared", "l2", "dram", "launch"})
    if (figures.bound.empty() || simulation.figure("seconds_" + std::string(part), kernel) > simulation.figure("seconds_" + figures.bound, kernel)) figures.bound = part;
  return figures;
}

/// Random values of which all are alive.
Tensor some_inputs(std::uint32_t count, std::uint32_t width) {
  Tensor inputs{{count, width}, std::vector<float>(std::size_t{count} * width)};
  std::uint32_t state = 12345;
  for (float& value : inputs.values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / (1 << 24);
  }
  return inputs;
}

std::string describe(const Figures& figures, double edges, double inputs, double least_bytes) {
  return fmt::format("\"predicted_seconds\": {:.6g}, \"bound\": \"{}\", \"warp_instructions_per_edge\": {:.3f}, \"shared_conflict_cycles\": {}, \"dram_of_least\": {:.3f}",
                     figures.seconds, figures.bound, figures.instructions / (edges * inputs / 32), figures.conflicts, figures.dram_bytes / least_bytes);
}

/// One layer of a general or a challenge network, all inputs alive: kernels alone.
int compare_layer(const std::string& kind, const std::string& model, std::uint32_t neurons, std::uint32_t count) {
  Network network = kind == "general" ? generate_general({neurons, 1, 16, 48, 1}) : generate_radix({neurons, 1, 1, {}});
  auto& linear = std::get<Linear>(network.operators[0].operation);
  linear.bias = std::vector<float>{-0.3f};  // the published scheme has one bias for all
  const Tensor inputs = some_inputs(count, neurons);
  const auto edges = static_cast<double>(count_edges(network));
  const double least_bytes = 2.0 * count * neurons * 4 + edges * 6;
  auto devices = gpu::open_devices("sim:" + model);
  const auto simulation = cuda::simulation_of(*devices[0]);

  bench::AtScaleRunner published(devices[0]);
  simulation->reset();
  const std::vector<float> expected = published.run(linear.weights, linear.bias[0], inputs.values);
  const Figures theirs = figures_of(*simulation);
  fmt::print("{{\"case\": \"{} {}\", \"model\": \"{}\", \"inputs\": {}, \"kernel\": \"at-scale\", {}, \"padding\": {:.2f}}}\n", kind, neurons, model, count,
             describe(theirs, edges, count, least_bytes), published.padding());
  std::fflush(stdout);

  for (const char* wish : {"table", "baked"}) {
    if (std::strcmp(wish, "baked") == 0 && edges > 150000) continue;
    const auto program = engine::gpus::compile_layers(network, devices, {plan::parse_kernel_wish(wish), {}, false});
    simulation->reset();
    RunReport report;
    const Tensor got = program->open()->run(engine::Batch(inputs), report).to_tensor();
    double worst = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) worst = std::max<double>(worst, std::abs(expected[k] - got.values[k]) / std::max(1.0f, std::abs(expected[k])));
    if (worst > 1e-4) return fmt::print(stderr, "the answers differ by {}\n", worst), 1;
    const Figures ours = figures_of(*simulation);
    fmt::print("{{\"case\": \"{} {}\", \"model\": \"{}\", \"inputs\": {}, \"kernel\": \"{}\", {}, \"times_at_scale\": {:.2f}, \"worst_difference\": {:.2g}}}\n", kind, neurons,
               model, count, wish, describe(ours, edges, count, least_bytes), theirs.seconds / ours.seconds, worst);
    std::fflush(stdout);
  }
  return 0;
}

/// What the authors of the published scheme measured, trillion edges/s at 120, 480 and 1,920 layers, and the share of inputs x layers that is alive in
/// such networks (both from the literature, see docs/decisions/0016-gpu-layers.md).
struct Published {
  std::uint32_t neurons;
  std::array<double, 3> v100, a100, alive;
};
constexpr std::array<std::uint32_t, 3> depths = {120, 480, 1920};
constexpr std::array<Published, 4> published_rates = {{{1024, {10.51, 12.87, 14.30}, {16.74, 20.99, 20.68}, {0.058, 0.038, 0.033}},
                                                       {4096, {9.45, 11.74, 13.88}, {14.27, 18.63, 19.86}, {0.058, 0.038, 0.033}},
                                                       {16384, {6.15, 7.45, 7.84}, {11.60, 14.31, 15.27}, {0.060, 0.039, 0.034}},
                                                       {65536, {3.47, 3.83, 3.93}, {8.15, 9.08, 9.33}, {0.060, 0.039, 0.034}}}};
constexpr double challenge_inputs = 60000;

/// Layers of the second group (the first whose inputs are permuted), a sample of the strides; time for each input of a layer, without the launch.
int predict_published(const std::string& model, std::uint32_t neurons) {
  const auto known = std::find_if(published_rates.begin(), published_rates.end(), [&](const Published& one) { return one.neurons == neurons; });
  if (known == published_rates.end() || (model != "v100" && model != "a100")) return fmt::print(stderr, "published: v100 or a100, 1024 to 65536 neurons\n"), 2;
  auto devices = gpu::open_devices("sim:" + model);
  const auto simulation = cuda::simulation_of(*devices[0]);
  bench::AtScaleRunner scheme(devices[0]);
  const auto group = static_cast<std::uint32_t>(std::bit_width(neurons / 16) - 1);
  const Network network = generate_radix({neurons, 2 * group, 1, {}});
  const std::uint32_t inputs = std::max(864 * 256 / neurons, 4u) * 12;
  const Tensor values = some_inputs(inputs, neurons);
  double seconds_of_input = 0, launch = 0, padding = 0;
  const std::array<std::uint32_t, 3> sample = {group, group + group / 2, 2 * group - 1};
  for (std::uint32_t layer : sample) {
    simulation->reset();
    scheme.run(std::get<Linear>(network.operators[layer].operation).weights, -0.3f, values.values);
    launch = simulation->figure("seconds_launch");
    seconds_of_input += (simulation->figure("predicted_seconds") - launch) / inputs / sample.size();
    padding += scheme.padding() / sample.size();
  }
  for (std::size_t k = 0; k < depths.size(); ++k) {
    const double seconds = depths[k] * (challenge_inputs * known->alive[k] * seconds_of_input + launch);
    const double rate = challenge_inputs * 32 * neurons * depths[k] / seconds / 1e12, measured = (model == "v100" ? known->v100 : known->a100)[k];
    fmt::print("{{\"case\": \"published {} x {}\", \"model\": \"{}\", \"predicted_seconds\": {:.5g}, \"predicted_trillion_edges_per_s\": {:.2f}, \"published\": {}, \"predicted_of_published\": {:.2f}, \"padding\": {:.2f}}}\n",
               neurons, depths[k], model, seconds, rate, measured, rate / measured, padding);
  }
  return 0;
}

int predict_optimised(const std::string& model, std::uint32_t neurons, std::uint32_t layers, std::uint32_t inputs) {
  const Network network = generate_radix({neurons, layers, 1, {}});
  InputOptions wanted;
  wanted.neurons = neurons;
  wanted.count = inputs;
  const BitMatrix bits = pack_bits(generate_inputs(wanted));
  CompileOptions options;
  options.device = "sim:" + model;
  const Program program = compile(network, options);
  Session session = program.open();
  const Outputs outputs = session.run(bits);
  const Outputs expected = compile(network, {}).open().run(bits);
  if (outputs.survivors != expected.survivors) return fmt::print(stderr, "survivors differ from the cpu's\n"), 1;
  const std::size_t groups = program.network().operators.size();
  const double launch = 1e-6 * static_cast<double>(groups), scale = challenge_inputs / inputs;
  const double seconds = std::min(session.report().seconds, launch) + std::max(session.report().seconds - launch, 0.0) * scale;
  fmt::print("{{\"case\": \"optimised {} x {}\", \"model\": \"{}\", \"inputs\": {}, \"survivors\": {}, \"predicted_seconds\": {:.5g}, \"predicted_seconds_of_sample\": {:.5g}, \"nominal_trillion_edges_per_s\": {:.1f}, \"active_edges\": {}}}\n",
             neurons, layers, model, inputs, outputs.survivors.size(), seconds, session.report().seconds, challenge_inputs * 32 * neurons * layers / seconds / 1e12,
             session.report().active_edges);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int place, std::uint32_t otherwise) { return argc > place ? static_cast<std::uint32_t>(std::atoi(argv[place])) : otherwise; };
  if (argc < 4) return fmt::print(stderr, "usage: gpu_predict general|radix|published|optimised MODEL NEURONS ...\n"), 2;
  const std::string what = argv[1];
  try {
    if (what == "published") return predict_published(argv[2], number(3, 1024));
    if (what == "optimised") return predict_optimised(argv[2], number(3, 1024), number(4, 120), number(5, 60000));
    return compare_layer(what, argv[2], number(3, 1024), number(4, 3456));
  } catch (const Error& error) {
    return fmt::print(stderr, "{}\n", error.what()), 1;
  }
}
