#include "plan/sparse_conv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/round_up.hpp"
#include "base/team.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "plan/conv_depthwise.hpp"
#include "plan/conv_gather.hpp"
#include "plan/conv_line_pairs.hpp"
#include "plan/conv_tiles.hpp"
#include "plan/epilogue.hpp"

namespace lacuna::plan {
namespace {

using rows::Planes;

/// Lines of an excerpt that fits half of L2, or that one tile needs; about as many in each.
std::uint32_t excerpt_lines(const Conv& conv, const Planes& in, const Planes& out, std::size_t tile_lanes) {
  const rows::Window w = rows::window_of(conv);
  const std::size_t phases = std::min<std::size_t>(std::size_t{w.stride_y} * w.stride_x, std::size_t{w.kernel_y} * w.kernel_x);
  const std::size_t reach = (w.kernel_y - std::size_t{1}) * w.dilation_y / w.stride_y, room = cpu::cpu_info().l2_bytes / 2 / (in.channels * phases * out.row * sizeof(float));
  const std::size_t most = room > reach + 1 ? room - reach - 1 : 1;  // a share may begin amid a line
  const std::size_t parts = (out.height + most - 1) / most, lines = (out.height + parts - 1) / parts + 1;
  return static_cast<std::uint32_t>(std::max(lines, tile_lanes / std::max<std::size_t>(out.row, 1) + 2) + reach);
}

/// Bounds are the kernels' own; anything smoother comes after them.
void set_activation(const Activation& activation, LoweredConv& conv) {
  cpu::Table table;
  set_epilogue(table, activation);
  conv.blocks.low = table.low;
  conv.blocks.high = table.high;
  if (table.epilogue == cpu::Epilogue::clip) return;
  conv.smooth = {table.epilogue, table.low, table.high};
  conv.blocks.low = -std::numeric_limits<float>::infinity();
  conv.blocks.high = std::numeric_limits<float>::infinity();
}

}  // namespace

std::string to_string(const ConvKernelChoice& choice) {
  switch (choice.kind) {
    case ConvKernelKind::gather: return "gather";
    case ConvKernelKind::depthwise: return "depthwise";
    case ConvKernelKind::line_pairs: return fmt::format("line pairs in {} sums{}{}", choice.rows, choice.by_lines ? ", by lines" : "", choice.spreads ? ", weights spread" : "");
    case ConvKernelKind::table:
    case ConvKernelKind::steps:
      return fmt::format("table of {} vectors{}, {} rows, {} tiles, {} groups", choice.vectors, choice.kind == ConvKernelKind::steps ? " in steps" : "", choice.rows, choice.chunk_tiles,
                         choice.groups);
    case ConvKernelKind::baked:
      return fmt::format("baked {}{}x{}, {} tiles, {} groups{}{}{}", choice.together > 1 ? fmt::format("{} of ", choice.together) : "", choice.vectors, choice.rows, choice.chunk_tiles, choice.groups,
                         choice.by_lines ? ", by lines" : "", choice.spreads ? ", weights spread" : "", choice.packs ? ", input packed" : "");
  }
  return "?";
}

/// One of the kernels, and what it reads.
struct SparseConv::State {
  LoweredConv conv;
  ConvKernelChoice choice;
  std::unique_ptr<ConvTiles> tiles;
  std::optional<ConvGather> gather;
  std::optional<ConvDepthwise> depthwise;
  std::optional<ConvLinePairs> line_pairs;
  std::uint64_t edges = 0;

  void run_depthwise(const float* input, float* output, unsigned worker) const {
    const ConvDepthwise::Part part = depthwise->part_of(worker, conv.threads);
    depthwise->run(input, output, part);
    activate(output, part.plane_begin, part.plane_end, part.row_begin, part.row_end);
  }

  void run_line_pairs(const float* input, float* output, float* scratch, unsigned worker) const {
    const ConvLinePairs::Part part = line_pairs->part_of(worker, conv.threads);
    line_pairs->run(input, output, part, scratch);
    activate(output, 0, std::size_t{conv.out.batch} * conv.out.channels, part.line_begin, part.line_end);
  }

  void activate(float* output, std::size_t plane_begin, std::size_t plane_end, std::size_t line_begin, std::size_t line_end) const {
    for (std::size_t plane = plane_begin; conv.smooth && plane < plane_end; ++plane)
      for (std::size_t y = line_begin; y < line_end; ++y) conv.activate(output + conv.out.at(plane / conv.out.channels, plane % conv.out.channels, y, 0), conv.out.width);
  }
};

SparseConv::SparseConv(const Conv& conv, const Planes& in, const Planes& out, const Planes* skip, ConvKernelChoice choice, cpu::Isa isa, unsigned threads) {
  auto state = std::make_unique<State>();
  LoweredConv& lowered = state->conv;
  lowered.in = in;
  lowered.out = out;
  if (skip != nullptr) lowered.skip = *skip;
  lowered.kernels = &cpu::kernels_for(isa);
  lowered.threads = std::max(threads, 1u);
  if (choice.kind == ConvKernelKind::depthwise && (skip != nullptr || !can_be_depthwise(conv, in, out))) choice = {};
  if (choice.kind == ConvKernelKind::line_pairs && (skip != nullptr || !can_be_line_pairs(conv, in, out, isa))) choice = {};
  const auto lower = [&](rows::Strides strides) {
    const bool by_tiles = choice.kind != ConvKernelKind::gather;
    lowered.rows = rows::lower_conv(conv, in, out, strides, by_tiles ? excerpt_lines(conv, in, out, std::size_t{choice.vectors} * lowered.kernels->vector_lanes) : 0);
    if (choice.kind == ConvKernelKind::steps && lowered.rows.lane_step == 1) choice.kind = ConvKernelKind::table;
    lowered.blocks = make_blocks(lowered.rows, out, skip, choice, lowered.threads);
    set_activation(conv.activation, lowered);
  };
  const bool is_depthwise = choice.kind == ConvKernelKind::depthwise;
  choice.packs = choice.packs && choice.kind == ConvKernelKind::baked && rows::can_be_packed(conv, in, out);
  lower(choice.packs ? rows::Strides::packed : choice.kind == ConvKernelKind::steps ? rows::Strides::in_steps : is_depthwise ? rows::Strides::in_place : rows::Strides::taken_apart);
  state->edges = std::uint64_t{lowered.rows.nonzeros.size()} * out.batch * out.height * out.width;
  if (choice.kind == ConvKernelKind::line_pairs) {
    state->line_pairs.emplace(conv, in, out, lowered.blocks.low, lowered.blocks.high, choice, isa);
    lowered.rows.phases.clear();  // it has its own
  } else if (is_depthwise) {
    state->depthwise.emplace(conv, in, out, lowered.blocks.low, lowered.blocks.high, isa);
  } else if (choice.kind == ConvKernelKind::gather) {
    state->gather.emplace(lowered);
  } else if (state->tiles = ConvTiles::make(lowered, choice, isa); !state->tiles) {
    lower(rows::Strides::taken_apart);
    state->tiles = ConvTiles::make(lowered, choice, isa);
  }
  lowered.rows.nonzeros = {};
  state->choice = choice;
  state_ = std::move(state);
}

SparseConv::~SparseConv() = default;
SparseConv::SparseConv(SparseConv&&) noexcept = default;
SparseConv& SparseConv::operator=(SparseConv&&) noexcept = default;

void SparseConv::run(const float* in, const float* skip, float* out, const Scratch& scratch) const {
  const State& state = *state_;
  if (state.tiles) return state.tiles->run(in, skip, out, scratch);
  base::run_team(state.conv.threads, [&](unsigned worker) {
    float* const of_thread = scratch.of_threads + worker * scratch.thread_pitch;
    if (state.depthwise)
      state.run_depthwise(in, out, worker);
    else if (state.line_pairs)
      state.run_line_pairs(in, out, of_thread, worker);
    else
      state.gather->run(in, skip, out, of_thread, worker);
  });
}

bool SparseConv::has_rows() const {
  const State& state = *state_;
  if (state.line_pairs) return state.conv.threads == 1 && state.conv.out.plane_sets() == 1 && !state.conv.smooth;
  return state.tiles && state.tiles->has_rows();
}

void SparseConv::run_rows(const float* in, float* out, std::uint32_t rows, float* scratch) const {
  const State& state = *state_;
  state.line_pairs ? state.line_pairs->run_lines(in, out, {0, rows}, scratch) : state.tiles->run_rows(in, out, rows, scratch);
}

bool SparseConv::may_write_over_skip() const { return state_->tiles && state_->tiles->may_write_over_skip(); }

std::size_t SparseConv::common_floats() const { return state_->tiles ? state_->tiles->common_floats() : 0; }
std::size_t SparseConv::thread_floats() const {
  const State& state = *state_;
  return state.tiles ? state.tiles->thread_floats() : state.line_pairs ? base::round_up(state.line_pairs->scratch_floats(), 16) : state.conv.excerpt_floats();
}
unsigned SparseConv::threads() const { return state_->conv.threads; }
const ConvKernelChoice& SparseConv::choice() const { return state_->choice; }
std::size_t SparseConv::code_bytes() const {
  const State& state = *state_;
  return state.tiles ? state.tiles->bytes() : state.depthwise ? state.depthwise->bytes() : state.line_pairs ? state.line_pairs->bytes() : state.gather->bytes();
}
std::uint64_t SparseConv::edges() const { return state_->edges; }

std::string SparseConv::describe() const {
  const State& state = *state_;
  return fmt::format("{}{}{}", to_string(state.choice), state.conv.is_taken_apart() && !state.conv.rows.is_packed ? ", input taken apart" : "", state.tiles && state.tiles->copies_output() ? ", output copied" : "");
}

}  // namespace lacuna::plan
