// The table of a convolution and the tile of its threads.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include <lacuna/error.hpp>

#include "kernel/templates/sparse_conv_table.hpp"
#include "plan/gpus/conv_parts.hpp"

namespace lacuna::plan::gpus {
namespace {

constexpr std::uint32_t group_edges = kernel::table_edges_at_once;
constexpr unsigned warps_of_multiprocessor = 12;  // that keep it busy while their loads are on their way
constexpr std::size_t most_rows = 65535;

std::int32_t lowest_of(const ConvParts& parts) {
  std::int32_t lowest = 0;
  for (const kernel::ConvEdge& edge : parts.edges) lowest = std::min(lowest, edge.offset);
  return lowest - ((lowest % 4) + 4) % 4;
}

/// Vectors need sources that are aligned as their pixel is, and pixels side by side.
bool can_take_vectors(const ConvParts& parts, const kernel::PixelGrid& grid) {
  return parts.source.column == 1 && kernel::aligned_floats(parts.source, grid) == 4 &&
         std::all_of(parts.edges.begin(), parts.edges.end(), [](const kernel::ConvEdge& edge) { return edge.offset % 4 == 0; });
}

struct Tile {
  std::uint32_t x = 1, y = 1, vector = 1;
};

/// Eight sums hide the latency of their loads.
Tile choose_tile(const ConvParts& parts, unsigned multiprocessors) {
  Tile best;
  double best_clocks = std::numeric_limits<double>::infinity();
  for (std::uint32_t x : {1u, 4u})
    for (std::uint32_t y = 1; y <= std::min(8u / std::min(x, 2u), parts.grid.height); ++y) {
      kernel::PixelGrid grid = parts.grid;
      if (grid.width % x != 0) continue;
      grid.tile_x = x;
      grid.tile_y = y;
      if (x > 1 && !can_take_vectors(parts, grid)) continue;
      const double pixels = x * y, loads = x > 1 ? pixels / 4 : pixels;
      const double edges = static_cast<double>(parts.edges.size()) / static_cast<double>(parts.rows.rows());
      // Of an edge: multiply-adds, loads, its address, half a load of the table, its share of the loop; of a row: the beginning and the end.
      const double cost = clocks({.instructions = edges * (pixels + loads + 2.5) + 30 + 2 * pixels,
                                  .lines = (edges + 1) * pixels * parts.source.column,
                                  .warps = (grid.tiles() + 31) / 32 * parts.rows.rows(),
                                  .warps_of_multiprocessor = warps_of_multiprocessor},
                                 multiprocessors);
      if (cost < best_clocks) {
        best_clocks = cost;
        best = {x, y, x};
      }
    }
  return best;
}

/// As many rows of a block as leave enough warps: each more is a reader that finds its sources in L1.
void share_pixels(kernel::TableConv& conv, unsigned multiprocessors) {
  constexpr std::uint64_t blocks_of_multiprocessor = 4;  // so that the last ones do not leave many idle
  while (conv.warps < 8 && std::uint64_t{conv.grid.blocks()} * (conv.rows / (2 * conv.warps)) >= blocks_of_multiprocessor * multiprocessors) conv.warps *= 2;
  while (conv.rows_of_warp < 8 && conv.warps * conv.rows_of_warp < conv.rows &&
         std::uint64_t{conv.grid.blocks()} * conv.rows / (2 * conv.rows_of_warp) >= std::uint64_t{warps_of_multiprocessor} * multiprocessors)
    conv.rows_of_warp *= 2;
}

void add_row(const ConvParts& parts, std::size_t row, std::int32_t lowest, ConvKernels& made) {
  const auto edges = parts.edges_of(row);
  const std::size_t first = made.edges.size();
  made.rows.insert(made.rows.end(), {static_cast<std::uint32_t>(first / (2 * group_edges)), static_cast<std::uint32_t>(edges.size()), static_cast<std::uint32_t>(row),
                                     std::bit_cast<std::uint32_t>(parts.rows.bias[row])});
  made.edges.resize(first + (edges.size() + group_edges - 1) / group_edges * 2 * group_edges, 0);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const std::size_t group = first + k / group_edges * 2 * group_edges;
    made.edges[group + k % group_edges] = static_cast<std::uint32_t>(edges[k].offset - lowest) * 4;
    made.edges[group + group_edges + k % group_edges] = std::bit_cast<std::uint32_t>(edges[k].weight);
  }
}

}  // namespace

ConvKernels plan_table(const ConvParts& parts, const ConvOptions& options) {
  const std::int32_t lowest = lowest_of(parts);
  if (parts.rows.rows() > most_rows) throw Unsupported(fmt::format("a convolution with {} output channels on a GPU; {} are the most", parts.rows.rows(), most_rows));
  for (const kernel::ConvEdge& edge : parts.edges)
    if (std::int64_t{edge.offset} - lowest >= std::int64_t{1} << 30) throw Unsupported("a convolution whose input has more than 4 GiB for an image on a GPU");
  const Tile tile = choose_tile(parts, options.multiprocessors);
  kernel::TableConv conv{.name = parts.name, .grid = parts.grid, .rows = static_cast<std::uint32_t>(parts.rows.rows()), .source = parts.source, .output = parts.output, .skip = parts.skip,
                         .has_skip = parts.has_skip, .activation = parts.activation, .lowest = static_cast<std::uint32_t>(-lowest), .vector = tile.vector};
  conv.grid.tile_x = tile.x;
  conv.grid.tile_y = tile.y;
  conv.grid.block_threads = 32;
  share_pixels(conv, options.multiprocessors);
  ConvKernels made;
  made.kernel = ConvKernel::table;
  made.programs.push_back(kernel::build(conv));
  made.launches.push_back({0, conv.grid.blocks(), conv.blocks_y()});
  // The longest rows first: they should not be what the device waits for at the end.
  std::vector<std::size_t> order(parts.rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return parts.edges_of(a).size() > parts.edges_of(b).size(); });
  for (std::size_t row : order) add_row(parts, row, lowest, made);
  if (made.edges.empty()) made.edges.push_back(0);  // a buffer has something in it
  made.description = fmt::format("table, {} rows a block, {}x{} pixels a thread{}", conv.warps * conv.rows_of_warp, tile.y, tile.x, tile.vector > 1 ? " by vectors" : "");
  return made;
}

}  // namespace lacuna::plan::gpus
