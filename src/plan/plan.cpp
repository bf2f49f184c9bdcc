#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "devices/cpu/kernels.hpp"

namespace lacuna::plan {
namespace {

/// Groups to time: enough to see the weights stream, few enough to be done in milliseconds.
std::vector<const PackedTable*> sample_groups(const std::vector<PackedTable>& groups) {
  constexpr std::size_t most = 16;
  std::vector<const PackedTable*> sample;
  const std::size_t step = std::max<std::size_t>(1, groups.size() / most);
  for (std::size_t k = 0; k < groups.size() && sample.size() < most; k += step) sample.push_back(&groups[k]);
  return sample;
}

double measure(const cpu::Kernels& kernels, const std::vector<const PackedTable*>& sample, std::uint32_t planes, unsigned lanes) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough_seconds = 0.004;
  base::AlignedFloats arena(std::size_t{planes} * lanes);
  std::fill_n(arena.data(), arena.size(), 0.25f);
  std::uint64_t nnz = 0;
  for (const PackedTable* group : sample) nnz += group->nnz();
  double best = 0;
  double spent = 0;
  for (int round = 0; round < 3 || (spent < enough_seconds && round < 50); ++round) {
    const auto start = Clock::now();
    for (const PackedTable* group : sample) kernels.run_table(group->view(), lanes, arena.data());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    spent += seconds;
    if (round > 0) best = std::max(best, static_cast<double>(nnz) * lanes / seconds);  // the first round warms the caches
  }
  return best;
}

unsigned choose_lanes(Plan& plan, std::uint32_t planes) {
  const cpu::Kernels& kernels = cpu::kernels_for(plan.isa);
  const auto sample = sample_groups(plan.groups);
  constexpr std::size_t largest_arena = std::size_t{256} << 20;
  for (unsigned vectors : cpu::panel_vectors) {
    const unsigned lanes = vectors * kernels.vector_lanes;
    if (vectors > 1 && std::size_t{planes} * lanes * sizeof(float) > largest_arena) break;
    plan.candidates.push_back({lanes, measure(kernels, sample, planes, lanes)});
  }
  return std::max_element(plan.candidates.begin(), plan.candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.edges_per_s < b.edges_per_s; })
      ->lanes;
}

void check_lanes(unsigned lanes, const cpu::Kernels& kernels) {
  std::vector<unsigned> widths;
  for (unsigned vectors : cpu::panel_vectors) widths.push_back(vectors * kernels.vector_lanes);
  if (std::find(widths.begin(), widths.end(), lanes) == widths.end())
    throw InputError(fmt::format("a panel of {} lanes does not exist for {}; give one of {}", lanes, cpu::name(kernels.isa), fmt::join(widths, ", ")));
}

}  // namespace

Plan make_plan(const rows::SparseRows& rows, const PlanOptions& options) {
  Plan plan{options.isa, options.panel_lanes, {}, {}};
  if (options.panel_lanes != 0) check_lanes(options.panel_lanes, cpu::kernels_for(options.isa));
  std::vector<std::unique_ptr<PackedTable>> packed(rows.groups.size());
  base::parallel_for(options.threads, rows.groups.size(),
                     [&](std::size_t k, unsigned) { packed[k] = std::make_unique<PackedTable>(rows.groups[k]); });
  for (auto& table : packed) plan.groups.push_back(std::move(*table));
  if (plan.panel_lanes == 0) plan.panel_lanes = choose_lanes(plan, rows.planes);
  return plan;
}

unsigned panel_for(std::size_t inputs, unsigned widest, cpu::Isa isa) {
  const unsigned vector_lanes = cpu::kernels_for(isa).vector_lanes;
  for (unsigned vectors : cpu::panel_vectors)
    if (vectors * vector_lanes >= inputs || vectors * vector_lanes >= widest) return vectors * vector_lanes;
  return widest;
}

std::string print(const Plan& plan, const rows::SparseRows& rows) {
  std::string text = fmt::format("plan: cpu {}, panels of {} inputs, {} planes\n", cpu::name(plan.isa), plan.panel_lanes, rows.planes);
  auto out = std::back_inserter(text);
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const PackedTable& group = plan.groups[k];
    const cpu::Table table = group.view();
    fmt::format_to(out, "{}: table, {} rows, {} nonzeros, {}-bit sources, {}, {} row length{}{}\n", rows.groups[k].name,
                   rows.groups[k].weights.rows, group.nnz(), group.source_bits(),
                   table.one_weight ? "one weight" : "weight stream", group.classes(), group.classes() == 1 ? "" : "s",
                   group.is_reordered() ? ", rows sorted by length" : "");
  }
  return text;
}

std::string explain(const Plan& plan, const rows::SparseRows& rows) {
  std::string text = print(plan, rows);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "why table: it is the only CPU kernel of this release\n");
  if (plan.candidates.empty()) {
    fmt::format_to(out, "why panels of {}: asked for\n", plan.panel_lanes);
    return text;
  }
  fmt::format_to(out, "why panels of {}: fastest of those measured on one core, on a sample of the groups\n", plan.panel_lanes);
  for (const Candidate& candidate : plan.candidates)
    fmt::format_to(out, "  {:4} lanes  {:7.2f} billion edges/s  {:7.1f} KiB of planes{}\n", candidate.lanes, candidate.edges_per_s / 1e9,
                   static_cast<double>(rows.planes) * candidate.lanes * sizeof(float) / 1024, candidate.lanes == plan.panel_lanes ? "  <- chosen" : "");
  return text;
}

}  // namespace lacuna::plan
