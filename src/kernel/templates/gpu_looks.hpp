// Templates "looks": how inputs that need not be computed leave a batch on a GPU, without a word from the host.
//
//   mark     flags the lanes in which a live plane holds a value other than zero
//   hash     mixes the bits of a lane's live planes
//   follow   of lanes with the same bits all but one lose their flag; they note whom they follow. Found by hash, confirmed value by value
//   rank     numbers the flagged lanes of each block
//   close    adds the blocks up and decides whether closing ranks pays: when one lane of eight has left
//   move     brings the flagged lanes to the front, in order, in the other half of the arena
//
// Live planes are ranges in a table: byte offset of the first, number of planes.
#pragma once

#include <cstdint>

#include "kernel/templates/tile_layout.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t close_threads = 256;
inline constexpr std::uint32_t look_lanes = 32;   ///< of a block, a thread each: two tiles
inline constexpr std::uint32_t move_blocks = 8;   ///< that share the same lanes; each takes every eighth plane
inline constexpr std::uint32_t nowhere = 0xffffffff;

/// Parameters: arena, control, tiles, table, ranges_at (in 16 bytes), ranges, flags. Blocks: y over look_lanes lanes, as for all of these.
ThreadProgram build_mark(const TileLayout& tiles);

/// Flags every lane in use, for looks that only seek equal inputs. Parameters: arena, control, tiles, flags.
ThreadProgram build_mark_all();

/// Parameters: as mark, but `hashes` (two words for each lane) instead of flags.
ThreadProgram build_hash(const TileLayout& tiles);

/// Parameters: as mark, then hashes, seats (a zeroed word for each seat), seat_mask (seats - 1, a power of two less one), ids, lanes (of a half), leaders.
ThreadProgram build_follow(const TileLayout& tiles);

/// Parameters: arena, control, tiles, flags, ranks, counts.
ThreadProgram build_rank();

/// Parameters: arena, control, tiles, counts, bases, history, look (its number). One block.
ThreadProgram build_close();

/// Parameters: arena, control, tiles, table, ranges_at, ranges, ranks, bases, ids, lanes (of a half). Blocks: x move_blocks.
ThreadProgram build_move(const TileLayout& tiles);

/// Bits of inputs become planes of 0 and `value`: rows of `words` 32-bit words. Parameters: arena, control, tiles, bits, words, columns, offset (of the first
/// plane), value. Blocks: x over words.
ThreadProgram build_expand_bits(const TileLayout& tiles);

}  // namespace lacuna::kernel
