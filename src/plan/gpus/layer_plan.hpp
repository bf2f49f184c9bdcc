// A layered network as GPUs run it: the kernels, the table they walk, and the launches of a run in order. It knows no device.
//
// The table is one run of 32-bit words, addressed in 16 bytes: rows and edges of every group (kernel/templates/gpu_layer_table.hpp), then the live planes of
// every look (kernel/templates/gpu_looks.hpp). What a group has there can be moved anywhere else: its rows know their edges by distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/templates/tile_layout.hpp"
#include "kernel/thread_program.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan::gpus {

struct BakedKernel {
  std::uint32_t kernel = 0;        ///< in LayerPlan::kernels
  std::uint32_t row_blocks = 0;
};

/// A row group: baked in kernels of its own, or walked from the table.
struct GroupLaunch {
  std::uint32_t group = 0;
  std::uint32_t planes = 0;        ///< of a tile that it reads and writes
  std::vector<BakedKernel> baked{};  ///< none: it is walked, and what follows says how
  std::uint32_t kernel = 0;        ///< in LayerPlan::kernels
  std::uint32_t rows_at = 0;       ///< where its table begins
  std::uint32_t rows = 0;
  std::uint32_t rows_at_once = 0;  ///< of a block
  float weight = 0;                ///< of all edges, where they have one
  std::vector<std::uint32_t> residuals{};
  std::size_t table_bytes = 0;     ///< its rows and edges
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
  kernel::Element stored = kernel::Element::f32;  ///< what values are kept in between layers
};

/// Beyond this many nonzeros the code of a network is refused: what a driver takes to compile it grows with it, up to 6 s for a thousand.
inline constexpr std::uint64_t most_baked_nonzeros = 200'000;

struct LayerPlan {
  kernel::TileLayout tiles;  ///< the last plane holds zeros
  rows::PlaneRange input, output;
  std::vector<kernel::ThreadProgram> kernels;
  std::vector<std::uint32_t> table;
  std::uint32_t looks_at = 0;  ///< what looks need, to the table's end
  std::vector<GroupLaunch> groups;
  std::vector<Look> looks;   ///< by ascending group
  std::vector<std::uint64_t> edges;  ///< of each group
  std::vector<std::string> names;    ///< of each group

  /// Numbers in `kernels` of those that looks need.
  struct {
    std::uint32_t mark, mark_all, hash, follow, rank, close, move, expand_bits;
  } looking{};

  std::span<const std::uint32_t> table_of(const GroupLaunch& group) const { return std::span(table).subspan(std::size_t{group.rows_at} * 4, group.table_bytes / 4); }
  std::span<const std::uint32_t> table_of_looks() const { return std::span(table).subspan(std::size_t{looks_at} * 4); }
};

/// Throws Unsupported for a network whose tile exceeds 4 GiB, or that is too large to be baked.
LayerPlan make_layer_plan(const rows::SparseRows& rows, const LayerPlanOptions& options);

/// What runs each group: stable text.
std::string print(const LayerPlan& plan);

}  // namespace lacuna::plan::gpus
