#include "plan/conv_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "base/round_up.hpp"
#include "base/team.hpp"

namespace lacuna::plan {
namespace {

using base::round_up;
using rows::Planes;

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

/// A multiply-add for every nonzero, and some more for a row. Code has 13 bytes for a nonzero, a table 8, and memory gives about four in a cycle.
BlockWork work_of_blocks(const LoweredConv& conv, ConvKernelKind kind) {
  constexpr std::uint64_t of_row = 8;
  BlockWork work{{}, kind == ConvKernelKind::baked ? 3.3 : 2.0};
  const ConvBlocks& blocks = conv.blocks;
  for (std::size_t block = 0; block < blocks.blocks(); ++block) {
    std::uint64_t& nonzeros = work.nonzeros.emplace_back(1);
    for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
      nonzeros += of_row + conv.rows.row_begin[blocks.order[position] + std::size_t{1}] - conv.rows.row_begin[blocks.order[position]];
  }
  return work;
}

void zero_gaps(const ConvBlocks& blocks, std::size_t block, const std::vector<Gap>& gaps, float* destination) {
  for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
    for (const Gap& gap : gaps) {
      float* const values = destination + blocks.destinations[position] + gap.begin;
      if (gap.length == 1)
        *values = 0;
      else
        std::fill(values, values + gap.length, 0.0f);
    }
}

}  // namespace

std::unique_ptr<ConvTiles> ConvTiles::make(LoweredConv& conv, ConvKernelChoice& choice, cpu::Isa isa) {
  std::unique_ptr<ConvTiles> tiles(new ConvTiles(conv));
  if (!tiles->cut_up(choice)) return nullptr;
  tiles->find_common_excerpt();
  tiles->list_gaps(isa);
  if (tiles->inner_)
    for (std::size_t position = 0; position < conv.blocks.order.size(); ++position)
      conv.blocks.destinations[position] = static_cast<std::int64_t>(tiles->inner_->channel * conv.blocks.order[position]);
  tiles->size_partials(choice);
  const bool may_join = choice.by_lines && choice.kind == ConvKernelKind::baked && choice.vectors == 1 && isa == cpu::Isa::avx512;
  const std::optional<std::uint32_t> into_line = may_join ? tiles->into_line() : std::nullopt;
  choice.by_lines = into_line.has_value();
  choice.spreads = choice.spreads && choice.kind == ConvKernelKind::baked && choice.vectors == 1 && isa == cpu::Isa::avx512;
  tiles->body_ = is_table(choice.kind) ? make_table_body(conv.rows, conv.blocks, isa) : make_baked_body(conv.rows, conv.blocks, isa, {choice.vectors, tiles->most_tiles(), into_line, choice.spreads});
  return tiles;
}

bool ConvTiles::cut_up(const ConvKernelChoice& choice) {
  const BlockWork work = work_of_blocks(conv_, choice.kind);
  const TileWidth width{conv_.kernels->vector_lanes, choice.vectors, is_table(choice.kind), choice.chunk_tiles};
  const Planes* const added = conv_.skip ? &*conv_.skip : nullptr;
  shares_ = make_shares({conv_.rows, conv_.out, added}, width, work, conv_.threads);
  if (!shares_.empty()) return true;
  inner_ = roomy(conv_.out, std::size_t{width.vectors} * width.vector_lanes);
  shares_ = make_shares({conv_.rows, *inner_, added}, width, work, conv_.threads);
  if (!shares_.empty()) return true;
  if (const std::size_t slab = std::max(conv_.rows.source.slab, added != nullptr ? added->slab : 0); slab != 0)
    throw InternalError(fmt::format("slabs of {} lanes cannot be read by tiles of {} vectors of {}", slab, width.vectors, width.vector_lanes));
  if (conv_.rows.lane_step == 1) throw InternalError("the planes of a convolution have no slack at their end: make them with planes_for()");
  return false;
}

/// Where threads divide rows of weights only, all of them read the same. What is packed ends with zeros that would stand in others' lines.
void ConvTiles::find_common_excerpt() {
  const auto excerpt_of = [](const ConvShare& share) { return share.chunks.empty() ? std::nullopt : share.chunks.front().excerpt; };
  const auto has_one = [](const ConvShare& share) { return std::count_if(share.chunks.begin(), share.chunks.end(), [](const ConvChunk& chunk) { return chunk.excerpt.has_value(); }) == 1; };
  const std::optional<rows::Excerpt> first = excerpt_of(shares_.front());
  if (conv_.threads == 1 || conv_.rows.is_packed || !std::all_of(shares_.begin(), shares_.end(), [&](const ConvShare& share) { return has_one(share) && excerpt_of(share) == first; })) return;
  common_ = first;
  for (ConvShare& share : shares_) share.chunks.front().excerpt.reset();
}

/// AVX-512 writes zeros to gaps as it goes; a smooth activation would change them once more.
void ConvTiles::list_gaps(cpu::Isa isa) {
  const bool blanks = isa == cpu::Isa::avx512 && !conv_.smooth;
  const unsigned vector_lanes = conv_.kernels->vector_lanes;
  for (ConvShare& share : shares_)
    for (ConvChunk& chunk : share.chunks) {
      const auto tiles = std::span(share.tiles).subspan(chunk.tile_begin, chunk.tile_end - chunk.tile_begin);
      std::vector<Gap> gaps = gaps_of(inner_ ? *inner_ : conv_.out, tiles, vector_lanes);
      chunk.gaps = blanks ? blank_gaps(std::move(gaps), tiles, vector_lanes) : std::move(gaps);
    }
}

void ConvTiles::size_partials(const ConvKernelChoice& choice) {
  const ConvBlocks& blocks = conv_.blocks;
  std::size_t most_rows = 0;
  for (std::size_t block = 0; block < blocks.blocks(); ++block) most_rows = std::max<std::size_t>(most_rows, blocks.block_begin[block + 1] - blocks.block_begin[block]);
  const std::size_t tiles = choice.kind == ConvKernelKind::baked ? std::min(choice.chunk_tiles, baked_window_tiles) : choice.chunk_tiles;
  if (blocks.groups() > 1) partial_floats_ = round_up(most_rows * tiles * choice.vectors * conv_.kernels->vector_lanes, 16);
}

/// Nothing if tiles differ in that.
std::optional<std::uint32_t> ConvTiles::into_line() const {
  constexpr std::int64_t line_floats = 16;
  std::optional<std::int64_t> found;
  for (const ConvShare& share : shares_)
    for (const cpu::ConvTile& tile : share.tiles)
      if (const std::int64_t here = (tile.source % line_floats + line_floats) % line_floats; found.value_or(here) == here)
        found = here;
      else
        return std::nullopt;
  return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

/// Of a chunk.
std::size_t ConvTiles::most_tiles() const {
  std::size_t most = 1;
  for (const ConvShare& share : shares_)
    for (const ConvChunk& chunk : share.chunks) most = std::max(most, chunk.tile_end - chunk.tile_begin);
  return most;
}

std::size_t ConvTiles::inner_floats() const { return inner_ ? round_up(inner_->floats, 16) : 0; }
std::size_t ConvTiles::common_floats() const { return (common_ ? conv_.excerpt_floats() : 0) + inner_floats(); }
std::size_t ConvTiles::thread_floats() const { return (common_ ? 0 : conv_.excerpt_floats()) + partial_floats_; }

void ConvTiles::run(const float* in, const float* skip, float* out, const SparseConv::Scratch& scratch) const {
  float* const target = inner_ ? scratch.common : out;
  float* const common = scratch.common + inner_floats();
  if (common_) base::run_team(conv_.threads, [&](unsigned worker) { take_part(in, common, worker); });
  base::run_team(conv_.threads, [&](unsigned worker) {
    float* const of_thread = scratch.of_threads + worker * scratch.thread_pitch;
    float* const excerpt = common_ ? common : of_thread;
    run_share(shares_[worker], in, excerpt, {conv_.is_taken_apart() ? excerpt : in, target, conv_.skip ? skip : nullptr, of_thread + thread_floats() - partial_floats_});
  });
  if (inner_) rows::copy_planes(*inner_, target, conv_.out, out);
}

void ConvTiles::take_part(const float* input, float* excerpt, unsigned worker) const {
  const auto line = [&](unsigned part) { return static_cast<std::uint32_t>(common_->line_begin + std::size_t{common_->line_end - common_->line_begin} * part / conv_.threads); };
  rows::take_apart(conv_.rows, conv_.in, input, {common_->image, line(worker), line(worker + 1), common_->first_lane}, excerpt, conv_.kernels->part_rows);
}

void ConvTiles::run_share(const ConvShare& share, const float* input, float* excerpt, const cpu::ConvMemory& memory) const {
  const ConvBlocks& blocks = conv_.blocks;
  for (const ConvChunk& chunk : share.chunks) {
    if (chunk.excerpt) rows::take_apart(conv_.rows, conv_.in, input, *chunk.excerpt, excerpt, conv_.kernels->part_rows);
    for (std::size_t block = share.block_begin; block < share.block_end; ++block) {
      body_->run(block, memory, &share.tiles[chunk.tile_begin], chunk.tile_end - chunk.tile_begin);
      if (conv_.smooth) activate(share, block, chunk, memory.destination);
      zero_gaps(blocks, block, chunk.gaps, memory.destination);
    }
  }
  for (std::uint32_t position = blocks.block_begin[share.block_begin]; position < blocks.block_begin[share.block_end]; ++position)
    zero_before(inner_ ? *inner_ : conv_.out, share.strips, blocks.order[position], memory.destination);
}

void ConvTiles::activate(const ConvShare& share, std::size_t block, const ConvChunk& chunk, float* destination) const {
  const ConvBlocks& blocks = conv_.blocks;
  for (std::uint32_t position = blocks.block_begin[block]; position < blocks.block_begin[block + 1]; ++position)
    for (std::size_t k = chunk.tile_begin; k < chunk.tile_end; ++k) {
      const cpu::ConvTile& tile = share.tiles[k];
      const std::size_t repeated = k == chunk.tile_begin ? 0 : tile.repeated, lanes = std::size_t{tile.vectors} * conv_.kernels->vector_lanes;
      if (repeated < lanes) conv_.activate(destination + tile.destination + blocks.destinations[position] + repeated, lanes - repeated);
    }
}

bool ConvTiles::has_rows() const {
  if (conv_.threads > 1 || conv_.out.plane_sets() > 1 || inner_ || conv_.skip || conv_.smooth || shares_.size() != 1) return false;
  return ends_with_rows(conv_.out, shares_.front().tiles, conv_.kernels->vector_lanes);
}

void ConvTiles::run_rows(const float* in, float* out, std::uint32_t rows, float* scratch) const {
  const ConvShare& share = shares_.front();
  const std::size_t tiles = share.tiles.size() / conv_.out.height * rows;
  const cpu::ConvMemory memory{conv_.is_taken_apart() ? scratch : in, out, nullptr, scratch + conv_.excerpt_floats()};
  for (const ConvChunk& chunk : share.chunks) {
    if (chunk.tile_begin >= tiles) break;
    if (chunk.excerpt) {
      rows::Excerpt excerpt = *chunk.excerpt;
      excerpt.line_end = std::min(excerpt.line_end, rows + (conv_.rows.lines - conv_.out.height));
      rows::take_apart(conv_.rows, conv_.in, in, excerpt, scratch, conv_.kernels->part_rows);
    }
    for (std::size_t block = 0; block < conv_.blocks.blocks(); ++block) body_->run(block, memory, &share.tiles[chunk.tile_begin], std::min(chunk.tile_end, tiles) - chunk.tile_begin);
  }
}

bool ConvTiles::may_write_over_skip() const {
  return !inner_ && conv_.skip == conv_.out && std::none_of(shares_.begin(), shares_.end(), [&](const ConvShare& share) { return repeats(share, conv_.kernels->vector_lanes); });
}

}  // namespace lacuna::plan
