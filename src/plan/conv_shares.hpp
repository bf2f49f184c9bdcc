// How the pixels and the rows of a convolution are cut up: into tiles of vectors, and the tiles and blocks of rows among threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {

/// Where the lanes of a convolution are.
struct ConvPlaces {
  const rows::ConvRows& rows;
  const rows::Planes& out;
  const rows::Planes* skip;  ///< null: none
};

/// How wide tiles are, and how many of them go together.
struct TileWidth {
  unsigned vector_lanes = 1;
  unsigned vectors = 1;
  bool may_be_narrower = false;  ///< the last ones of a sweep may have fewer vectors
  unsigned chunk_tiles = 1;      ///< at most in a chunk
};

/// Rows [y_begin, y_end) of the output planes of one image, or of all where lanes are inputs.
struct Strip {
  std::uint32_t image;
  std::uint32_t y_begin;
  std::uint32_t y_end;
};

/// Floats between the pixels of a plane, or after it.
struct Gap {
  std::int64_t begin;  ///< in the plane of channel 0
  std::uint32_t length;
};

/// Tiles that all blocks of rows work off before the next ones.
struct ConvChunk {
  std::size_t tile_begin = 0, tile_end = 0;
  std::optional<rows::Excerpt> excerpt;  ///< of the input, to be taken apart before: these tiles, and those after them until there is another, read it
  std::vector<Gap> gaps;                 ///< to be zeroed after
};

/// What one thread does: all its blocks on all its tiles. Shares write nothing in common.
struct ConvShare {
  std::vector<cpu::ConvTile> tiles;
  std::vector<ConvChunk> chunks;
  std::vector<Strip> strips;
  std::uint32_t block_begin = 0;
  std::uint32_t block_end = 0;
};

/// What blocks of rows cost.
struct BlockWork {
  std::vector<std::uint64_t> nonzeros;  ///< of each block, and what else takes about as long as a multiply-add
  double cycles_of_nonzero = 0;         ///< to bring it from afar
};

/// One share for each thread; some may be empty. Chunks have no gaps yet.
///
/// Tiles never begin or end outside the pixels, except where a sweep is shorter than a tile; then lanes beyond its end are computed from
/// whatever is there, and land on pixels that the same thread writes later, or in the gap after the plane.
/// Empty if there is no room for that: the caller must give planes with a larger gap. Empty too if a tile would run from slab to slab.
std::vector<ConvShare> make_shares(const ConvPlaces& places, TileWidth width, const BlockWork& work, unsigned threads);

/// Fills `chunks`, without gaps. If the input is taken apart, its excerpts too, each for as many neighbouring tiles as `rows.source` has room for; tiles then read their excerpts.
void cut_chunks(const ConvPlaces& places, TileWidth width, ConvShare& share);

/// Of a tile.
std::uint32_t image_of(const rows::Planes& out, const cpu::ConvTile& tile);

/// Whether some lane is in two tiles.
bool repeats(const ConvShare& share, unsigned vector_lanes);

/// Whether each row of pixels has as many tiles of its own.
bool ends_with_rows(const rows::Planes& out, std::span<const cpu::ConvTile> tiles, unsigned vector_lanes);

/// The gaps that tiles write to, or end at; slabs have none. Every gap of a plane is listed for some tile of its pixels; zeroed after each chunk, none is left.
std::vector<Gap> gaps_of(const rows::Planes& planes, std::span<const cpu::ConvTile> tiles, unsigned vector_lanes);

/// Lanes of the tiles that are in gaps are not wanted. What is left of the gaps: where no tile writes.
std::vector<Gap> blank_gaps(std::vector<Gap> gaps, std::span<cpu::ConvTile> tiles, unsigned vector_lanes);

/// Zeroes what is before the first plane of `channel` in the strips' images, where that is no gap after another plane; and gaps within rows.
void zero_before(const rows::Planes& planes, std::span<const Strip> strips, std::uint32_t channel, float* memory);

/// Floats from the first pixel of a plane to that of the next.
std::size_t plane_pitch(const rows::Planes& planes);

}  // namespace lacuna::plan
