// Plan -> text: what runs, and why.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "plan/choose.hpp"

namespace lacuna::plan {
namespace {

std::string describe_table(const PackedTable& group) {
  return fmt::format("{}-bit sources, {}, {} row length{}{}", group.source_bits(), group.view().one_weight ? "one weight" : "weight stream",
                     group.lengths(), group.lengths() == 1 ? "" : "s",
                     fmt::format("{}{}", group.is_reordered() ? ", rows sorted by length" : "", group.is_in_fours() ? ", in fours" : ""));
}

std::string describe_baked(const std::vector<BakedGroup>& baked, unsigned panel_lanes, ActivationKind activation) {
  std::string text = fmt::format("{} of code for panels of {}", base::human_bytes(baked.front().code_bytes()), panel_lanes);
  if (baked.size() > 1) text += " and narrower";
  if (activation == ActivationKind::leaky_relu || activation == ActivationKind::sigmoid || activation == ActivationKind::tanh)
    text += ", activation in a second visit";
  if (baked.size() == 1) text += ", table on narrower ones";
  return text;
}

std::string_view to_string(Layout layout) { return layout == Layout::fours ? "rows in fours" : "one row at a time"; }

const KernelCandidate* runner_up(const GroupKind& kind) {
  const KernelCandidate* best = nullptr;
  for (const KernelCandidate& candidate : kind.candidates)
    if (candidate.kernel != kind.chosen && candidate.edges_per_s > 0 && (best == nullptr || candidate.edges_per_s > best->edges_per_s)) best = &candidate;
  return best;
}

std::string why_not(const KernelCandidate& chosen, const KernelCandidate& second, const Plan& plan) {
  const double slower = 100 * (1 - second.edges_per_s / chosen.edges_per_s);
  if (slower >= 0.5) return fmt::format("{:.0f}% slower", slower);
  if (!chosen.kernel.is_baked() && plan.gain_of_baked > 0)
    return fmt::format("faster alone, but baked code made the whole network only {:.2f} times as fast", plan.gain_of_baked);
  return "not faster by more than the noise";
}

void explain_kind(std::back_insert_iterator<std::string> out, const GroupKind& kind, const Plan& plan, const rows::SparseRows& rows) {
  const rows::RowGroup& first = rows.groups[kind.groups.front()];
  fmt::format_to(out, "why {} for {}{}: ", to_string(kind.chosen), first.name,
                 kind.groups.size() == 1 ? "" : fmt::format(" and {} groups like it", kind.groups.size() - 1));
  const auto chosen = std::find_if(kind.candidates.begin(), kind.candidates.end(), [&](const auto& c) { return c.kernel == kind.chosen; });
  if (kind.candidates.empty()) {
    fmt::format_to(out, "no edges\n");
    return;
  }
  if (plan.wish == KernelWish::table) {
    fmt::format_to(out, "asked for\n");
    return;
  }
  if (kind.candidates.size() == 1 && plan.wish != KernelWish::baked) fmt::format_to(out, "there is no baked code for {}; ", cpu::name(plan.isa));
  if (plan.wish == KernelWish::baked) fmt::format_to(out, "asked for; ");
  if (chosen->edges_per_s > 0) fmt::format_to(out, "{:.2f} billion edges/s; ", chosen->edges_per_s / 1e9);
  const KernelCandidate* second = runner_up(kind);
  const KernelCandidate& table = kind.candidates.front();
  const auto tell = [&](const KernelCandidate& loser) {
    fmt::format_to(out, "{} {:.2f}, {}; ", to_string(loser.kernel), loser.edges_per_s / 1e9, why_not(*chosen, loser, plan));
  };
  if (second != nullptr) tell(*second);
  if (second != nullptr && chosen->kernel.is_baked() && second->kernel.is_baked() && !table.kernel.is_baked()) tell(table);
  const auto over = std::find_if(kind.candidates.begin(), kind.candidates.end(), [](const auto& c) { return c.over_budget; });
  if (over != kind.candidates.end()) {
    const auto least = std::min_element(kind.candidates.begin(), kind.candidates.end(), [](const auto& a, const auto& b) {
      return (a.over_budget ? a.code_bytes : SIZE_MAX) < (b.over_budget ? b.code_bytes : SIZE_MAX);
    });
    fmt::format_to(out, "{} needs about {} of code, the budget of a network is {}; ", to_string(least->kernel), base::human_bytes(least->code_bytes),
                   base::human_bytes(code_budget_bytes()));
  }
  fmt::format_to(out, "measured on one core, panels of {}\n", plan.panel_lanes);
}

}  // namespace

std::string to_string(KernelChoice kernel) {
  if (!kernel.is_baked()) return "table";
  return fmt::format("baked {} vector{} x {} rows", kernel.shape.vectors, kernel.shape.vectors == 1 ? "" : "s", kernel.shape.rows);
}

std::string print(const Plan& plan, const rows::SparseRows& rows) {
  std::string text = fmt::format("plan: cpu {}, panels of {} inputs, {} planes\n", cpu::name(plan.isa), plan.panel_lanes, rows.planes);
  auto out = std::back_inserter(text);
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const std::vector<BakedGroup>& baked = plan.baked[k];
    const rows::RowGroup& group = rows.groups[k];
    fmt::format_to(out, "{}: {}, {} rows, {} nonzeros, {}\n", group.name, to_string(baked.empty() ? KernelChoice{} : KernelChoice{baked.front().shape()}),
                   group.weights.rows, plan.groups[k].nnz(),
                   baked.empty() ? describe_table(plan.groups[k]) : describe_baked(baked, plan.panel_lanes, group.activation.kind));
  }
  return text;
}

std::string explain(const Plan& plan, const rows::SparseRows& rows) {
  std::string text = print(plan, rows);
  auto out = std::back_inserter(text);
  for (const GroupKind& kind : plan.kinds) explain_kind(out, kind, plan, rows);
  if (plan.candidates.empty()) {
    fmt::format_to(out, "why panels of {}: asked for\n", plan.panel_lanes);
  } else {
    fmt::format_to(out, "why panels of {}, {}{}: the fastest (the widest within 7% of it, where the first layers are thin), measured on one core with the table kernel, on a sample of the groups\n", plan.panel_lanes,
                   to_string(plan.layout), plan.panel_set == 1 ? "" : fmt::format(", {} for each pass of a table", plan.panel_set));
    for (const Candidate& candidate : plan.candidates)
      fmt::format_to(out, "  {} x {:4} lanes  {:17}  {:7.2f} billion edges/s  {:7.1f} KiB of planes{}\n", candidate.set, candidate.lanes, to_string(candidate.layout),
                     candidate.edges_per_s / 1e9, static_cast<double>(rows.planes) * candidate.lanes * candidate.set * sizeof(float) / 1024,
                     candidate.is_same_way({plan.panel_lanes, plan.layout, plan.panel_set, 0}) ? "  <- chosen" : "");
  }
  if (!plan.cache_note.empty()) fmt::format_to(out, "{}\n", plan.cache_note);
  return text;
}

}  // namespace lacuna::plan
