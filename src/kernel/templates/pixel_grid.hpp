// Which pixels a thread owns, and where they stand: shared by the templates whose threads are pixels of images.
//
// A thread owns a tile of tile_x neighbours in each of tile_y lines below each other. Tiles are counted over all images:
//
//   tile = (image * tiles_y + line) * tiles_x + column
//
// so small images share a block. The last tile of a column of tiles begins earlier rather than end later, so nobody computes what nobody wants; across,
// tiles must fit (width is a multiple of tile_x), because vectors must stay aligned. Threads beyond the last tile do the work of the last one and store nothing.
#pragma once

#include <cstdint>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

/// How pixels of a value stand in memory, in floats: pixel (n, y, x) of channel c is at origin + n * image + c * channel + y * row + x * column.
struct PixelView {
  std::uint32_t origin = 0, image = 0, channel = 0, row = 0, column = 1;

  bool operator==(const PixelView&) const = default;
};

struct PixelGrid {
  std::uint32_t images = 1, height = 1, width = 1;
  std::uint32_t tile_x = 1, tile_y = 1;
  std::uint32_t block_threads = 128;  ///< tiles of a block

  std::uint32_t tiles_x() const { return width / tile_x; }
  std::uint32_t tiles_y() const { return (height + tile_y - 1) / tile_y; }
  std::uint64_t tiles() const { return std::uint64_t{images} * tiles_y() * tiles_x(); }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>((tiles() + block_threads - 1) / block_threads); }
};

/// Where a thread's tile is.
struct TileAt {
  Source image = 0u, y = 0u;  ///< of its first pixel; constants are zero
  Source column = 0u;         ///< in tiles
  Register is_beyond{};       ///< a flag: there is no such tile
};
TileAt locate_tile(ThreadBuilder& builder, const PixelGrid& grid);

/// The same where only some threads of a block own tiles of their own: `lane` counts them, below grid.block_threads.
TileAt locate_tile(ThreadBuilder& builder, const PixelGrid& grid, Register lane);

/// The widest vector (1, 2 or 4 floats) to which the first pixel of every tile is aligned, if the buffer is.
std::uint32_t aligned_floats(const PixelView& view, const PixelGrid& grid);

/// Address of the tile's first pixel in channel 0, `shift` floats further.
Register pixel_address(ThreadBuilder& builder, Register base, const PixelView& view, const PixelGrid& grid, const TileAt& tile, std::uint32_t shift = 0);

}  // namespace lacuna::kernel
