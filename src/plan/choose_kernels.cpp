#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <tuple>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/choose.hpp"
#include "plan/measure.hpp"

namespace lacuna::plan {
namespace {

constexpr double measure_seconds = 0.002;  // for each candidate of a kind
constexpr double clear_gain = 1.02;        // baked code must be faster by more than the noise

/// Steps of a fourth of a power of two.
unsigned magnitude(std::uint64_t number) {
  if (number < 4) return static_cast<unsigned>(number);
  const auto bits = static_cast<unsigned>(std::bit_width(number));
  return bits * 4 + static_cast<unsigned>(number >> (bits - 3) & 3);
}

/// Some groups of a kind, spread over the network: one alone would find everything in the cache.
std::vector<std::uint32_t> sample_of(const std::vector<std::uint32_t>& groups) {
  constexpr std::size_t most = 4;
  std::vector<std::uint32_t> sample;
  for (std::size_t k = 0; k < std::min(most, groups.size()); ++k) sample.push_back(groups[k * groups.size() / std::min(most, groups.size())]);
  return sample;
}

std::vector<TileShape> shapes_for(cpu::Isa isa, unsigned lanes) {
  const unsigned vectors = lanes / cpu::kernels_for(isa).vector_lanes;
  std::vector<TileShape> shapes;
  for (TileShape shape : tile_shapes(isa))
    if (vectors % shape.vectors == 0) shapes.push_back(shape);
  return shapes;
}

class KindChooser {
 public:
  KindChooser(Plan& plan, const rows::SparseRows& rows, float* arena) : plan_(plan), rows_(rows), arena_(arena) {}

  void choose(GroupKind& kind) {
    std::uint64_t nnz = 0;
    for (std::uint32_t group : kind.groups) nnz += plan_.groups[group].nnz();
    if (nnz == 0 && plan_.wish == KernelWish::automatic) return;
    list_candidates(kind);
    measure(kind);
    if (plan_.wish == KernelWish::baked && kind.candidates.back().over_budget) {  // asked for all the same: the shortest code
      kind.chosen = kind.candidates.back().kernel;
      return;
    }
    const auto best = std::max_element(kind.candidates.begin(), kind.candidates.end(), [](const KernelCandidate& a, const KernelCandidate& b) {
      return a.edges_per_s * (a.kernel.is_baked() ? 1 : clear_gain) < b.edges_per_s * (b.kernel.is_baked() ? 1 : clear_gain);
    });
    kind.chosen = best->kernel;
    if (kind.chosen.is_baked()) budget_left_ -= std::min(budget_left_, best->code_bytes);
  }

 private:
  void list_candidates(GroupKind& kind) {
    if (plan_.wish != KernelWish::baked) kind.candidates.push_back({});
    if (plan_.wish == KernelWish::table) return;
    for (TileShape shape : shapes_for(plan_.isa, plan_.panel_lanes)) {
      KernelCandidate candidate{{shape}};
      for (std::uint32_t group : kind.groups) candidate.code_bytes += estimate_code_bytes(rows_.groups[group], shape);
      candidate.over_budget = candidate.code_bytes > budget_left_;
      kind.candidates.push_back(candidate);
    }
  }

  void measure(GroupKind& kind) {
    const std::vector<std::uint32_t> sample = sample_of(kind.groups);
    std::uint64_t nnz = 0;
    for (std::uint32_t group : sample) nnz += plan_.groups[group].nnz();
    std::vector<std::vector<BakedGroup>> baked(kind.candidates.size());
    std::vector<std::function<void()>> rivals;
    std::vector<KernelCandidate*> measured;
    for (std::size_t k = 0; k < kind.candidates.size(); ++k) {
      KernelCandidate& candidate = kind.candidates[k];
      if (candidate.over_budget) continue;
      measured.push_back(&candidate);
      if (!candidate.kernel.is_baked()) {
        rivals.emplace_back([this, sample] {
          for (std::uint32_t group : sample) cpu::kernels_for(plan_.isa).run_table(plan_.groups[group].view(), plan_.panel_lanes, arena_);
        });
        continue;
      }
      for (std::uint32_t group : sample) baked[k].emplace_back(rows_.groups[group], plan_.isa, plan_.panel_lanes, candidate.kernel.shape);
      rivals.emplace_back([this, &made = baked[k]] {
        for (const BakedGroup& group : made) group.run(arena_);
      });
    }
    if (measured.empty() || plan_.wish == KernelWish::table) return;
    const std::vector<double> seconds = fewest_seconds(rivals, measure_seconds * static_cast<double>(rivals.size()));
    for (std::size_t k = 0; k < measured.size(); ++k) measured[k]->edges_per_s = static_cast<double>(nnz) * plan_.panel_lanes / seconds[k];
  }

  Plan& plan_;
  const rows::SparseRows& rows_;
  float* const arena_;
  std::size_t budget_left_ = code_budget_bytes();
};

base::AlignedFloats warm_arena(const Plan& plan, const rows::SparseRows& rows) {
  base::AlignedFloats arena(std::size_t{rows.planes} * plan.panel_lanes);
  std::fill_n(arena.data(), arena.size(), 0.25f);
  return arena;
}

}  // namespace

std::size_t code_budget_bytes() { return cpu::cpu_info().l2_bytes; }

std::vector<GroupKind> find_kinds(const rows::SparseRows& rows) {
  using Key = std::tuple<unsigned, unsigned, unsigned, bool, std::size_t, ActivationKind>;
  std::map<Key, std::size_t> known;
  std::vector<GroupKind> kinds;
  for (std::uint32_t k = 0; k < rows.groups.size(); ++k) {
    const rows::RowGroup& group = rows.groups[k];
    const Key key{magnitude(group.weights.rows), magnitude(group.weights.columns), magnitude(group.weights.nnz()), group.weights.has_one_value(),
                  group.residuals.size(), group.activation.kind};
    const auto [place, is_new] = known.try_emplace(key, kinds.size());
    if (is_new) kinds.emplace_back();
    kinds[place->second].groups.push_back(k);
  }
  return kinds;
}

void choose_kernels(Plan& plan, const rows::SparseRows& rows) {
  base::AlignedFloats arena = warm_arena(plan, rows);
  KindChooser chooser(plan, rows, arena.data());
  for (GroupKind& kind : plan.kinds) chooser.choose(kind);
}

void bake_chosen(Plan& plan, const rows::SparseRows& rows, unsigned threads) {
  plan.baked.clear();
  plan.baked.resize(rows.groups.size());
  for (const GroupKind& kind : plan.kinds) {
    if (!kind.chosen.is_baked()) continue;
    base::parallel_for(threads, kind.groups.size(), [&](std::size_t k, unsigned) {
      const std::uint32_t group = kind.groups[k];
      plan.baked[group].emplace_back(rows.groups[group], plan.isa, plan.panel_lanes, kind.chosen.shape);
      if (plan.wish != KernelWish::baked) return;
      for (unsigned vectors : cpu::panel_vectors) {
        const unsigned lanes = vectors * cpu::kernels_for(plan.isa).vector_lanes;
        if (lanes < plan.panel_lanes) plan.baked[group].emplace_back(rows.groups[group], plan.isa, lanes, shapes_for(plan.isa, lanes).front());
      }
    });
  }
}

void confirm_choice(Plan& plan, const rows::SparseRows& rows) {
  const bool any = std::any_of(plan.kinds.begin(), plan.kinds.end(), [](const GroupKind& kind) { return kind.chosen.is_baked(); });
  if (!any || plan.wish != KernelWish::automatic) return;
  base::AlignedFloats arena = warm_arena(plan, rows);
  const auto with_table = [&] {
    for (const PackedTable& group : plan.groups) cpu::kernels_for(plan.isa).run_table(group.view(), plan.panel_lanes, arena.data());
  };
  const auto as_chosen = [&] {
    for (std::size_t group = 0; group < plan.groups.size(); ++group) plan.run(group, plan.panel_lanes, arena.data());
  };
  const std::vector<double> seconds = fewest_seconds({with_table, as_chosen}, 8 * measure_seconds);
  plan.gain_of_baked = seconds[0] / seconds[1];
  if (plan.gain_of_baked >= clear_gain) return;
  for (GroupKind& kind : plan.kinds) kind.chosen = {};
  for (std::vector<BakedGroup>& codes : plan.baked) codes.clear();
}

}  // namespace lacuna::plan
