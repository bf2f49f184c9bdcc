#include "engine/tensors/finals.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/parallel.hpp"
#include "engine/tensors/choose_whole.hpp"

namespace lacuna::engine::tensors {
namespace {

constexpr std::size_t most_finalists = 6;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Candidates of a layer, the fastest first; those far behind in trials have lost.
std::vector<int> finalists_of(const std::vector<double>& seconds) {
  constexpr double far_behind = 2;
  std::vector<int> order(seconds.size());
  std::iota(order.begin(), order.end(), 0);
  const auto of = [&](int candidate) { return seconds[static_cast<std::size_t>(candidate)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return of(a) < of(b); });
  while (order.size() > 1 && (order.size() > most_finalists || of(order.back()) > far_behind * of(order.front()))) order.pop_back();
  return order;
}

/// A network with one of its finalists for each layer.
struct Entry {
  std::vector<int> candidates;  ///< of each operator; -1: it has none
  std::vector<Candidates> made;
};

Entry make_entry(const Network& network, const ChooseOptions& options, const Chosen& chosen, const std::vector<Candidates>& made, std::size_t place) {
  Entry entry{std::vector<int>(made.size(), -1), made};
  base::parallel_for(makers_of(options), made.size(), [&](std::size_t k, unsigned) {
    const std::vector<int> finalists = finalists_of(chosen.timings[k].seconds_of_candidates);
    if (finalists.empty()) return;
    entry.candidates[k] = finalists[place < finalists.size() ? place : 0];
    if (entry.candidates[k] == chosen.timings[k].candidate) return;
    const ConvTrial trial(network, network.operators[k], chosen.planes, options);
    entry.made[k].sparse = trial.sparse(trial.sparse_choices().at(static_cast<std::size_t>(entry.candidates[k])));
  });
  return entry;
}

/// Of each operator the least seconds in runs of each program, by turns. Copies do not count: the plan does that.
std::vector<std::vector<double>> seconds_of_operators(std::vector<TensorProgram> programs, std::size_t operators, double enough_seconds) {
  constexpr int fewest_rounds = 3, most_rounds = 60;
  for (TensorProgram& program : programs)
    for (TensorProgram::StepOf& step : program.steps)
      if (step.is_copy) step.op = operators;
  TrialRuns runs(programs);
  std::vector<std::vector<double>> least(programs.size(), std::vector<double>(operators + 1, infinite));
  double spent = 0;
  for (int round = 0; round < fewest_rounds || (round < most_rounds && spent < enough_seconds); ++round)
    for (std::size_t p = 0; p < programs.size(); ++p) {
      std::vector<double> seconds(operators + 1, 0.0);
      runs.run(programs[p], &seconds);
      spent += std::accumulate(seconds.begin(), seconds.end(), 0.0);
      for (std::size_t k = 0; k < seconds.size() && round > 0; ++k) least[p][k] = std::min(least[p][k], seconds[k]);  // the first round touches pages
    }
  return least;
}

}  // namespace

Alike find_alike(const Network& network, const ChooseOptions& options, const Chosen& chosen) {
  std::map<std::string, std::vector<std::size_t>> of_mark;
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    if (!chosen.timings[k].seconds_of_candidates.empty()) of_mark[ConvTrial(network, network.operators[k], chosen.planes, options).mark()].push_back(k);
  Alike alike;
  for (auto& [mark, layers] : of_mark) alike.push_back(std::move(layers));
  return alike;
}

void decide_finals(const Network& network, const ChooseOptions& options, const Alike& alike, const std::vector<Costs>& cost, std::vector<Candidates>& made, Chosen& chosen) {
  const double enough_seconds = options.tune == Tune::full ? 6 : 1.5;
  std::vector<Entry> entries;
  std::vector<TensorProgram> programs;
  const Worlds worlds = worlds_on_planes(network, cost);
  std::size_t places = 1;
  for (const Timing& timing : chosen.timings) places = std::max(places, finalists_of(timing.seconds_of_candidates).size());
  for (std::size_t place = 0; place < places; ++place) {
    entries.push_back(make_entry(network, options, chosen, made, place));
    programs.push_back(build_program(network, in_worlds(entries.back().made, worlds), chosen.planes, options.isa, options.threads));
  }
  const auto seconds = seconds_of_operators(std::move(programs), made.size(), enough_seconds);
  for (const std::vector<std::size_t>& layers : alike) {
    std::map<int, double> least;  // of each finalist
    for (std::size_t e = 0; e < entries.size(); ++e)
      for (std::size_t layer : layers) {
        double& of_candidate = least.try_emplace(entries[e].candidates[layer], infinite).first->second;
        of_candidate = std::min(of_candidate, seconds[e][layer]);
      }
    const int winner = std::min_element(least.begin(), least.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    for (std::size_t layer : layers) {
      for (const auto& [candidate, of_candidate] : least) chosen.timings[layer].seconds_of_candidates[static_cast<std::size_t>(candidate)] = of_candidate;
      take_candidate(ConvTrial(network, network.operators[layer], chosen.planes, options).sparse_choices(), winner, chosen.timings[layer]);
      const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& one) { return one.candidates[layer] == winner; });
      made[layer].sparse = entry->made[layer].sparse;
    }
  }
}

}  // namespace lacuna::engine::tensors
