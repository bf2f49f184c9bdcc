#include "plan/sparse_conv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <lacuna/error.hpp>

#include "base/team.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "plan/conv_body.hpp"
#include "plan/conv_depthwise.hpp"
#include "plan/conv_gather.hpp"
#include "plan/conv_line_pairs.hpp"
#include "plan/conv_shares.hpp"
#include "plan/epilogue.hpp"

namespace lacuna::plan {
namespace {

using rows::Planes;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

/// The output's planes, no slabs, with room for a whole tile after each of them.
Planes roomy(const Planes& out, std::size_t tile_lanes) {
  Planes planes = out;
  planes.slab = 0;
  planes.channel = round_up(std::max(out.channel, out.plane_lanes()) + tile_lanes, 16);
  planes.origin = std::max(out.origin, round_up(out.halo_y * out.row + out.halo_x * out.column, 16));
  planes.image = out.lanes_are_inputs() ? 1 : planes.channel * out.channels;
  planes.floats = planes.origin + planes.plane_sets() * planes.channels * planes.channel + tile_lanes;
  return planes;
}

/// Lines of an excerpt that fits half of L2, or that one tile needs; about as many in each.
std::uint32_t excerpt_lines(const Conv& conv, const Planes& in, const Planes& out, std::size_t tile_lanes) {
  const rows::Window w = rows::window_of(conv);
  const std::size_t phases = std::min<std::size_t>(std::size_t{w.stride_y} * w.stride_x, std::size_t{w.kernel_y} * w.kernel_x);
  const std::size_t reach = (w.kernel_y - std::size_t{1}) * w.dilation_y / w.stride_y, room = cpu::cpu_info().l2_bytes / 2 / (in.channels * phases * out.row * sizeof(float));
  const std::size_t most = room > reach + 1 ? room - reach - 1 : 1;  // a share may begin amid a line
  const std::size_t parts = (out.height + most - 1) / most, lines = (out.height + parts - 1) / parts + 1;
  return static_cast<std::uint32_t>(std::max(lines, tile_lanes / std::max<std::size_t>(out.row, 1) + 2) + reach);
}

}  // namespace

std::string to_string(const ConvKernelChoice& choice) {
  switch (choice.kind) {
    case ConvKernelKind::gather: return "gather";
    case ConvKernelKind::depthwise: return "depthwise";
    case ConvKernelKind::line_pairs: return fmt::format("line pairs in {} sums", choice.rows);
    case ConvKernelKind::table:
    case ConvKernelKind::steps:
      return fmt::format("table of {} vectors{}, {} rows, {} tiles, {} groups", choice.vectors, choice.kind == ConvKernelKind::steps ? " in steps" : "", choice.rows, choice.chunk_tiles,
                         choice.groups);
    case ConvKernelKind::baked: return fmt::format("baked {}x{}, {} tiles, {} groups", choice.vectors, choice.rows, choice.chunk_tiles, choice.groups);
  }
  return "?";
}

struct SparseConv::State {
  Planes in, out;
  std::optional<Planes> skip;
  std::optional<Planes> inner;  ///< where sums go first, if `out` has no room for tiles that are wider than its rows
  ConvKernelChoice choice;
  const cpu::Kernels* kernels = nullptr;
  unsigned threads = 1;
  rows::ConvRows rows;
  ConvBlocks blocks;
  std::unique_ptr<ConvBody> body;
  std::optional<ConvGather> gather;
  std::optional<ConvDepthwise> depthwise;
  std::optional<ConvLinePairs> line_pairs;
  std::vector<ConvShare> shares;
  std::optional<rows::Excerpt> common;  ///< all that shares read: they take it apart together
  std::size_t partial_floats = 0;       ///< of one thread
  std::optional<cpu::Epilogue> smooth;
  float first = 0, second = 0;
  std::uint64_t edges = 0;

  void set_activation(const Activation& activation) {
    cpu::Table table;
    set_epilogue(table, activation);
    blocks.low = table.low;
    blocks.high = table.high;
    if (table.epilogue == cpu::Epilogue::clip) return;
    smooth = table.epilogue;
    first = table.low;
    second = table.high;
    blocks.low = -std::numeric_limits<float>::infinity();
    blocks.high = std::numeric_limits<float>::infinity();
  }

  /// A multiply-add for every nonzero, and some more for a row. Code is longer than a table, and decoded.
  BlockWork work_of_blocks() const {
    constexpr std::uint64_t of_row = 8;
    BlockWork work{{}, choice.kind == ConvKernelKind::baked ? 1.4 : 0.5};
    for (std::size_t block = 0; block < blocks.blocks(); ++block) {
      std::uint64_t& nonzeros = work.nonzeros.emplace_back(1);
      for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
        nonzeros += of_row + rows.row_begin[blocks.order[position] + std::size_t{1}] - rows.row_begin[blocks.order[position]];
    }
    return work;
  }

  /// False where tiles would read beyond the input's buffer, which steps can.
  bool cut_up() {
    const BlockWork work = work_of_blocks();
    const TileWidth width{kernels->vector_lanes, choice.vectors, is_table(choice.kind), choice.chunk_tiles};
    const Planes* const added = skip ? &*skip : nullptr;
    shares = make_shares({rows, out, added}, width, work, threads);
    if (!shares.empty()) return true;
    inner = roomy(out, std::size_t{width.vectors} * width.vector_lanes);
    shares = make_shares({rows, *inner, added}, width, work, threads);
    if (!shares.empty()) return true;
    if (const std::size_t slab = std::max(rows.source.slab, skip ? skip->slab : 0); slab != 0) throw InternalError(fmt::format("slabs of {} lanes cannot be read by tiles of {} vectors of {}", slab, width.vectors, width.vector_lanes));
    if (rows.lane_step == 1) throw InternalError("the planes of a convolution have no slack at their end: make them with planes_for()");
    inner.reset();
    return false;
  }

  /// AVX-512 writes zeros to gaps as it goes; a smooth activation would change them once more.
  void list_gaps(cpu::Isa isa) {
    const bool blanks = isa == cpu::Isa::avx512 && !smooth;
    for (ConvShare& share : shares)
      for (ConvChunk& chunk : share.chunks) {
        const auto tiles = std::span(share.tiles).subspan(chunk.tile_begin, chunk.tile_end - chunk.tile_begin);
        std::vector<Gap> gaps = gaps_of(inner ? *inner : out, tiles, kernels->vector_lanes);
        chunk.gaps = blanks ? blank_gaps(std::move(gaps), tiles, kernels->vector_lanes) : std::move(gaps);
      }
  }

  /// Of all pixels, for kernels that have no tiles.
  void list_all_gaps() {
    ConvShare& share = shares.emplace_back();
    for (std::uint32_t n = 0; n < out.plane_sets(); ++n) {
      share.strips.push_back({n, 0, out.height});
      for (std::size_t y = 0; y < out.height; ++y)
        for (std::size_t x = 0; x < out.width; ++x) share.tiles.push_back({0, static_cast<std::int64_t>(out.at(n, 0, y, x)), 0, 1, 0});
    }
    share.chunks.push_back({0, share.tiles.size(), {}, gaps_of(out, share.tiles, out.lanes_are_inputs() ? out.batch : 1)});
  }

  /// Of a chunk.
  std::size_t most_tiles() const {
    std::size_t most = 1;
    for (const ConvShare& share : shares)
      for (const ConvChunk& chunk : share.chunks) most = std::max(most, chunk.tile_end - chunk.tile_begin);
    return most;
  }

  void size_partials() {
    std::size_t most_rows = 0;
    for (std::size_t block = 0; block < blocks.blocks(); ++block) most_rows = std::max<std::size_t>(most_rows, blocks.block_begin[block + 1] - blocks.block_begin[block]);
    const std::size_t tiles = choice.kind == ConvKernelKind::baked ? std::min(choice.chunk_tiles, baked_window_tiles) : choice.chunk_tiles;
    if (blocks.groups() > 1) partial_floats = round_up(most_rows * tiles * choice.vectors * kernels->vector_lanes, 16);
  }

  std::size_t phase_floats() const { return rows.phases.empty() ? 0 : round_up(rows.source.floats, 16); }
  std::size_t inner_floats() const { return inner ? round_up(inner->floats, 16) : 0; }

  void finish(const ConvShare& share, std::size_t block, std::size_t begin, std::size_t end, float* destination) const {
    for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
      for (std::size_t k = begin; k < end; ++k) {
        const cpu::ConvTile& tile = share.tiles[k];
        const std::size_t repeated = k == begin ? 0 : tile.repeated, lanes = std::size_t{tile.vectors} * kernels->vector_lanes;
        if (repeated < lanes)
          kernels->run_activation(*smooth, first, second, destination + tile.destination + blocks.destinations[position] + repeated, lanes - repeated);
      }
  }

  void zero_gaps(const std::vector<Gap>& gaps, std::size_t block, float* destination) const {
    for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
      for (const Gap& gap : gaps) {
        float* const values = destination + blocks.destinations[position] + gap.begin;
        if (gap.length == 1)
          *values = 0;
        else
          std::fill(values, values + gap.length, 0.0f);
      }
  }

  /// Where threads divide rows of weights only, all of them read the same.
  void find_common_excerpt() {
    const auto excerpt_of = [](const ConvShare& share) { return share.chunks.empty() ? std::nullopt : share.chunks.front().excerpt; };
    const auto has_one = [](const ConvShare& share) { return std::count_if(share.chunks.begin(), share.chunks.end(), [](const ConvChunk& chunk) { return chunk.excerpt.has_value(); }) == 1; };
    const std::optional<rows::Excerpt> first = excerpt_of(shares.front());
    if (threads == 1 || !std::all_of(shares.begin(), shares.end(), [&](const ConvShare& share) { return has_one(share) && excerpt_of(share) == first; })) return;
    common = first;
    for (ConvShare& share : shares) share.chunks.front().excerpt.reset();
  }

  void take_part(const float* input, float* excerpt, unsigned worker) const {
    const auto line = [&](unsigned part) { return static_cast<std::uint32_t>(common->line_begin + std::size_t{common->line_end - common->line_begin} * part / threads); };
    rows::take_apart(rows, in, input, {common->image, line(worker), line(worker + 1), common->first_lane}, excerpt, kernels->part_rows);
  }

  /// An excerpt of the input, and sums that are not finished.
  std::size_t thread_floats() const { return line_pairs ? round_up(line_pairs->scratch_floats(), 16) : (common ? 0 : phase_floats()) + partial_floats; }
  std::size_t common_floats() const { return (common ? phase_floats() : 0) + inner_floats(); }

  void run_share(const ConvShare& share, const float* input, float* excerpt, const cpu::ConvMemory& memory) const {
    for (const ConvChunk& chunk : share.chunks) {
      if (chunk.excerpt) rows::take_apart(rows, in, input, *chunk.excerpt, excerpt, kernels->part_rows);
      for (std::size_t block = share.block_begin; block < share.block_end; ++block) {
        body->run(block, memory, &share.tiles[chunk.tile_begin], chunk.tile_end - chunk.tile_begin);
        if (smooth) finish(share, block, chunk.tile_begin, chunk.tile_end, memory.destination);
        zero_gaps(chunk.gaps, block, memory.destination);
      }
    }
    const Planes& planes = inner ? *inner : out;
    for (std::uint32_t position = blocks.block_begin[share.block_begin]; position < blocks.block_begin[share.block_end]; ++position)
      zero_before(planes, share.strips, blocks.order[position], memory.destination);
  }

  void run_depthwise(const float* input, float* output, unsigned worker) const {
    const ConvDepthwise::Part part = depthwise->part_of(worker, threads);
    depthwise->run(input, output, part);
    finish_lines(output, part.plane_begin, part.plane_end, part.row_begin, part.row_end);
  }

  void run_line_pairs(const float* input, float* output, float* scratch, unsigned worker) const {
    const ConvLinePairs::Part part = line_pairs->part_of(worker, threads);
    line_pairs->run(input, output, part, scratch);
    finish_lines(output, 0, std::size_t{out.batch} * out.channels, part.line_begin, part.line_end);
  }

  void finish_lines(float* output, std::size_t plane_begin, std::size_t plane_end, std::size_t line_begin, std::size_t line_end) const {
    for (std::size_t plane = plane_begin; smooth && plane < plane_end; ++plane)
      for (std::size_t y = line_begin; y < line_end; ++y) kernels->run_activation(*smooth, first, second, output + out.at(plane / out.channels, plane % out.channels, y, 0), out.width);
  }

  void run_gather(const float* input, float* excerpt, const cpu::ConvMemory& memory, unsigned worker) const {
    const auto [begin, end] = gather->rows_of(worker, threads);
    for (std::uint32_t n = 0; n < out.batch; ++n) {
      const bool is_apart = !rows.phases.empty(), has_lanes = out.lanes_are_inputs();
      if (is_apart && (n == 0 || !has_lanes)) rows::take_apart(rows, in, input, {n, 0, rows.lines, 0}, excerpt, kernels->part_rows);
      for (std::size_t y = 0; y < out.height; ++y)
        for (std::size_t x = 0; x < out.width; ++x) {
          const std::size_t place = out.at(n, 0, y, x);
          gather->run({memory.source + rows.source.at(is_apart && !has_lanes ? 0 : n, 0, y * rows.step_y, x * rows.step_x), memory.destination + place,
                       memory.skip == nullptr ? nullptr : memory.skip + skip->at(n, 0, y, x), nullptr},
                      worker, threads);
          if (smooth)
            for (std::size_t position = begin; position < end; ++position)
              kernels->run_activation(*smooth, first, second, memory.destination + place + blocks.destinations[position], 1);
        }
    }
    const ConvShare& share = shares.front();
    for (std::size_t position = begin; position < end; ++position) {
      for (const Gap& gap : share.chunks.front().gaps) std::fill_n(memory.destination + blocks.destinations[position] + gap.begin, gap.length, 0.0f);
      zero_before(out, share.strips, blocks.order[position], memory.destination);
    }
  }
};

SparseConv::SparseConv(const Conv& conv, const Planes& in, const Planes& out, const Planes* skip, ConvKernelChoice choice, cpu::Isa isa, unsigned threads) {
  auto state = std::make_unique<State>();
  state->in = in;
  state->out = out;
  if (skip != nullptr) state->skip = *skip;
  state->choice = choice;
  state->kernels = &cpu::kernels_for(isa);
  state->threads = std::max(threads, 1u);
  if (choice.kind == ConvKernelKind::depthwise && (skip != nullptr || !can_be_depthwise(conv, in, out))) state->choice = choice = {};
  if (choice.kind == ConvKernelKind::line_pairs && (skip != nullptr || !can_be_line_pairs(conv, in, out, isa))) state->choice = choice = {};
  const auto lower = [&](rows::Strides strides) {
    const bool by_tiles = choice.kind != ConvKernelKind::gather;
    state->rows = rows::lower_conv(conv, in, out, strides, by_tiles ? excerpt_lines(conv, in, out, std::size_t{choice.vectors} * state->kernels->vector_lanes) : 0);
    if (choice.kind == ConvKernelKind::steps && state->rows.lane_step == 1) state->choice.kind = ConvKernelKind::table;
    state->blocks = make_blocks(state->rows, out, skip, choice, state->threads);
    state->set_activation(conv.activation);
  };
  const bool is_depthwise = choice.kind == ConvKernelKind::depthwise;
  lower(choice.kind == ConvKernelKind::steps ? rows::Strides::in_steps : is_depthwise ? rows::Strides::in_place : rows::Strides::taken_apart);
  state->edges = std::uint64_t{state->rows.nonzeros.size()} * out.batch * out.height * out.width;
  if (choice.kind == ConvKernelKind::line_pairs) {
    state->line_pairs.emplace(conv, in, out, state->blocks.low, state->blocks.high, choice.rows, isa);
    state->rows.phases.clear();  // it has its own
  } else if (is_depthwise) {
    state->depthwise.emplace(conv, in, out, state->blocks.low, state->blocks.high, isa);
  } else if (choice.kind == ConvKernelKind::gather) {
    state->gather.emplace(state->rows, state->blocks, isa);
    state->list_all_gaps();
  } else {
    if (!state->cut_up()) {
      lower(rows::Strides::taken_apart);
      state->cut_up();
    }
    state->find_common_excerpt();
    state->list_gaps(isa);
    if (state->inner)
      for (std::size_t position = 0; position < state->blocks.order.size(); ++position)
        state->blocks.destinations[position] = static_cast<std::int64_t>(state->inner->channel * state->blocks.order[position]);
    state->size_partials();
    state->body = is_table(choice.kind) ? make_table_body(state->rows, state->blocks, isa) : make_baked_body(state->rows, state->blocks, isa, choice.vectors, state->most_tiles());
  }
  state->rows.nonzeros = {};
  state_ = std::move(state);
}

SparseConv::~SparseConv() = default;
SparseConv::SparseConv(SparseConv&&) noexcept = default;
SparseConv& SparseConv::operator=(SparseConv&&) noexcept = default;

void SparseConv::run(const float* in, const float* skip, float* out, const Scratch& scratch) const {
  const State& state = *state_;
  float* const target = state.inner ? scratch.common : out;
  float* const common = scratch.common + state.inner_floats();
  if (state.common) base::run_team(state.threads, [&](unsigned worker) { state.take_part(in, common, worker); });
  base::run_team(state.threads, [&](unsigned worker) {
    float* const of_thread = scratch.of_threads + worker * scratch.thread_pitch;
    float* const excerpt = state.common ? common : of_thread;
    const cpu::ConvMemory memory{state.rows.phases.empty() ? in : excerpt, target, state.skip ? skip : nullptr, of_thread + state.thread_floats() - state.partial_floats};
    if (state.depthwise)
      state.run_depthwise(in, out, worker);
    else if (state.line_pairs)
      state.run_line_pairs(in, out, of_thread, worker);
    else if (state.gather)
      state.run_gather(in, excerpt, memory, worker);
    else
      state.run_share(state.shares[worker], in, excerpt, memory);
  });
  if (state.inner) rows::copy_planes(*state.inner, target, state.out, out);
}

bool SparseConv::has_rows() const {
  const State& state = *state_;
  if (state.threads > 1 || state.out.plane_sets() > 1 || state.inner || state.skip || state.smooth) return false;
  if (state.line_pairs) return true;
  if (!state.body || state.shares.size() != 1) return false;
  const std::vector<cpu::ConvTile>& tiles = state.shares.front().tiles;
  return ends_with_rows(state.out, tiles, state.kernels->vector_lanes);
}

void SparseConv::run_rows(const float* in, float* out, std::uint32_t rows, float* scratch) const {
  const State& state = *state_;
  if (state.line_pairs) return state.line_pairs->run_lines(in, out, {0, rows}, scratch);
  const ConvShare& share = state.shares.front();
  const std::size_t tiles = share.tiles.size() / state.out.height * rows;
  const cpu::ConvMemory memory{state.rows.phases.empty() ? in : scratch, out, nullptr, scratch + state.phase_floats()};
  for (const ConvChunk& chunk : share.chunks) {
    if (chunk.tile_begin >= tiles) break;
    if (chunk.excerpt) {
      rows::Excerpt excerpt = *chunk.excerpt;
      excerpt.line_end = std::min(excerpt.line_end, rows + (state.rows.lines - state.out.height));
      rows::take_apart(state.rows, state.in, in, excerpt, scratch, state.kernels->part_rows);
    }
    for (std::size_t block = 0; block < state.blocks.blocks(); ++block) state.body->run(block, memory, &share.tiles[chunk.tile_begin], std::min(chunk.tile_end, tiles) - chunk.tile_begin);
  }
}

bool SparseConv::may_write_over_skip() const {
  const State& state = *state_;
  const bool has_tiles = state.body && !state.inner;
  return has_tiles && state.skip == state.out && std::none_of(state.shares.begin(), state.shares.end(), [&](const ConvShare& share) { return repeats(share, state.kernels->vector_lanes); });
}

std::size_t SparseConv::common_floats() const { return state_->common_floats(); }
std::size_t SparseConv::thread_floats() const { return state_->thread_floats(); }
unsigned SparseConv::threads() const { return state_->threads; }
const ConvKernelChoice& SparseConv::choice() const { return state_->choice; }
std::size_t SparseConv::code_bytes() const {
  const State& state = *state_;
  return state.depthwise ? state.depthwise->bytes() : state.line_pairs ? state.line_pairs->bytes() : state.gather ? state.gather->bytes() : state.body->bytes();
}
std::uint64_t SparseConv::edges() const { return state_->edges; }

std::string SparseConv::describe() const {
  return fmt::format("{}{}{}", to_string(state_->choice), state_->rows.phases.empty() ? "" : ", input taken apart", state_->inner ? ", output copied" : "");
}

}  // namespace lacuna::plan
