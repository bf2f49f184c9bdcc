// A layered network as GPUs run it: the kernels, the table they walk, and the launches of a run in order. It knows no device.
//
// The table is one run of 32-bit words, addressed in 16 bytes: rows and edges of every group (kernel/templates/gpu_layer_table.hpp), and the live planes of
// every look (kernel/templates/gpu_looks.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/thread_program.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan::gpus {

/// A row group: walked from the table, or baked in kernels of its own.
struct GroupLaunch {
  std::uint32_t group;
  std::vector<std::uint32_t> baked;  ///< in LayerPlan::kernels; none: it is walked, and what follows says how
  std::uint32_t kernel;
  std::uint32_t rows_at;
  std::uint32_t rows;
  std::uint32_t rows_at_once;  ///< of a block
  std::uint32_t planes;        ///< of a tile that it reads and writes
  float weight;          ///< of all edges, where they have one
  std::vector<std::uint32_t> residuals;
};

/// After a group: who can leave?
struct Look {
  std::uint32_t after;   ///< group
  std::uint32_t ranges_at;
  std::uint32_t ranges;
  bool dead;             ///< inputs that are all zero may leave
  bool equal;            ///< inputs that are equal go on as one
};

struct LayerPlanOptions {
  bool dead_inputs = true;
  bool equal_inputs = true;
  bool baked = false;  ///< positions and weights in the code
  std::uint32_t block_threads = 256;  ///< at most
};

/// Beyond this many nonzeros the code of a network is refused: what a driver takes to compile it grows with it, about 0.1 s for a thousand.
inline constexpr std::uint64_t most_baked_nonzeros = 200'000;

struct LayerPlan {
  std::uint32_t planes = 0;  ///< of a tile; the last one holds zeros
  rows::PlaneRange input, output;
  std::vector<kernel::ThreadProgram> kernels;
  std::vector<std::uint32_t> table;
  std::vector<GroupLaunch> groups;
  std::vector<Look> looks;   ///< by ascending group
  std::vector<std::uint64_t> edges;  ///< of each group
  std::vector<std::string> names;    ///< of each group

  /// Numbers in `kernels` of those that looks need.
  struct {
    std::uint32_t mark, mark_all, hash, follow, rank, close, move, expand_bits;
  } looking{};
};

/// Throws Unsupported for a network whose tile exceeds 4 GiB, or that is too large to be baked.
LayerPlan make_layer_plan(const rows::SparseRows& rows, const LayerPlanOptions& options);

/// What runs each group: stable text.
std::string print(const LayerPlan& plan);

}  // namespace lacuna::plan::gpus
