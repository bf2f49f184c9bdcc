#include "plan/gpus/layer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include <lacuna/error.hpp>

#include "kernel/templates/gpu_layer_table.hpp"
#include "kernel/templates/gpu_looks.hpp"
#include "kernel/templates/gpu_row_block.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "plan/baked_group.hpp"

namespace lacuna::plan::gpus {
namespace {

constexpr std::uint32_t together = 4;         // edges whose offsets stand before their weights
constexpr std::uint32_t rows_of_a_warp = 32 / kernel::threads_of_row;
constexpr std::uint32_t rows_of_a_large_layer = 512;
constexpr std::uint32_t first_equal_look = 8;

class Packer {
 public:
  Packer(std::vector<std::uint32_t>& table, std::uint32_t zeros) : table_(table), zeros_(zeros) {}

  /// Where the next thing begins, in 16 bytes.
  std::uint32_t begin() {
    table_.resize((table_.size() + 3) / 4 * 4, 0);
    const std::size_t at = table_.size() / 4;
    if (at > 0xffffffffu) throw Unsupported("the network's tables exceed 64 GiB");
    return static_cast<std::uint32_t>(at);
  }

  /// `length`: to which the row is filled up.
  void pack_edges(const rows::RowGroup& group, std::uint32_t row, std::uint32_t length) {
    const std::size_t begin = group.weights.row_begin[row], end = group.weights.row_begin[row + std::size_t{1}];
    const auto offset = [&](std::size_t e) { return (e < end ? group.source.first + group.weights.column(e) : zeros_) * kernel::plane_bytes; };
    const auto weight = [&](std::size_t e) { return std::bit_cast<std::uint32_t>(e < end ? group.weights.value(e) : 0.0f); };
    for (std::size_t e = begin; e < begin + length; e += together) {
      for (std::uint32_t k = 0; k < together; ++k) table_.push_back(offset(e + k));
      for (std::uint32_t k = 0; k < together && !group.weights.has_one_value(); ++k) table_.push_back(weight(e + k));
    }
  }

  /// Edges of all rows, then the rows themselves; returns where the rows are. Long rows first: no warp begins a long one last, and neighbours are alike.
  std::uint32_t pack_group(const rows::RowGroup& group) {
    std::vector<std::uint32_t> order(group.weights.rows);
    std::iota(order.begin(), order.end(), 0u);
    const auto length = [&](std::uint32_t row) { return group.weights.row_begin[row + std::size_t{1}] - group.weights.row_begin[row]; };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
    std::vector<std::uint32_t> edges_at, filled;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::uint32_t longest = std::max(length(order[k / rows_of_a_warp * rows_of_a_warp]), 1u);
      filled.push_back((longest + together - 1) / together * together);
      edges_at.push_back(begin());
      pack_edges(group, order[k], filled.back());
    }
    const std::uint32_t rows_at = begin();
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::uint32_t row = order[k];
      const float bias = group.bias.empty() ? 0 : group.bias[group.bias.size() == 1 ? 0 : row];
      table_.insert(table_.end(), {edges_at[k], filled[k], (group.destination.first + row) * kernel::plane_bytes, std::bit_cast<std::uint32_t>(bias)});
    }
    return rows_at;
  }

  std::uint32_t pack_ranges(const std::vector<rows::PlaneRange>& ranges) {
    const std::uint32_t at = begin();
    for (rows::PlaneRange range : ranges) table_.insert(table_.end(), {range.first * kernel::plane_bytes, range.count});
    return at;
  }

 private:
  std::vector<std::uint32_t>& table_;
  const std::uint32_t zeros_;  ///< a plane
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

/// Blocks of rows with about a thousand nonzeros each, and sums that fit the registers.
std::vector<std::uint32_t> bake_group(LayerPlan& plan, const rows::RowGroup& group, std::size_t number) {
  constexpr std::size_t nonzeros_of_kernel = 1000;
  constexpr std::size_t most_rows = 24;
  const std::size_t length = std::max<std::size_t>(group.weights.nnz() / std::max(group.weights.rows, 1u), 1);
  const auto rows = static_cast<unsigned>(std::clamp<std::size_t>(nonzeros_of_kernel / length, 1, most_rows));
  std::vector<std::uint32_t> numbers;
  for (const kernel::Kernel& block : row_blocks(group, kernel::tile_lanes, rows)) {
    numbers.push_back(static_cast<std::uint32_t>(plan.kernels.size()));
    plan.kernels.push_back(kernel::build_gpu_row_block(block, group.activation, plan.planes, fmt::format("group_{}_block_{}", number, numbers.size() - 1)));
  }
  return numbers;
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
  plan.looking = {add(kernel::build_mark(plan.planes)),   add(kernel::build_mark_all()), add(kernel::build_hash(plan.planes)), add(kernel::build_follow(plan.planes)),
                  add(kernel::build_rank()),              add(kernel::build_close()),    add(kernel::build_move(plan.planes)), add(kernel::build_expand_bits(plan.planes))};
}

GroupLaunch walk_group(const rows::RowGroup& group, std::uint32_t number, std::uint32_t planes, std::uint32_t most_threads, LayerKernels& kernels, Packer& packer) {
  const bool one_weight = group.weights.has_one_value();
  const std::uint32_t threads = group.weights.rows < rows_of_a_large_layer ? std::min(most_threads, 256u) : most_threads;
  const kernel::LayerTable layer{one_weight, static_cast<unsigned>(group.residuals.size()), group.activation, planes, threads};
  GroupLaunch launch{number, {}, kernels.find(layer), packer.pack_group(group), group.weights.rows, layer.rows_at_once(), group.source.count + group.destination.count,
                     one_weight && group.weights.values.size() == 1 ? group.weights.values[0] : 0.0f, {}};
  for (rows::PlaneRange residual : group.residuals) launch.residuals.push_back((residual.first - group.destination.first) * kernel::plane_bytes);
  return launch;
}

}  // namespace

LayerPlan make_layer_plan(const rows::SparseRows& rows, const LayerPlanOptions& options) {
  if (rows.planes >= 0xffffffffu / kernel::plane_bytes)
    throw Unsupported(fmt::format("{} values are alive at once, and GPUs take {}", rows.planes, 0xffffffffu / kernel::plane_bytes));
  if (options.baked) check_bakeable(rows);
  LayerPlan plan;
  plan.planes = rows.planes + 1;
  plan.input = rows.input;
  plan.output = rows.output;
  Packer packer(plan.table, plan.planes - 1);
  LayerKernels kernels(plan);
  for (std::uint32_t k = 0; k < rows.groups.size(); ++k) {
    const rows::RowGroup& group = rows.groups[k];
    GroupLaunch launch = options.baked ? GroupLaunch{k, bake_group(plan, group, k), 0, 0, 0, 0, 0, 0, {}} : walk_group(group, k, plan.planes, options.block_threads, kernels, packer);
    plan.groups.push_back(std::move(launch));
    plan.edges.push_back(group.weights.nnz());
    plan.names.push_back(group.name);
  }
  add_looks(plan, rows, options, packer);
  add_looking_kernels(plan);
  return plan;
}

std::string print(const LayerPlan& plan) {
  std::string text = fmt::format("tiles of {} inputs x {} planes, {} kernels, table of {} bytes\n", kernel::tile_lanes, plan.planes, plan.kernels.size(), plan.table.size() * 4);
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
