#include "engine/tensors/choose_whole.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "plan/measure.hpp"

namespace lacuna::engine::tensors {
namespace {

using plan::KernelWish;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr auto no_plan = static_cast<std::size_t>(-1);

/// Adds a plan if it is none of those before. Its number.
std::size_t add_plan(Worlds worlds, std::vector<Worlds>& plans) {
  const auto found = std::find(plans.begin(), plans.end(), worlds);
  if (found != plans.end()) return static_cast<std::size_t>(found - plans.begin());
  plans.push_back(std::move(worlds));
  return plans.size() - 1;
}

/// The best plan that does without some worlds; no_plan if an operator needs one of them.
std::size_t add_plan(const Network& network, std::vector<Costs> cost, std::initializer_list<World> without, std::vector<Worlds>& plans) {
  for (Costs& of_op : cost) {
    for (World world : without) of_op[static_cast<std::size_t>(world)] = infinite;
    if (*std::min_element(of_op.begin(), of_op.end()) == infinite) return no_plan;
  }
  return add_plan(choose_worlds(network, cost), plans);
}

/// Memory of their own helps threads on cores that are far apart, and costs those that share a cache, as the same threads may a minute later; it must pay for what it takes. So must strips, for the code they need.
Arrangement choose_arrangement(const Network& network, const ChooseOptions& options, const Chosen& chosen) {
  constexpr double must_gain_alike = 0.92, must_gain_chains = 0.99;
  const bool has_planes = std::any_of(chosen.choices.begin(), chosen.choices.end(), [](const Choice& choice) { return choice.world == World::planes; });
  if (options.tune == Tune::off || !has_planes) return {};
  const unsigned most_chains = options.kernel == KernelWish::automatic ? 3 : 0;  // strips choose kernels of their own
  std::vector<TensorProgram> programs;
  std::vector<Arrangement> made;
  for (Sharing sharing : {Sharing::all, Sharing::alike}) {
    if (sharing == Sharing::alike && options.threads == 1) continue;
    for (unsigned chains = 0; chains <= most_chains; ++chains) {
      TensorProgram program = build_program(network, chosen.choices, chosen.planes, options.isa, options.threads, {sharing, chains});
      if (program.chains < chains) break;
      programs.push_back(std::move(program));
      made.push_back({sharing, chains});
    }
  }
  if (programs.size() == 1) return made[0];
  std::vector<double> seconds = run_seconds(programs);
  for (std::size_t k = 0; k < made.size(); ++k) seconds[k] /= (made[k].sharing == Sharing::alike ? must_gain_alike : 1.0) * (made[k].chains > 0 ? must_gain_chains : 1.0);
  return made[static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin())];
}

}  // namespace

std::vector<Choice> in_worlds(const std::vector<Candidates>& made, const Worlds& worlds) {
  std::vector<Choice> choices;
  for (std::size_t k = 0; k < made.size(); ++k) {
    Choice choice{worlds[k], {}, {}};
    if (worlds[k] == World::dense) choice.dense = made[k].dense;
    if (worlds[k] == World::dense_bf16) choice.dense = made[k].dense_bf16;
    if (worlds[k] == World::planes) choice.sparse = made[k].sparse;
    choices.push_back(std::move(choice));
  }
  return choices;
}

Worlds worlds_on_planes(const Network& network, std::vector<Costs> cost) {
  constexpr auto planes = static_cast<std::size_t>(World::planes);
  for (Costs& of_op : cost)
    if (of_op[planes] < infinite) of_op = {infinite, of_op[planes], infinite, infinite};
  return choose_worlds(network, cost);
}

TrialRuns::TrialRuns(const std::vector<TensorProgram>& programs) {
  std::size_t arena_bytes = 0;
  for (const TensorProgram& program : programs) arena_bytes = std::max(arena_bytes, program.arena_bytes);
  arena_ = base::AlignedFloats(arena_bytes / sizeof(float) + 16);
  std::fill_n(arena_.data(), arena_.size(), 0.0f);
  for (const TensorProgram::Port& port : programs[0].inputs)
    inputs_.push_back({port.type, {port.shape.extents.begin(), port.shape.extents.end()}, std::vector<std::byte>(port.shape.size() * size_of(port.type))});
}

std::vector<double> run_seconds(const std::vector<TensorProgram>& programs) {
  TrialRuns runs(programs);
  std::vector<std::function<void()>> rivals;
  for (const TensorProgram& program : programs) rivals.push_back([&] { runs.run(program); });
  return plan::fewest_seconds(rivals, 0.3);
}

void choose_whole(const Network& network, const ChooseOptions& options, const std::vector<Candidates>& made, const std::vector<Costs>& cost, Chosen& chosen) {
  std::vector<Worlds> plans{choose_worlds(network, cost)};
  const bool measures = options.tune != Tune::off && (options.kernel == KernelWish::automatic || options.kernel == KernelWish::dense);
  std::size_t all_dense = no_plan, best = 0;
  if (measures) {
    add_plan(worlds_on_planes(network, cost), plans);
    add_plan(network, cost, {World::planes}, plans);
    add_plan(network, cost, {World::dense_bf16}, plans);
    all_dense = add_plan(network, cost, {World::planes, World::dense_bf16}, plans);
  }
  if (plans.size() > 1) {
    std::vector<TensorProgram> programs;
    for (const Worlds& worlds : plans) programs.push_back(build_program(network, in_worlds(made, worlds), chosen.planes, options.isa, options.threads));
    std::vector<double> seconds = run_seconds(programs);
    best = static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    chosen.fell_back = best == all_dense;
    if (all_dense != no_plan) chosen.seconds_dense = std::exchange(seconds[all_dense], infinite);
    chosen.seconds_mixed = *std::min_element(seconds.begin(), seconds.end());
  }
  chosen.choices = in_worlds(made, plans[best]);
  chosen.arrangement = choose_arrangement(network, options, chosen);
}

}  // namespace lacuna::engine::tensors
