// The tiles of a share in chunks, and what of the input is taken apart for them.
#include <algorithm>

#include "plan/conv_shares.hpp"

namespace lacuna::plan {
namespace {

/// Neighbouring tiles that read the same excerpt, or the input as it stands.
struct Stretch {
  std::size_t tile_begin, tile_end;
  std::optional<rows::Excerpt> excerpt;
};

class Excerpts {
 public:
  Excerpts(const ConvPlaces& places, TileWidth width) : rows_(places.rows), out_(places.out), vector_lanes_(width.vector_lanes) {}

  std::vector<Stretch> of(std::span<const cpu::ConvTile> tiles) const {
    std::vector<Stretch> stretches;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      const rows::Excerpt wanted = read_by(tiles[k]);
      if (stretches.empty() || !has_room(*stretches.back().excerpt, wanted)) stretches.push_back({k, k, wanted});
      stretches.back().tile_end = k + 1;
      stretches.back().excerpt->line_end = std::max(stretches.back().excerpt->line_end, wanted.line_end);
    }
    return stretches;
  }

 private:
  rows::Excerpt read_by(const cpu::ConvTile& tile) const {
    const std::size_t row = rows_.source.row, unit = rows::excerpt_unit(rows_.source);
    const std::size_t first = rows_.source.lane_of(static_cast<std::size_t>(tile.source)), last = first + std::size_t{tile.vectors} * vector_lanes_ - 1;
    const std::uint32_t begin = static_cast<std::uint32_t>(first / row), reach = rows_.lines - out_.height;
    return {image_of(out_, tile), begin, std::min(static_cast<std::uint32_t>(last / row) + 1 + reach, rows_.lines), begin * row / unit * unit};
  }

  bool has_room(const rows::Excerpt& excerpt, const rows::Excerpt& wanted) const {
    const std::size_t row = rows_.source.row;
    return excerpt.image == wanted.image && wanted.line_begin >= excerpt.line_begin && wanted.line_end * row - excerpt.first_lane <= rows_.source.height * row;
  }

  const rows::ConvRows& rows_;
  const rows::Planes& out_;
  const std::size_t vector_lanes_;
};

}  // namespace

void cut_chunks(const ConvPlaces& places, TileWidth width, ConvShare& share) {
  const rows::Planes& source = places.rows.source;
  const std::vector<Stretch> stretches = places.rows.phases.empty() ? std::vector<Stretch>{{0, share.tiles.size(), {}}} : Excerpts(places, width).of(share.tiles);
  share.chunks.clear();
  for (const Stretch& stretch : stretches) {
    const std::size_t shift = stretch.excerpt ? source.lane_at(0, stretch.excerpt->first_lane) - source.origin : 0;
    for (std::size_t k = stretch.tile_begin; k < stretch.tile_end; ++k) share.tiles[k].source -= static_cast<std::int64_t>(shift);
    for (std::size_t begin = stretch.tile_begin; begin < stretch.tile_end; begin += width.chunk_tiles)
      share.chunks.push_back({begin, std::min<std::size_t>(begin + width.chunk_tiles, stretch.tile_end), begin == stretch.tile_begin ? stretch.excerpt : std::nullopt, {}});
  }
}

}  // namespace lacuna::plan
