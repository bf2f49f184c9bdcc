#include "kernel/templates/pixel_grid.hpp"

namespace lacuna::kernel {

TileAt locate_tile(ThreadBuilder& b, const PixelGrid& grid) { return locate_tile(b, grid, b.special(Special::thread)); }

TileAt locate_tile(ThreadBuilder& b, const PixelGrid& grid, Register lane) {
  const Register thread = b.multiply_add(b.special(Special::block_x), grid.block_threads, lane);
  const auto tiles = static_cast<std::uint32_t>(grid.tiles());
  TileAt at;
  at.is_beyond = b.compare(Comparison::greater_equal, thread, tiles);
  // rest % count, and rest becomes rest / count
  Register rest = b.minimum(thread, tiles - 1);
  const auto split_off = [&](std::uint32_t count, bool is_last) -> Source {
    if (count == 1) return 0u;
    if (is_last) return rest;
    const Register quotient = b.compute(Arithmetic::divide, {rest, count});
    const Register digit = b.subtract(rest, b.multiply(quotient, count));
    rest = quotient;
    return digit;
  };
  at.column = split_off(grid.tiles_x(), grid.images == 1 && grid.tiles_y() == 1);
  at.y = split_off(grid.tiles_y(), grid.images == 1);
  at.image = split_off(grid.images, true);
  if (grid.tile_y > 1 && !at.y.is_constant) at.y = b.minimum(b.multiply(at.y, grid.tile_y), grid.height - grid.tile_y);
  return at;
}

std::uint32_t aligned_floats(const PixelView& view, const PixelGrid& grid) {
  const auto fits = [&](std::uint32_t floats) {
    return view.origin % floats == 0 && (grid.images == 1 || view.image % floats == 0) && (grid.height == 1 || view.row % floats == 0) &&
           (grid.tiles_x() == 1 || grid.tile_x * view.column % floats == 0);
  };
  return fits(4) ? 4 : fits(2) ? 2 : 1;
}

Register pixel_address(ThreadBuilder& b, Register base, const PixelView& view, const PixelGrid& grid, const TileAt& tile, std::uint32_t shift) {
  Source index = view.origin + shift;
  const auto add = [&](const Source& count, std::uint32_t stride) {
    if (!count.is_constant) index = stride == 1 ? b.add(count, index) : b.multiply_add(count, stride, index);
  };
  add(tile.image, view.image);
  add(tile.y, view.row);
  add(tile.column, view.column * grid.tile_x);
  return b.advance(base, index, 4);
}

}  // namespace lacuna::kernel
