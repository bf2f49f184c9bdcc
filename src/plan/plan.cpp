#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/cache.hpp"
#include "plan/choose.hpp"

namespace lacuna::plan {
namespace {

void check_lanes(unsigned lanes, const cpu::Kernels& kernels) {
  std::vector<unsigned> widths;
  for (unsigned vectors : cpu::panel_vectors) widths.push_back(vectors * kernels.vector_lanes);
  if (std::find(widths.begin(), widths.end(), lanes) == widths.end())
    throw InputError(fmt::format("a panel of {} lanes does not exist for {}; give one of {}", lanes, cpu::name(kernels.isa), fmt::join(widths, ", ")));
}

void check_wish(const PlanOptions& options) {
  if (options.kernel == KernelWish::dense) throw Unsupported("a layered network has no dense kernel; ask for auto, table or baked");
  if (options.kernel == KernelWish::baked && tile_shapes(options.isa).empty())
    throw Unsupported(fmt::format("kernel \"baked\": there is baked code for avx2 and avx512, not for {}; ask for auto or table", cpu::name(options.isa)));
}

void pack(Plan& plan, const rows::SparseRows& rows, unsigned threads) {
  std::vector<std::unique_ptr<PackedTable>> packed(rows.groups.size());
  base::parallel_for(threads, rows.groups.size(), [&](std::size_t k, unsigned) { packed[k] = std::make_unique<PackedTable>(rows.groups[k], plan.layout); });
  for (auto& table : packed) plan.groups.push_back(std::move(*table));
  put_together(plan.groups);
}

void choose(Plan& plan, const rows::SparseRows& rows, unsigned threads) {
  if (plan.panel_lanes == 0)
    choose_panels(plan, rows, threads);
  else
    plan.layout = layout_for(plan.panel_lanes, plan.isa);
  pack(plan, rows, threads);
  choose_kernels(plan, rows);
  bake_chosen(plan, rows, threads);
  confirm_choice(plan, rows);
}

}  // namespace

KernelWish parse_kernel_wish(std::string_view word) {
  if (word == "auto") return KernelWish::automatic;
  if (word == "table") return KernelWish::table;
  if (word == "baked") return KernelWish::baked;
  if (word == "dense") return KernelWish::dense;
  throw InputError(fmt::format("no kernel is called {}; give auto, table, baked or dense", base::quote(word)));
}

Plan make_plan(const rows::SparseRows& rows, const PlanOptions& options) {
  check_wish(options);
  if (options.panel_lanes != 0) check_lanes(options.panel_lanes, cpu::kernels_for(options.isa));
  Plan plan;
  plan.isa = options.isa;
  plan.panel_lanes = options.panel_lanes;
  plan.wish = options.kernel;
  plan.kinds = find_kinds(rows);

  PlanCache cache(rows, options);
  if (cache.recall(plan)) {
    pack(plan, rows, options.threads);
    bake_chosen(plan, rows, options.threads);
  } else {
    choose(plan, rows, options.threads);
    cache.remember(plan);
  }
  return plan;
}

void Plan::run(std::size_t group, std::span<const PanelView> set, bool fetches_next) const {
  const cpu::Kernels& kernels = cpu::kernels_for(isa);
  if (baked[group].empty()) return run_set(groups[group], fetches_next && group + 1 < groups.size() ? &groups[group + 1] : nullptr, set, kernels);
  for (const PanelView& panel : set) {
    const auto code = std::find_if(baked[group].begin(), baked[group].end(), [&](const BakedGroup& made) { return made.lanes() == panel.lanes; });
    if (code != baked[group].end())
      code->run(panel.arena);
    else
      kernels.run_table(groups[group].view(), panel.lanes, panel.arena);
  }
}

unsigned panel_for(std::size_t inputs, unsigned widest, cpu::Isa isa) {
  const unsigned vector_lanes = cpu::kernels_for(isa).vector_lanes;
  for (unsigned vectors : cpu::panel_vectors)
    if (vectors * vector_lanes >= inputs || vectors * vector_lanes >= widest) return vectors * vector_lanes;
  return widest;
}

}  // namespace lacuna::plan
