// Blocks of rows and the tile of threads for baked convolutions: every shape that fits is counted on the real positions.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernel/templates/sparse_conv_baked.hpp"
#include "plan/gpus/conv_parts.hpp"

namespace lacuna::plan::gpus {
namespace {

/// Pixels of a tile, and how many sums a thread has; rows of a block follow from both. Rows first: all rows, if the sources fit into registers.
struct Tile {
  std::uint32_t x, y;
};
constexpr Tile tiles[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {2, 2}, {4, 2}, {1, 4}};
constexpr std::uint32_t sums_of_thread[] = {80, 64, 48, 32, 16, 8, 4, 1};
constexpr std::size_t most_alive = 150;  // elements and sums: with all else below 192 registers, and ten warps fit into a multiprocessor
constexpr std::size_t blocks_looked_at = 3;

using Blocks = std::vector<std::vector<kernel::ConvRow>>;

Blocks blocks_of(const ConvParts& parts, std::uint32_t rows) {
  const std::vector<std::uint32_t> order = rows::cluster_rows(parts.rows, rows);
  // As many rows in every block as in the others: no thread should wait for a block that is nearly empty.
  const std::size_t count = (order.size() + rows - 1) / rows;
  Blocks blocks(count);
  for (std::size_t k = 0; k < order.size(); ++k) blocks[k * count / order.size()].push_back({order[k], parts.rows.bias[order[k]], parts.edges_of(order[k])});
  return blocks;
}

struct Candidate {
  kernel::PixelGrid grid;
  kernel::BakedOrder order = kernel::BakedOrder::taps_first;
  std::uint32_t rows = 1;
  double clocks = std::numeric_limits<double>::infinity();
};

/// What one warp does for a block.
struct BlockCost {
  double instructions = 0, lines = 0;
  std::size_t multiply_adds = 0, alive = 0;
};

BlockCost cost_of(const ConvParts& parts, const Candidate& candidate, const std::vector<kernel::ConvRow>& block) {
  const kernel::PixelGrid& grid = candidate.grid;
  const auto plan = kernel::plan_sources(block, kernel::tile_deltas(grid, parts.source), kernel::aligned_floats(parts.source, grid), grid.tile_x * parts.source.column, candidate.order);
  const double pixels = grid.tile_x * grid.tile_y, rows = static_cast<double>(block.size());
  const double width = std::min(kernel::aligned_floats(parts.output, grid), grid.tile_x);
  const double stores = rows * pixels / width;
  const double activation = parts.activation.kind == ActivationKind::identity ? 0 : rows * pixels;
  constexpr double prologue = 22;
  BlockCost cost;
  cost.instructions = static_cast<double>(plan.multiply_adds + plan.loads) + activation + stores + (parts.has_skip ? stores + rows * pixels : 0) + prologue;
  cost.lines = static_cast<double>(plan.vectors_loaded) + stores * grid.tile_x * (parts.has_skip ? 2 : 1);
  cost.multiply_adds = plan.multiply_adds;
  cost.alive = plan.most_alive;
  return cost;
}

/// Its clocks; infinite where it does not fit.
double judge(const ConvParts& parts, const Candidate& candidate, const ConvOptions& options) {
  const Blocks blocks = blocks_of(parts, candidate.rows);
  WarpWork work{.warps = (candidate.grid.tiles() + 31) / 32 * blocks.size()};
  const std::size_t looked_at = std::min(blocks.size(), blocks_looked_at);
  for (std::size_t k = 0; k < looked_at; ++k) {
    const BlockCost cost = cost_of(parts, candidate, blocks[k * blocks.size() / looked_at]);
    const bool is_too_long = options.kernel_multiply_adds != 0 && cost.multiply_adds > options.kernel_multiply_adds;
    if (cost.alive > most_alive || is_too_long) return std::numeric_limits<double>::infinity();
    work.instructions += cost.instructions / static_cast<double>(looked_at);
    work.lines += cost.lines / static_cast<double>(looked_at);
  }
  return clocks(work, options.multiprocessors);
}

Candidate choose(const ConvParts& parts, const ConvOptions& options) {
  Candidate best{parts.grid};  // one row of one pixel always fits
  const auto all_rows = static_cast<std::uint32_t>(parts.rows.rows());
  const auto consider = [&](Candidate candidate) {
    candidate.clocks = judge(parts, candidate, options);
    if (candidate.clocks < best.clocks) best = candidate;
  };
  for (const Tile& tile : tiles) {
    if (parts.grid.width % tile.x != 0 || tile.y > parts.grid.height) continue;
    Candidate candidate{parts.grid};
    candidate.grid.tile_x = tile.x;
    candidate.grid.tile_y = tile.y;
    for (std::uint32_t sums : sums_of_thread) {
      const std::uint32_t rows = std::min(sums / (tile.x * tile.y), all_rows);
      if (rows == 0 || (rows == candidate.rows && candidate.order == kernel::BakedOrder::taps_first && sums != sums_of_thread[0])) continue;
      candidate.rows = rows;
      consider(candidate);
    }
    candidate.order = kernel::BakedOrder::rows_first;
    for (std::uint32_t blocks : {1u, 2u, 4u, 8u}) {
      candidate.rows = (all_rows + blocks - 1) / blocks;
      consider(candidate);
    }
  }
  return best;
}

}  // namespace

ConvKernels plan_baked(const ConvParts& parts, const ConvOptions& options) {
  Candidate best = choose(parts, options);
  best.grid.block_threads = best.grid.tiles() <= 32 ? 32 : best.grid.tiles() <= 64 ? 64 : 128;
  const Blocks blocks = blocks_of(parts, best.rows);
  ConvKernels made;
  made.kernel = ConvKernel::baked;
  kernel::BakedConv conv{parts.name, best.grid, parts.source, parts.output, parts.skip, parts.has_skip, parts.activation, {}, best.order, options.piece};
  if (options.kernel_multiply_adds == 0) {
    conv.blocks = blocks;
    made.programs.push_back(kernel::build(conv));
    made.launches.push_back({0, best.grid.blocks(), static_cast<std::uint32_t>(blocks.size())});
  } else {
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      conv.name = fmt::format("{}_{}", parts.name, k);
      conv.blocks = {blocks[k]};
      made.programs.push_back(kernel::build(conv));
      made.launches.push_back({k, best.grid.blocks(), 1});
    }
  }
  made.multiply_adds_in_code = parts.edges.size() * best.grid.tile_x * best.grid.tile_y;
  made.description = fmt::format("baked, blocks of {} rows, {}x{} pixels a thread{}", blocks.front().size(), best.grid.tile_y, best.grid.tile_x,
                                 best.order == kernel::BakedOrder::rows_first ? ", rows first" : "");
  return made;
}

}  // namespace lacuna::plan::gpus
