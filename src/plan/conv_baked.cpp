// Convolutions as machine code: one function for each block of rows and each range of channels.
#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "devices/cpu/executable_memory.hpp"
#include "emit/x86/emit.hpp"
#include "kernel/templates/sparse_row_block.hpp"
#include "plan/conv_body.hpp"
#include "plan/emit_target.hpp"

namespace lacuna::plan {
namespace {

/// Those of a row whose offsets are in [low, high): they ascend, since nothing is read in steps.
std::span<const rows::ConvRows::Nonzero> in_range(const rows::ConvRows& rows, std::uint32_t row, std::int64_t low, std::int64_t high) {
  const std::span all = std::span(rows.nonzeros).subspan(rows.row_begin[row], rows.row_begin[row + std::size_t{1}] - rows.row_begin[row]);
  const auto first_from = [&](std::int64_t offset) { return std::partition_point(all.begin(), all.end(), [&](const auto& nonzero) { return nonzero.offset < offset; }); };
  return {first_from(low), first_from(high)};
}

/// What the kernels of a block have in common.
struct Piece {
  const rows::ConvRows& rows;
  const ConvBlocks& blocks;
  std::size_t block, group;
  std::int64_t lowest;  ///< offsets of sources are bytes from there, so that none is negative
  std::uint64_t tile_bytes;
  bool blanks;
};

/// The rows at positions [begin, end).
kernel::Kernel kernel_of(const Piece& piece, std::uint32_t begin, std::uint32_t end) {
  const ConvBlocks& blocks = piece.blocks;
  kernel::SparseRowBlock made;
  made.name = fmt::format("rows [{},{}), range {}", begin, end, piece.group);
  made.spaces_apart = true;
  made.resumes = piece.group > 0;
  made.suspends = piece.group + 1 < blocks.groups();
  made.blanks = piece.blanks;
  made.low = blocks.low;
  made.high = blocks.high;
  for (std::uint32_t position = begin; position < end; ++position) {
    const auto number = static_cast<std::uint16_t>(made.rows.size());
    kernel::SparseRowBlock::Row& row = made.rows.emplace_back();
    row.destination = static_cast<std::uint64_t>(blocks.destinations[position]) * sizeof(float);
    row.bias = blocks.bias[position];
    row.partial = (position - blocks.block_begin[piece.block]) * piece.tile_bytes;
    if (blocks.has_skip) row.residuals.push_back(static_cast<std::uint64_t>(blocks.skips[position]) * sizeof(float));
    for (const rows::ConvRows::Nonzero& nonzero : in_range(piece.rows, blocks.order[position], blocks.cuts[piece.group], blocks.cuts[piece.group + 1]))
      made.nonzeros.push_back({static_cast<std::uint64_t>(nonzero.offset - piece.lowest) * sizeof(float), number, nonzero.weight});
  }
  return kernel::build(made);
}

/// All rows of the block, some at once after the others.
kernel::Kernel kernel_of(const Piece& piece) {
  const std::uint32_t end = piece.blocks.block_begin[piece.block + 1], step = piece.blocks.rows_at_once;
  std::uint32_t begin = piece.blocks.block_begin[piece.block];
  kernel::Kernel all = kernel_of(piece, begin, std::min(end, begin + step));
  for (begin += step; begin < end; begin += step) kernel::append(all, kernel_of(piece, begin, std::min(end, begin + step)));
  return all;
}

std::int64_t lowest_offset(const rows::ConvRows& rows) {
  std::int64_t lowest = 0;
  for (const rows::ConvRows::Nonzero& nonzero : rows.nonzeros) lowest = std::min<std::int64_t>(lowest, nonzero.offset);
  return lowest;
}

/// Code begins with the lowest source of a tile.
emit::x86::SweepForm form_of(const BakedTiles& tiles, std::int64_t lowest, std::int64_t partial_step) {
  constexpr std::int64_t line_floats = 16;
  emit::x86::SweepForm form{tiles.vectors, partial_step, std::min<std::size_t>(tiles.most, baked_window_tiles), {}, tiles.spreads};
  if (tiles.into_line) form.into_line = static_cast<std::uint32_t>(((*tiles.into_line + lowest) % line_floats + line_floats) % line_floats * static_cast<std::int64_t>(sizeof(float)));
  return form;
}

/// Brings memory into the cache by reading it: the CPU then sees a stream and runs ahead of it, which it does not do for straight code.
void read_through(const std::byte* begin, const std::byte* end) {
  constexpr std::ptrdiff_t line = 64;
  for (; begin < end; begin += line) static_cast<void>(*static_cast<const volatile std::byte*>(begin));
}

class BakedBody : public ConvBody {
 public:
  BakedBody(emit::x86::Sweeps sweeps, std::size_t groups, std::int64_t lowest)
      : groups_(groups), lowest_(lowest), code_(sweeps.bytes), entries_(std::move(sweeps.entries)) {
    entries_.push_back({sweeps.bytes.size(), sweeps.bytes.size()});
  }

  void run(std::size_t block, const cpu::ConvMemory& memory, const cpu::ConvTile* tiles, std::size_t count) const override {
    constexpr std::size_t most = baked_window_tiles;
    emit::x86::TileStep steps[most];
    read_first(block);
    for (std::size_t begin = 0; begin < count; begin += most) {
      const std::size_t some = std::min(most, count - begin);
      const cpu::ConvTile& first = tiles[begin];
      for (std::size_t k = 0; k < some; ++k) {
        const cpu::ConvTile &here = tiles[begin + k], &next = tiles[begin + (k + 1 < some ? k + 1 : k)];
        constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
        steps[k] = {(next.source - here.source) * bytes, (next.destination - here.destination) * bytes, (next.skip - here.skip) * bytes, {}};
        std::copy_n(here.wanted.begin(), std::size(steps[k].wanted), steps[k].wanted);
      }
      for (std::size_t group = 0; group < groups_; ++group) {
        const emit::x86::Sweeps::Entry* const entry = &entries_[block * groups_ + group];
        auto* const sweep = reinterpret_cast<emit::x86::Sweep*>(reinterpret_cast<std::uintptr_t>(code() + entry->code));
        sweep(memory.source + first.source + lowest_, reinterpret_cast<const float*>(code() + entry->constants), memory.destination + first.destination,
              memory.skip == nullptr ? nullptr : memory.skip + first.skip, steps, some, memory.partial, code() + entry[1].code);
      }
    }
  }

  std::size_t bytes() const override { return code_.size(); }

 private:
  const std::byte* code() const { return reinterpret_cast<const std::byte*>(code_.entry<void()>()); }

  /// In a network the code of a layer comes from memory when its turn comes again. Each piece brings the next one near; nobody the first.
  void read_first(std::size_t block) const {
    const emit::x86::Sweeps::Entry* const first = &entries_[block * groups_];
    read_through(code() + first->code, code() + first[1].code);
  }

  std::size_t groups_;
  std::int64_t lowest_;
  cpu::ExecutableMemory code_;
  std::vector<emit::x86::Sweeps::Entry> entries_;  ///< of each piece, and the end
};

}  // namespace

std::unique_ptr<ConvBody> make_baked_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa, const BakedTiles& tiles) {
  const emit::x86::Target target = target_of(isa);
  const std::uint64_t tile_bytes = std::uint64_t{tiles.vectors} * emit::x86::vector_lanes(target) * sizeof(float);
  const std::int64_t lowest = lowest_offset(rows);
  std::vector<kernel::Kernel> kernels;
  std::uint32_t most_rows = 0;
  for (std::size_t block = 0; block < blocks.blocks(); ++block) {
    most_rows = std::max(most_rows, blocks.block_begin[block + 1] - blocks.block_begin[block]);
    for (std::size_t group = 0; group < blocks.groups(); ++group) kernels.push_back(kernel_of({rows, blocks, block, group, lowest, tile_bytes, target == emit::x86::Target::avx512}));
  }
  return std::make_unique<BakedBody>(emit::x86::emit_sweeps(kernels, target, form_of(tiles, lowest, static_cast<std::int64_t>(most_rows * tile_bytes))), blocks.groups(), lowest);
}

std::unique_ptr<ConvBody> make_baked_body(std::span<const kernel::Kernel> kernels, cpu::Isa isa, const BakedTiles& tiles) {
  return std::make_unique<BakedBody>(emit::x86::emit_sweeps(kernels, target_of(isa), form_of(tiles, 0, 0)), 1, 0);
}

}  // namespace lacuna::plan
