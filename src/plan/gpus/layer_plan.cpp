#include "plan/gpus/layer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include <lacuna/error.hpp>

#include "kernel/templates/gpu_layer_table.hpp"
#include "kernel/templates/gpu_looks.hpp"
#include "kernel/templates/gpu_row_block.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_statements.hpp"
#include "plan/baked_group.hpp"
#include "plan/gpus/row_clusters.hpp"

namespace lacuna::plan::gpus {
namespace {

using kernel::edges_together;
using kernel::rows_of_warp;

constexpr std::uint32_t least_threads = 64;
constexpr std::uint32_t first_equal_look = 8;
constexpr std::uint32_t words_of_row = 4;  // 16 bytes

class Packer {
 public:
  Packer(std::vector<std::uint32_t>& table, const kernel::TileLayout& tiles) : table_(table), zeros_(tiles.planes - 1), plane_bytes_(tiles.plane_bytes()) {}

  /// Where the next thing begins, in 16 bytes.
  std::uint32_t begin() {
    table_.resize((table_.size() + 3) / 4 * 4, 0);
    const std::size_t at = table_.size() / 4;
    if (at > 0xffffffffu) throw Unsupported("the network's tables exceed 64 GiB");
    return static_cast<std::uint32_t>(at);
  }

  /// The rows themselves, then the edges of all; returns where the rows are. Long rows first: no warp begins a long one last, and neighbours are alike.
  std::uint32_t pack_group(const rows::RowGroup& group) {
    std::vector<std::uint32_t> order(group.weights.rows);
    std::iota(order.begin(), order.end(), 0u);
    const auto length = [&](std::uint32_t row) { return group.weights.row_begin[row + std::size_t{1}] - group.weights.row_begin[row]; };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
    const std::uint32_t rows_at = begin();
    table_.resize(table_.size() + order.size() * words_of_row);
    for (std::size_t first = 0; first < order.size(); first += rows_of_warp) {
      const std::span<const std::uint32_t> slice = std::span(order).subspan(first, std::min<std::size_t>(rows_of_warp, order.size() - first));
      const std::uint32_t filled = (std::max(length(slice[0]), 1u) + edges_together - 1) / edges_together * edges_together;
      const std::uint32_t edges_at = begin() - rows_at;
      for (std::uint32_t k = 0; k < slice.size(); ++k) {
        const float bias = group.bias.empty() ? 0 : group.bias[group.bias.size() == 1 ? 0 : slice[k]];
        const std::array<std::uint32_t, words_of_row> row{edges_at + k, filled, (group.destination.first + slice[k]) * plane_bytes_, std::bit_cast<std::uint32_t>(bias)};
        std::copy(row.begin(), row.end(), table_.begin() + static_cast<std::ptrdiff_t>((rows_at + first + k) * words_of_row));
      }
      pack_slice(group, slice, filled);
    }
    return rows_at;
  }

  std::size_t bytes_since(std::uint32_t at) const { return (table_.size() - std::size_t{at} * 4) * 4; }

  std::uint32_t pack_ranges(const std::vector<rows::PlaneRange>& ranges) {
    const std::uint32_t at = begin();
    for (rows::PlaneRange range : ranges) table_.insert(table_.end(), {range.first * plane_bytes_, range.count});
    return at;
  }

 private:
  /// The edges of the rows of a warp, side by side. `length`: to which each is filled up.
  void pack_slice(const rows::RowGroup& group, std::span<const std::uint32_t> rows, std::uint32_t length) {
    const auto for_all = [&](std::uint32_t first, const auto& word) {
      for (std::uint32_t k = 0; k < rows_of_warp * edges_together; ++k) {
        const std::uint32_t slot = k / edges_together;
        const std::size_t row = rows[std::min<std::size_t>(slot, rows.size() - 1)], end = group.weights.row_begin[row + 1];
        const std::size_t edge = group.weights.row_begin[row] + first + k % edges_together;
        table_.push_back(word(edge, slot < rows.size() && edge < end));
      }
    };
    for (std::uint32_t first = 0; first < length; first += edges_together) {
      for_all(first, [&](std::size_t edge, bool is_there) { return (is_there ? group.source.first + group.weights.column(edge) : zeros_) * plane_bytes_; });
      if (group.weights.has_one_value()) continue;
      for_all(first, [&](std::size_t edge, bool is_there) { return std::bit_cast<std::uint32_t>(is_there ? group.weights.value(edge) : 0.0f); });
    }
  }

  std::vector<std::uint32_t>& table_;
  const std::uint32_t zeros_;  ///< a plane
  const std::uint32_t plane_bytes_;
};

/// Looks grow rarer: after 1, 2, 3, 4, 6, 8, 12, 16, 24, ... groups. What a look costs is a part of a layer's work, so all of them together cost little
/// beside the layers between them.
bool is_look_due(std::uint32_t done) {
  if (done < 4) return true;
  const std::uint32_t power = std::bit_floor(done);
  return done == power || done == power + power / 2;
}

void add_looks(LayerPlan& plan, const rows::SparseRows& rows, const LayerPlanOptions& options, Packer& packer) {
  for (std::uint32_t k = 0; k + 1 < rows.groups.size(); ++k) {
    if (!is_look_due(k + 1)) continue;
    const bool dead = options.dead_inputs && rows.groups[k + 1].zero_from_here;
    const bool equal = options.equal_inputs && k + 1 >= first_equal_look;
    if (!dead && !equal) continue;
    const auto& live = rows.groups[k].live_after;
    plan.looks.push_back({k, packer.pack_ranges(live), static_cast<std::uint32_t>(live.size()), dead, equal});
  }
}

/// The number of a kernel for such a layer, made if it is not there yet.
class LayerKernels {
 public:
  explicit LayerKernels(LayerPlan& plan) : plan_(plan) {}
  std::uint32_t find(const kernel::LayerTable& layer) {
    const auto known = std::find(layers_.begin(), layers_.end(), layer);
    if (known != layers_.end()) return numbers_[static_cast<std::size_t>(known - layers_.begin())];
    plan_.kernels.push_back(kernel::build(layer, fmt::format("layer_table_{}", layers_.size())));
    layers_.push_back(layer);
    numbers_.push_back(static_cast<std::uint32_t>(plan_.kernels.size() - 1));
    return numbers_.back();
  }

 private:
  LayerPlan& plan_;
  std::vector<kernel::LayerTable> layers_;
  std::vector<std::uint32_t> numbers_;
};

/// Rows that read the same sources, with about a thousand nonzeros in a block and sums that fit the registers; eight blocks in a kernel.
GroupLaunch bake_group(LayerPlan& plan, const rows::RowGroup& group, std::uint32_t number) {
  constexpr std::size_t nonzeros_of_block = 1000;
  constexpr std::size_t most_rows = 24;
  constexpr std::size_t blocks_of_kernel = 8;  // more save launches, but ptxas takes 0.5 s for one and up to 40 s for eight in a kernel (CUDA 13, busy machine, 2026-11-17)
  const std::size_t length = std::max<std::size_t>(group.weights.nnz() / std::max(group.weights.rows, 1u), 1);
  const auto rows = static_cast<std::uint32_t>(std::clamp<std::size_t>(nonzeros_of_block / length, 1, most_rows));
  std::vector<kernel::Kernel> blocks;
  for (const auto& block : cluster_rows(group.weights, rows))
    blocks.push_back(row_block(group, block, static_cast<std::uint32_t>(plan.tiles.plane_bytes() / sizeof(float)), fmt::format("{} block {}", group.name, blocks.size())));
  GroupLaunch launch{.group = number, .planes = group.source.count + group.destination.count};
  for (std::size_t first = 0; first < blocks.size(); first += blocks_of_kernel) {
    const auto of_kernel = std::span(blocks).subspan(first, std::min(blocks_of_kernel, blocks.size() - first));
    launch.baked.push_back({static_cast<std::uint32_t>(plan.kernels.size()), static_cast<std::uint32_t>(of_kernel.size())});
    plan.kernels.push_back(kernel::build_gpu_row_blocks(of_kernel, group.activation, plan.tiles, fmt::format("group_{}_part_{}", number, launch.baked.size() - 1)));
  }
  return launch;
}

void check_bakeable(const rows::SparseRows& rows) {
  std::uint64_t nonzeros = 0;
  for (const rows::RowGroup& group : rows.groups) nonzeros += group.weights.nnz();
  if (nonzeros > most_baked_nonzeros)
    throw Unsupported(fmt::format("the network has {} nonzeros left, and at most {} are baked for a GPU; leave --kernel out", nonzeros, most_baked_nonzeros));
}

void add_looking_kernels(LayerPlan& plan) {
  const auto add = [&](kernel::ThreadProgram program) {
    plan.kernels.push_back(std::move(program));
    return static_cast<std::uint32_t>(plan.kernels.size() - 1);
  };
  plan.looking = {add(kernel::build_mark(plan.tiles)),    add(kernel::build_mark_all()), add(kernel::build_hash(plan.tiles)), add(kernel::build_follow(plan.tiles)),
                  add(kernel::build_rank()),              add(kernel::build_close()),    add(kernel::build_move(plan.tiles)), add(kernel::build_expand_bits(plan.tiles))};
}

GroupLaunch walk_group(const rows::RowGroup& group, std::uint32_t number, const kernel::TileLayout& tiles, std::uint32_t most_threads, LayerKernels& kernels, Packer& packer) {
  const bool one_weight = group.weights.has_one_value();
  const std::uint32_t threads = std::min(most_threads, std::max(std::bit_ceil(group.weights.rows * kernel::threads_of_row), least_threads));
  const kernel::LayerTable layer{one_weight, static_cast<unsigned>(group.residuals.size()), group.activation, tiles, threads};
  GroupLaunch launch{.group = number,
                     .planes = group.source.count + group.destination.count,
                     .kernel = kernels.find(layer),
                     .rows_at = packer.pack_group(group),
                     .rows = group.weights.rows,
                     .rows_at_once = layer.rows_at_once(),
                     .weight = one_weight && group.weights.values.size() == 1 ? group.weights.values[0] : 0.0f};
  launch.table_bytes = packer.bytes_since(launch.rows_at);
  for (rows::PlaneRange residual : group.residuals) launch.residuals.push_back((residual.first - group.destination.first) * tiles.plane_bytes());
  return launch;
}

}  // namespace

LayerPlan make_layer_plan(const rows::SparseRows& rows, const LayerPlanOptions& options) {
  const kernel::TileLayout tiles{rows.planes + 1, options.stored};
  if (rows.planes >= 0xffffffffu / tiles.plane_bytes())
    throw Unsupported(fmt::format("{} values are alive at once, and GPUs take {}", rows.planes, 0xffffffffu / tiles.plane_bytes()));
  if (options.baked) check_bakeable(rows);
  LayerPlan plan;
  plan.tiles = tiles;
  plan.input = rows.input;
  plan.output = rows.output;
  Packer packer(plan.table, plan.tiles);
  LayerKernels kernels(plan);
  for (std::uint32_t k = 0; k < rows.groups.size(); ++k) {
    const rows::RowGroup& group = rows.groups[k];
    plan.groups.push_back(options.baked ? bake_group(plan, group, k) : walk_group(group, k, plan.tiles, options.block_threads, kernels, packer));
    plan.edges.push_back(group.weights.nnz());
    plan.names.push_back(group.name);
  }
  plan.looks_at = packer.begin();
  add_looks(plan, rows, options, packer);
  add_looking_kernels(plan);
  return plan;
}

std::string print(const LayerPlan& plan) {
  std::string text = fmt::format("tiles of {} inputs x {} planes{}, {} kernels, table of {} bytes\n", kernel::tile_lanes, plan.tiles.planes,
                                 plan.tiles.value == kernel::Element::f32 ? "" : fmt::format(" kept in {}", kernel::name_of(plan.tiles.value)), plan.kernels.size(), plan.table.size() * 4);
  auto look = plan.looks.begin();
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const GroupLaunch& group = plan.groups[k];
    if (group.baked.empty())
      text += fmt::format("group {}: {}, {} rows, {} edges\n", plan.names[k], plan.kernels[group.kernel].name, group.rows, plan.edges[k]);
    else
      text += fmt::format("group {}: baked in {} kernels, {} edges\n", plan.names[k], group.baked.size(), plan.edges[k]);
    if (look != plan.looks.end() && look->after == k) {
      text += fmt::format("look for {}\n", look->dead && look->equal ? "dead and equal inputs" : look->dead ? "dead inputs" : "equal inputs");
      ++look;
    }
  }
  return text;
}

}  // namespace lacuna::plan::gpus
