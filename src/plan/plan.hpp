// Plan: which kernel runs each row group, on how wide a panel, and why. Chosen by measuring on this device.
#pragma once

#include <string>
#include <vector>

#include "devices/cpu/isa.hpp"
#include "plan/packed_table.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

/// A panel width that was tried.
struct Candidate {
  unsigned lanes;
  double edges_per_s;  ///< one core, a sample of the groups
};

struct Plan {
  cpu::Isa isa;
  unsigned panel_lanes;
  std::vector<Candidate> candidates;  ///< empty: the width was given
  std::vector<PackedTable> groups;

  /// Computes a group's rows for all lanes of a panel, with the kernel chosen for it.
  void run(std::size_t group, unsigned lanes, float* arena) const { cpu::kernels_for(isa).run_table(groups[group].view(), lanes, arena); }
};

struct PlanOptions {
  cpu::Isa isa;
  unsigned panel_lanes = 0;  ///< 0: measure
  unsigned threads = 1;      ///< for packing
};

/// Throws InputError for a panel width the kernels do not have.
Plan make_plan(const rows::SparseRows& rows, const PlanOptions& options);

/// What runs: stable text, no measured figures.
std::string print(const Plan& plan, const rows::SparseRows& rows);

/// Why: the candidates with their rates.
std::string explain(const Plan& plan, const rows::SparseRows& rows);

/// The narrowest panel of the kernels that holds `inputs` lanes, at most `widest`.
unsigned panel_for(std::size_t inputs, unsigned widest, cpu::Isa isa);

}  // namespace lacuna::plan
