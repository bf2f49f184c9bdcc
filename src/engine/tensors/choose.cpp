#include "engine/tensors/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/tensors/bands.hpp"
#include "engine/tensors/choices_cache.hpp"
#include "engine/tensors/choose_whole.hpp"
#include "engine/tensors/finals.hpp"
#include "engine/tensors/int8_conv.hpp"
#include "engine/tensors/one_by_one.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/value_planes.hpp"

namespace lacuna::engine::tensors {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// As much memory as a run of the whole network reads, roughly; L2 at least.
base::AlignedFloats memory_of_others(const Network& network) {
  constexpr std::size_t bytes_of_nonzero = 12, most_bytes = std::size_t{64} << 20;
  std::size_t bytes = 0;
  for (const Operator& op : network.operators)
    if (const auto* conv = std::get_if<Conv>(&op.operation))
      bytes += bytes_of_nonzero * static_cast<std::size_t>(std::count_if(conv->weights.begin(), conv->weights.end(), [](float weight) { return weight != 0; }));
  base::AlignedFloats memory(std::clamp(bytes, cpu::cpu_info().l2_bytes * 3 / 2, most_bytes) / sizeof(float));
  std::fill_n(memory.data(), memory.size(), 0.0f);
  return memory;
}

/// Moving a value through a plain loop; used for what is not measured.
double pass_seconds(const Network& network, const Operator& op, double bytes_per_s) {
  std::uint64_t bytes = network.value(op.output).shape.size() * 4;
  for (ValueId id : op.inputs)
    if (id != no_value && !network.value(id).is_constant) bytes += network.value(id).shape.size() * 4;
  return 1e-6 + static_cast<double>(bytes) / bytes_per_s;
}

Costs cost_of(const Network& network, const Operator& op, const Candidates& made, const Timing& timing, Precision precision) {
  if (std::holds_alternative<Conv>(op.operation) || made.dense) {
    const Costs cost{infinite, made.sparse ? timing.seconds_sparse : infinite, made.dense ? timing.seconds_dense : infinite, made.dense_bf16 ? timing.seconds_bf16 : infinite};
    return made.sparse || made.dense || made.dense_bf16 ? cost : Costs{1.0, infinite, infinite, infinite};
  }
  Costs cost{pass_seconds(network, op, 3e9), infinite, infinite, infinite};
  if (can_run_on_planes(network, op)) cost[1] = pass_seconds(network, op, 8e9);
  if (pool_shape(network, op)) cost[2] = pass_seconds(network, op, 8e9);
  if (pool_shape(network, op) && precision == Precision::bf16 && network.value(op.output).type == ElementType::f32) cost[3] = pass_seconds(network, op, 16e9);
  return cost;
}

/// A trial may be disturbed. Layers alike take for each kernel the least that was seen with one of them, and the kernel that is then the fastest.
void compare_alike(const Network& network, const ChooseOptions& options, const Alike& alike, std::vector<Candidates>& made, Chosen& chosen) {
  for (const std::vector<std::size_t>& layers : alike) {
    Timing least = chosen.timings[layers.front()];
    for (std::size_t layer : layers) {
      const Timing& timing = chosen.timings[layer];
      least.seconds_dense = std::min(least.seconds_dense, timing.seconds_dense);
      least.seconds_bf16 = std::min(least.seconds_bf16, timing.seconds_bf16);
      for (std::size_t c = 0; c < least.seconds_of_candidates.size(); ++c) least.seconds_of_candidates[c] = std::min(least.seconds_of_candidates[c], timing.seconds_of_candidates[c]);
    }
    pick_fastest(ConvTrial(network, network.operators[layers.front()], chosen.planes, options).sparse_choices(), least);
    for (std::size_t layer : layers) {
      const int before = chosen.timings[layer].candidate;
      chosen.timings[layer] = least;
      if (before == least.candidate) continue;
      const ConvTrial trial(network, network.operators[layer], chosen.planes, options);
      made[layer].sparse = trial.sparse(trial.sparse_choices().at(static_cast<std::size_t>(least.candidate)));
    }
  }
}

std::vector<Costs> costs_of(const Network& network, const ChooseOptions& options, const std::vector<Candidates>& made, const Chosen& chosen) {
  std::vector<Costs> cost;
  for (std::size_t k = 0; k < network.operators.size(); ++k) cost.push_back(cost_of(network, network.operators[k], made[k], chosen.timings[k], options.precision));
  return cost;
}

/// What was found before; nothing has to be timed. False if a kernel is none of the candidates, as in a damaged file.
bool take_remembered(const Remembered& remembered, const Network& network, const ChooseOptions& options, Chosen& chosen) {
  std::atomic<bool> is_sound = true;
  base::parallel_for(makers_of(options), network.operators.size(), [&](std::size_t k, unsigned) {
    dense::use_threads(options.threads);  // of this worker
    Choice& choice = chosen.choices[k];
    choice.world = remembered.worlds[k];
    chosen.timings[k] = remembered.timings[k];
    if (k >= remembered.band_first && k < remembered.band_end) return;  // bands have kernels of their own
    if (choice.world == World::dense) choice.dense = int8_conv(network, network.operators[k]);
    if (!std::holds_alternative<Conv>(network.operators[k].operation)) return;
    const ConvTrial trial(network, network.operators[k], chosen.planes, options);
    if (choice.world == World::dense) choice.dense = trial.dense(dense::Type::f32);
    if (choice.world == World::dense_bf16) choice.dense = trial.dense(dense::Type::bf16);
    if (choice.world != World::planes) return;
    const std::vector<plan::ConvKernelChoice> candidates = trial.sparse_choices();
    const auto candidate = static_cast<std::size_t>(chosen.timings[k].candidate);
    if (candidate < candidates.size())
      choice.sparse = trial.sparse(candidates[candidate]);
    else
      is_sound = false;
  });
  if (!is_sound) {
    chosen.timings.assign(network.operators.size(), {});
    return false;
  }
  chosen.seconds_mixed = remembered.seconds_mixed;
  chosen.seconds_dense = remembered.seconds_dense;
  chosen.fell_back = remembered.fell_back;
  chosen.arrangement = remembered.arrangement;
  if (remembered.band_first < remembered.band_end) chosen.bands = make_bands(network, options, chosen.planes, remembered.band_first, remembered.band_end);
  return true;
}

std::string name_of_choices(const ChooseOptions& options) {
  if (options.part != nullptr) return options.part->name;
  return options.band_input != nullptr ? fmt::format("a band {} apart, {}", options.band_input->channel, options.band_input->row) : "tensors";
}

}  // namespace

Tune parse_tune(std::string_view word) {
  if (word == "off") return Tune::off;
  if (word == "fast") return Tune::fast;
  if (word == "full") return Tune::full;
  throw InputError(fmt::format("no tuning is called \"{}\"; give off, fast or full", word));
}

TensorProgram build(const Network& network, const Chosen& chosen, unsigned threads) {
  return chosen.split ? build_split(network, *chosen.split, threads) : build_program(network, chosen.choices, chosen.planes, chosen.isa, threads, chosen.arrangement, chosen.bands.get());
}

Chosen choose(const Network& network, const ChooseOptions& options) {
  const std::size_t operators = count_one_by_one(network, options);
  return operators > 0 ? choose_one_by_one(network, operators, options) : choose_together(network, options);
}

Chosen choose_together(const Network& network, const ChooseOptions& options) {
  dense::use_threads(options.threads);
  Chosen chosen;
  chosen.isa = options.isa;
  chosen.planes = options.part != nullptr ? options.part->planes : planes_of_values(network, options);
  chosen.choices.resize(network.operators.size());
  chosen.timings.resize(network.operators.size());
  chosen.is_timed = options.tune != Tune::off;
  const ChoicesCache cache(name_of_choices(options), network, options);
  if (const auto remembered = cache.recall(network.operators.size()); remembered && take_remembered(*remembered, network, options, chosen)) {
    chosen.cache_note = fmt::format("these figures were measured before and are remembered in {}", cache.file().string());
    return chosen;
  }
  const base::AlignedFloats others = options.tune == Tune::off ? base::AlignedFloats() : memory_of_others(network);
  std::vector<Candidates> made(network.operators.size());
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const Operator& op = network.operators[k];
    if (options.progress) options.progress("tuning", k, network.operators.size());
    if (std::holds_alternative<Conv>(op.operation))
      made[k] = ConvTrial(network, op, chosen.planes, options).run(others, chosen.timings[k]);
    else
      made[k].dense = int8_conv(network, op);  // not timed: it has no rival but plain loops
  }
  const Alike alike = find_alike(network, options, chosen);
  compare_alike(network, options, alike, made, chosen);
  if (!alike.empty()) decide_finals(network, options, alike, costs_of(network, options, made, chosen), made, chosen);
  choose_whole(network, options, made, costs_of(network, options, made, chosen), chosen);
  choose_bands(network, options, chosen);
  if (options.progress) options.progress("tuning", network.operators.size(), network.operators.size());
  chosen.cache_note = cache.remember(chosen);
  return chosen;
}

}  // namespace lacuna::engine::tensors
