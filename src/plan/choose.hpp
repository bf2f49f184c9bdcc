// The choices of a plan, by measuring: how wide a panel is, and which kernel runs each kind of group.
#pragma once

#include "plan/plan.hpp"

namespace lacuna::plan {

/// Bytes of baked code a network may have: a core's L2. Every panel runs all of it, and code that comes from L3 is several times slower
/// than the table (decision 0005), so more is not even tried.
std::size_t code_budget_bytes();

/// Fills plan.candidates, plan.panel_lanes, plan.layout and plan.panel_set by timing a sample of the groups on one core; `threads` pack it.
void choose_panels(Plan& plan, const rows::SparseRows& rows, unsigned threads);

/// The layout for a panel width that was asked for: fours where a row alone has too few sums under way.
Layout layout_for(unsigned lanes, cpu::Isa isa);

/// Groups by shape: rows, columns and nonzeros within a factor of about 1.2, same residuals, same activation, one weight or many.
std::vector<GroupKind> find_kinds(const rows::SparseRows& rows);

/// Chooses a kernel for each of plan.kinds on plan.panel_lanes.
void choose_kernels(Plan& plan, const rows::SparseRows& rows);

/// Makes the code that the kinds have chosen; with KernelWish::baked for every width a panel may shrink to.
void bake_chosen(Plan& plan, const rows::SparseRows& rows, unsigned threads);

/// Runs the whole network both ways; goes back to the table everywhere unless baked code is faster there too.
void confirm_choice(Plan& plan, const rows::SparseRows& rows);

}  // namespace lacuna::plan
