#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/choose.hpp"
#include "plan/measure.hpp"

namespace lacuna::plan {
namespace {

constexpr std::size_t largest_arena = std::size_t{256} << 20;
constexpr double measure_seconds = 0.002;  // for each candidate
// Fours are much faster on the narrow panels that few inputs leave (decision 0006), so they win unless rows are clearly faster on wide ones.
constexpr double rows_must_gain = 1.03;
// Where the first layers, which all inputs pass, are thin, rates this close are alike and the wider panel is the better one: what a row costs beside its nonzeros counts there.
constexpr double close_to_best = 0.93;
constexpr double thin_row = 8;  // nonzeros

/// Groups to time: enough to see the weights stream, few enough to be done in milliseconds.
std::vector<const rows::RowGroup*> sample_groups(const rows::SparseRows& rows) {
  constexpr std::size_t most = 40;
  constexpr std::size_t enough_nnz = std::size_t{2} << 20;  // 12 MB to stream
  std::vector<const rows::RowGroup*> sample;
  const std::size_t step = std::max<std::size_t>(1, rows.groups.size() / most);
  std::size_t nnz = 0;
  for (std::size_t k = 0; k < rows.groups.size() && sample.size() < most && nnz < enough_nnz; k += step) {
    sample.push_back(&rows.groups[k]);
    nnz += rows.groups[k].weights.nnz();
  }
  return sample;
}

struct PackedSample {
  Layout layout;
  std::vector<PackedTable> tables;
};

PackedSample pack_sample(const std::vector<const rows::RowGroup*>& groups, Layout layout, unsigned threads) {
  std::vector<std::unique_ptr<PackedTable>> packed(groups.size());
  base::parallel_for(threads, groups.size(), [&](std::size_t k, unsigned) { packed[k] = std::make_unique<PackedTable>(*groups[k], layout); });
  PackedSample sample{layout, {}};
  for (auto& table : packed) sample.tables.push_back(std::move(*table));
  put_together(sample.tables);
  return sample;
}

std::vector<PackedSample> pack_samples(const rows::SparseRows& rows, unsigned threads) {
  const std::vector<const rows::RowGroup*> groups = sample_groups(rows);
  std::vector<PackedSample> samples;
  samples.push_back(pack_sample(groups, Layout::rows, threads));
  PackedSample fours = pack_sample(groups, Layout::fours, threads);
  if (std::any_of(fours.tables.begin(), fours.tables.end(), [](const PackedTable& table) { return table.is_in_fours(); }))
    samples.push_back(std::move(fours));
  return samples;
}

/// Where the sample is cut into pieces that are timed on their own: the best of a short stretch is seldom disturbed, of a long one often.
std::vector<std::size_t> piece_ends(const std::vector<PackedTable>& tables) {
  constexpr std::uint64_t least_nnz = 1 << 15;  // 50 microseconds or so on a panel of 32
  std::vector<std::size_t> ends;
  std::uint64_t nnz = 0;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    nnz += tables[k].nnz();
    if (nnz < least_nnz && k + 1 < tables.size()) continue;
    ends.push_back(k + 1);
    nnz = 0;
  }
  return ends;
}

/// How many panels may share a table's way from memory: as many as a core's L2 holds beside it. Tables that stay in the cache gain nothing.
std::vector<unsigned> panel_sets(const rows::SparseRows& rows, std::uint64_t nnz, unsigned lanes) {
  constexpr std::uint64_t nonzero_bytes = sizeof(float) + sizeof(std::uint16_t);
  std::vector<unsigned> sets = {1};
  const std::size_t l2 = cpu::cpu_info().l2_bytes;
  const std::size_t panel_bytes = std::size_t{rows.planes} * lanes * sizeof(float);
  if (nnz * nonzero_bytes < l2 || panel_bytes < cpu::cpu_info().l1_bytes) return sets;
  for (unsigned set : {3u, 6u})
    if (set * panel_bytes <= l2 / 4 * 3) sets.push_back(set);
  return sets;
}

bool begins_thin(const rows::SparseRows& rows) {
  constexpr std::size_t first_layers = 12;
  return std::any_of(rows.groups.begin(), rows.groups.begin() + static_cast<std::ptrdiff_t>(std::min(first_layers, rows.groups.size())),
                     [](const rows::RowGroup& group) { return static_cast<double>(group.weights.nnz()) < thin_row * group.weights.rows; });
}

double worth(const Candidate& candidate) { return candidate.edges_per_s * (candidate.layout == Layout::fours ? rows_must_gain : 1); }

}  // namespace

void choose_panels(Plan& plan, const rows::SparseRows& rows, unsigned threads) {
  const cpu::Kernels& kernels = cpu::kernels_for(plan.isa);
  const std::vector<PackedSample> samples = pack_samples(rows, threads);
  std::uint64_t nnz = 0;
  for (const PackedTable& table : samples[0].tables) nnz += table.nnz();

  for (unsigned vectors : cpu::panel_vectors) {
    const unsigned lanes = vectors * kernels.vector_lanes;
    if (vectors > 1 && std::size_t{rows.planes} * lanes * sizeof(float) > largest_arena) break;
    for (const PackedSample& sample : samples)
      for (unsigned set : panel_sets(rows, nnz, lanes)) plan.candidates.push_back({lanes, sample.layout, set, 0});
  }
  std::size_t most_lanes = 0;
  for (const Candidate& candidate : plan.candidates) most_lanes = std::max<std::size_t>(most_lanes, std::size_t{candidate.lanes} * candidate.set);
  base::AlignedFloats arena(std::size_t{rows.planes} * most_lanes);
  std::fill_n(arena.data(), arena.size(), 0.25f);

  // On one core: on all at once every rival would have to be undisturbed on all of them, which a shared machine hardly ever grants.
  const std::vector<std::size_t> ends = piece_ends(samples[0].tables);
  std::vector<std::function<void()>> rivals;
  for (const Candidate& candidate : plan.candidates)
    for (std::size_t piece = 0; piece < ends.size(); ++piece)
      rivals.emplace_back([&, piece, candidate] {
        const PackedSample& sample = samples[candidate.layout == Layout::fours ? 1 : 0];
        std::vector<PanelView> panels;
        for (std::size_t k = 0; k < candidate.set; ++k) panels.push_back({candidate.lanes, arena.data() + k * rows.planes * candidate.lanes});
        for (std::size_t k = piece == 0 ? 0 : ends[piece - 1]; k < ends[piece]; ++k)
          run_set(sample.tables[k], candidate.set > 1 && k + 1 < sample.tables.size() ? &sample.tables[k + 1] : nullptr, panels, kernels);
      });
  const std::vector<double> seconds = fewest_seconds(rivals, measure_seconds * static_cast<double>(plan.candidates.size()));
  for (std::size_t k = 0; k < plan.candidates.size(); ++k) {
    const auto first = seconds.begin() + static_cast<std::ptrdiff_t>(k * ends.size());
    const double whole = std::accumulate(first, first + static_cast<std::ptrdiff_t>(ends.size()), 0.0);
    plan.candidates[k].edges_per_s = static_cast<double>(nnz) * plan.candidates[k].lanes * plan.candidates[k].set / whole;
  }
  const auto is_worth_less = [](const Candidate& a, const Candidate& b) { return worth(a) < worth(b); };
  const double best = worth(*std::max_element(plan.candidates.begin(), plan.candidates.end(), is_worth_less));
  const double enough = begins_thin(rows) ? close_to_best : 1;
  const auto widest = std::find_if(plan.candidates.rbegin(), plan.candidates.rend(), [&](const Candidate& candidate) { return worth(candidate) >= enough * best; });
  const auto chosen = std::max_element(plan.candidates.begin(), plan.candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return (a.lanes == widest->lanes) != (b.lanes == widest->lanes) ? b.lanes == widest->lanes : is_worth_less(a, b);
  });
  plan.panel_lanes = chosen->lanes;
  plan.layout = chosen->layout;
  plan.panel_set = chosen->set;
}

Layout layout_for(unsigned lanes, cpu::Isa isa) { return lanes < 3 * cpu::kernels_for(isa).vector_lanes ? Layout::fours : Layout::rows; }

}  // namespace lacuna::plan
