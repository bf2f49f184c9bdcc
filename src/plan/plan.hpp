// Plan: which kernel runs each row group, on how wide a panel, and why. Chosen by measuring on this device.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/cpu/isa.hpp"
#include "plan/baked_group.hpp"
#include "plan/panel_set.hpp"
#include "plan/tile_shape.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

enum class KernelWish { automatic, table, baked, dense };

/// "auto", "table", "baked" or "dense". Throws InputError for any other word.
KernelWish parse_kernel_wish(std::string_view word);

/// A way to take panels through the groups that was tried.
struct Candidate {
  unsigned lanes;
  Layout layout;
  unsigned set;        ///< panels that take a group one after the other before the next group: its table comes from afar once for all of them
  double edges_per_s;  ///< one core, a sample of the groups

  bool is_same_way(const Candidate& other) const { return lanes == other.lanes && layout == other.layout && set == other.set; }
};

/// The table kernel, or baked code of a shape.
struct KernelChoice {
  TileShape shape;  ///< 0 vectors: the table

  bool is_baked() const { return shape.vectors != 0; }
  bool operator==(const KernelChoice&) const = default;
};

/// A kernel that might have run some groups.
struct KernelCandidate {
  KernelChoice kernel;
  double edges_per_s = 0;      ///< one core; 0: not measured
  std::size_t code_bytes = 0;  ///< baked: of all groups alike, measured or estimated
  bool over_budget = false;    ///< so it was not even tried
};

/// Groups that are alike enough to be decided together.
struct GroupKind {
  std::vector<std::uint32_t> groups;
  KernelChoice chosen;
  std::vector<KernelCandidate> candidates;  ///< empty: nothing to choose between
};

struct Plan {
  cpu::Isa isa;
  unsigned panel_lanes;
  Layout layout = Layout::rows;
  unsigned panel_set = 1;  ///< Candidate::set
  KernelWish wish = KernelWish::automatic;
  std::vector<Candidate> candidates;  ///< empty: the width was given
  std::vector<PackedTable> groups;
  std::vector<GroupKind> kinds;
  std::vector<std::vector<BakedGroup>> baked;  ///< for each group; one for each panel width that has code
  double gain_of_baked = 0;                    ///< over the table, on the whole network; 0: not measured
  std::string cache_note;                      ///< what the plan cache had to do with it; empty: nothing

  /// Computes a group's rows for all lanes of a panel, or of a set of them, with the kernel chosen for it: baked code if there is some for this width.
  void run(std::size_t group, unsigned lanes, float* arena) const { run(group, std::array{PanelView{lanes, arena}}, false); }
  /// `fetches_next`: the next group's table is brought into the cache on the way, for panels that go on with it at once.
  void run(std::size_t group, std::span<const PanelView> set, bool fetches_next) const;
};

struct PlanOptions {
  cpu::Isa isa;
  unsigned panel_lanes = 0;  ///< 0: measure
  unsigned threads = 1;      ///< for packing and baking
  KernelWish kernel = KernelWish::automatic;
};

/// Throws InputError for a panel width the kernels do not have, Unsupported when baked code is asked for where there is none.
Plan make_plan(const rows::SparseRows& rows, const PlanOptions& options);

/// What runs: stable text, no measured figures.
std::string print(const Plan& plan, const rows::SparseRows& rows);

/// Why: the candidates with their rates.
std::string explain(const Plan& plan, const rows::SparseRows& rows);

/// The kernels and the machine code of all baked groups: `--emit=kernel` and `--emit=asm`.
std::string print_kernels(const Plan& plan, const rows::SparseRows& rows);
std::string print_code(const Plan& plan, const rows::SparseRows& rows);

/// "table" or "baked 2 vectors x 6 rows"
std::string to_string(KernelChoice kernel);

/// The narrowest panel of the kernels that holds `inputs` lanes, at most `widest`.
unsigned panel_for(std::size_t inputs, unsigned widest, cpu::Isa isa);

}  // namespace lacuna::plan
