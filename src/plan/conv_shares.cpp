#include "plan/conv_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/round_up.hpp"

namespace lacuna::plan {
namespace {

using rows::Planes;

/// Lanes side by side in all buffers.
struct Sweep {
  std::size_t source, destination, skip;  ///< float numbers
  std::size_t lanes;
  std::size_t lane_step;  ///< in the source
};

/// How far a sweep goes before the strides of the buffers part.
enum class Reach { strip, row, pixel };

class Sweeper {
 public:
  Sweeper(const ConvPlaces& places, TileWidth width)
      : source_(places.rows.source), out_(places.out), skip_(places.skip != nullptr ? *places.skip : places.out), rows_(places.rows), slab_(std::max({source_.slab, out_.slab, skip_.slab})), vector_lanes_(width.vector_lanes) {
    if (slab_ != 0 && !width.may_be_narrower) unit_ = std::max<std::size_t>(unit_, std::size_t{width.vectors} * width.vector_lanes);
    const std::size_t row = source_.row * rows_.step_y, column = source_.column * rows_.step_x;
    const bool same_column = (column == out_.column * rows_.lane_step && skip_.column == out_.column) || out_.width == 1;
    const bool same_row = row == out_.row && skip_.row == out_.row;
    reach_ = same_column && (same_row || out_.height == 1) ? Reach::strip : same_column ? Reach::row : Reach::pixel;
    const std::size_t tile = width.may_be_narrower ? width.vector_lanes : std::size_t{width.vectors} * width.vector_lanes;
    const bool fills_rows = slab_ == 0 && !out_.lanes_are_inputs() && out_.row > out_.width && out_.row % 16 == 0 && out_.width % tile == 0;
    if (reach_ == Reach::strip && fills_rows) reach_ = Reach::row;  // no lane is computed for nothing
    fills_pixels_ = out_.lanes_are_inputs() && out_.batch % tile == 0;
    if (fills_pixels_ && (!width.may_be_narrower || slab_ != 0)) reach_ = Reach::pixel;  // nor here
  }

  /// Whether tiles stay within slabs: they do if lanes have the same numbers everywhere, and tiles fill slabs.
  bool keeps_slabs() const { return slab_ == 0 || (reach_ == Reach::strip && slab_ % unit_ == 0) || takes_pixels(); }
  /// Whether lanes are inputs that fill the tiles of a pixel.
  bool takes_pixels() const { return reach_ == Reach::pixel && fills_pixels_; }

  void add(const Strip& strip, std::vector<Sweep>& sweeps) const {
    if (reach_ == Reach::strip) {
      const std::size_t end = first_lane(strip.y_end);
      for (std::size_t lane = first_lane(strip.y_begin); lane < end;) {
        const std::size_t next = slab_ == 0 ? end : std::min(end, lane - lane % slab_ + slab_);
        sweeps.push_back({source_.lane_at(source_image(strip.image), lane), out_.lane_at(strip.image, lane), skip_.lane_at(strip.image, lane), next - lane, rows_.lane_step});
        lane = next;
      }
      return;
    }
    for (std::uint32_t y = strip.y_begin; y < strip.y_end; ++y) {
      if (reach_ == Reach::row)
        sweeps.push_back(at(strip.image, y, 0, out_.row_lanes()));
      else
        for (std::uint32_t x = 0; x < out_.width; ++x) sweeps.push_back(at(strip.image, y, x, out_.lanes_are_inputs() ? out_.batch : 1));
    }
  }

 private:
  /// Of the strip that begins with row y, counted from the plane's first: where a line begins near that row, so that vectors lie in lines; not in a gap, which would have two owners.
  std::size_t first_lane(std::size_t y) const {
    if (y == out_.height) return last_lane();
    if (out_.column != (out_.lanes_are_inputs() ? out_.batch : 1)) return y * out_.row;
    std::size_t lane = base::round_up(y * out_.row, unit_);
    while (lane % out_.row >= out_.row_lanes()) lane += unit_;
    return std::min(lane, last_lane());
  }

  /// Whole vectors, where the gap after the plane has room for the last one.
  std::size_t last_lane() const {
    const std::size_t end = base::round_up(out_.plane_lanes(), slab_ != 0 ? unit_ : vector_lanes_);
    return slab_ != 0 || (!out_.lanes_are_inputs() && end <= plane_pitch(out_)) ? end : out_.plane_lanes();
  }

  Sweep at(std::uint32_t n, std::uint32_t y, std::uint32_t x, std::size_t lanes) const {
    return {source_.at(source_image(n), 0, y * std::size_t{rows_.step_y}, x * std::size_t{rows_.step_x}), out_.at(n, 0, y, x), skip_.at(n, 0, y, x), lanes, rows_.lane_step};
  }

  /// One image is taken apart at a time.
  std::uint32_t source_image(std::uint32_t image) const { return rows_.phases.empty() ? image : 0; }

  const Planes& source_;
  const Planes& out_;
  const Planes& skip_;
  const rows::ConvRows& rows_;
  const std::size_t slab_;  ///< 0: no buffer has slabs
  const std::size_t vector_lanes_;
  std::size_t unit_ = 16;   ///< lanes that threads share out: lines, in slabs whole tiles
  Reach reach_;
  bool fills_pixels_ = false;
};

/// Covers a sweep with tiles; the last one begins earlier rather than end later.
void add_tiles(const Sweep& sweep, TileWidth width, std::vector<cpu::ConvTile>& tiles) {
  const std::size_t vectors = (sweep.lanes + width.vector_lanes - 1) / width.vector_lanes;
  const std::size_t count = (vectors + width.vectors - 1) / width.vectors;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t wide = width.may_be_narrower ? (vectors + count - 1 - k) / count : width.vectors;
    const std::size_t lanes = wide * width.vector_lanes;
    const std::size_t place = begin + lanes > sweep.lanes && sweep.lanes >= lanes ? sweep.lanes - lanes : begin;
    cpu::ConvTile tile;
    tile.source = static_cast<std::int64_t>(sweep.source + place * sweep.lane_step);
    tile.destination = static_cast<std::int64_t>(sweep.destination + place);
    tile.skip = static_cast<std::int64_t>(sweep.skip + place);
    tile.vectors = static_cast<std::uint32_t>(wide);
    if (!tiles.empty()) {
      const std::int64_t end = tiles.back().destination + std::int64_t{tiles.back().vectors} * width.vector_lanes;
      if (end > tile.destination && tiles.back().destination <= tile.destination) tile.repeated = static_cast<std::uint32_t>(end - tile.destination);
    }
    tiles.push_back(tile);
    begin = place + lanes;
  }
}

/// Whether every tile stays within its plane and the gap after it, and reads within the buffers.
bool fits(const ConvPlaces& places, const std::vector<cpu::ConvTile>& tiles, unsigned vector_lanes) {
  std::int64_t lowest = 0, highest = 0;
  for (const rows::ConvRows::Nonzero& nonzero : places.rows.nonzeros) {
    lowest = std::min<std::int64_t>(lowest, nonzero.offset);
    highest = std::max<std::int64_t>(highest, nonzero.offset);
  }
  const Planes& out = places.out;
  const std::int64_t pitch = out.slab != 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(plane_pitch(out));
  return std::all_of(tiles.begin(), tiles.end(), [&](const cpu::ConvTile& tile) {
    const std::int64_t lanes = std::int64_t{tile.vectors} * vector_lanes;
    const auto image = static_cast<std::int64_t>(out.plane_sets() == 1 ? std::numeric_limits<std::int32_t>::max() : out.image);
    const std::int64_t in_image = (tile.destination - static_cast<std::int64_t>(out.origin)) % image;
    const std::int64_t in_plane = out.has_rows_of_channels() ? in_image % static_cast<std::int64_t>(out.row) : in_image;
    if (in_plane > pitch - lanes) return false;
    if (tile.source + lowest < 0 || tile.source + highest + lanes * places.rows.lane_step > static_cast<std::int64_t>(places.rows.source.floats)) return false;
    const std::int64_t last_plane = static_cast<std::int64_t>(out.channel) * (out.channels - 1);
    if (tile.destination + last_plane + lanes > static_cast<std::int64_t>(out.floats)) return false;
    if (places.skip == nullptr) return true;
    return tile.skip + static_cast<std::int64_t>(places.skip->channel) * (out.channels - 1) + lanes <= static_cast<std::int64_t>(places.skip->floats);
  });
}

/// As many pixels in each part, where every pixel has sweeps of its own. A row belongs to the part that has its first pixel.
std::vector<ConvShare> cut_single_pixels(const Sweeper& sweeper, const Planes& out, TileWidth width, unsigned parts) {
  std::vector<Sweep> pixels;
  sweeper.add({0, 0, out.height}, pixels);
  std::vector<ConvShare> shares(parts);
  for (unsigned part = 0; part < parts; ++part) {
    const std::size_t begin = pixels.size() * part / parts, end = pixels.size() * (part + 1) / parts;
    const auto row_from = [&](std::size_t pixel) { return static_cast<std::uint32_t>((pixel + out.width - 1) / out.width); };
    if (row_from(begin) < row_from(end)) shares[part].strips.push_back({0, row_from(begin), row_from(end)});
    for (std::size_t k = begin; k < end; ++k) add_tiles(pixels[k], width, shares[part].tiles);
  }
  return shares;
}

/// The pixels in `parts` parts of about as many rows; nothing if some sweep were shorter than a tile and parts would share an image.
std::optional<std::vector<ConvShare>> cut_pixels(const ConvPlaces& places, TileWidth width, unsigned parts) {
  const Sweeper sweeper(places, width);
  if (!sweeper.keeps_slabs()) return std::nullopt;
  if (sweeper.takes_pixels()) return cut_single_pixels(sweeper, places.out, width, parts);
  const std::size_t height = places.out.height, images = places.out.plane_sets();
  std::vector<ConvShare> shares(parts);
  const bool by_image = images >= parts && images % parts == 0;
  for (unsigned part = 0; part < parts; ++part) {
    const std::size_t begin = by_image ? images * part / parts * height : images * height * part / parts;
    const std::size_t end = by_image ? images * (part + 1) / parts * height : images * height * (part + 1) / parts;
    for (std::size_t at = begin; at < end;) {
      const std::size_t image = at / height, y = at % height;
      const std::size_t y_end = std::min(height, y + (end - at));
      const Strip strip{static_cast<std::uint32_t>(image), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(y_end)};
      shares[part].strips.push_back(strip);
      std::vector<Sweep> sweeps;
      sweeper.add(strip, sweeps);
      for (const Sweep& sweep : sweeps) {
        const std::size_t first = shares[part].tiles.size();
        add_tiles(sweep, width, shares[part].tiles);
        const std::size_t shortest = shares[part].tiles[first].vectors * std::size_t{width.vector_lanes};
        if (sweep.lanes < shortest && !by_image && parts > 1) return std::nullopt;
      }
      at += y_end - y;
    }
  }
  return shares;
}

std::uint64_t vectors_of(const ConvShare& share) {
  return std::accumulate(share.tiles.begin(), share.tiles.end(), std::uint64_t{0}, [](std::uint64_t sum, const cpu::ConvTile& tile) { return sum + tile.vectors; });
}

/// Ends of `parts` ranges of blocks with about the same work.
std::vector<std::uint32_t> cut_blocks(std::span<const std::uint64_t> work, unsigned parts) {
  const std::uint64_t total = std::accumulate(work.begin(), work.end(), std::uint64_t{0});
  std::vector<std::uint32_t> ends;
  std::uint64_t done = 0;
  std::uint32_t block = 0;
  for (unsigned part = 1; part <= parts; ++part) {
    const std::uint64_t wanted = total * part / parts;
    while (block < work.size() && (part == parts || done + work[block] / 2 <= wanted)) done += work[block++];
    ends.push_back(block);
  }
  return ends;
}

std::uint64_t most_work(std::span<const std::uint64_t> work, const std::vector<std::uint32_t>& ends) {
  std::uint64_t most = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t end : ends) {
    most = std::max(most, std::accumulate(work.begin() + begin, work.begin() + end, std::uint64_t{0}));
    begin = end;
  }
  return most;
}

/// Of one share, roughly: a multiply-add for each vector and nonzero; and in a network nonzeros (as code or table) come from afar, once, while those before them are at work, and sources
/// from this core or, where cores divide rows, from the others, which wrote a part of them.
double cycles(std::uint64_t vectors, std::uint64_t nonzeros, double of_nonzero, std::uint32_t channels, unsigned row_parts) {
  constexpr double of_own_line = 4, of_other_line = 25;
  const double own = 1.0 / row_parts, lines = static_cast<double>(vectors) * channels;
  return static_cast<double>(nonzeros) * std::max(static_cast<double>(vectors), of_nonzero) + lines * (own * of_own_line + (1 - own) * of_other_line);
}

}  // namespace

std::uint32_t image_of(const Planes& out, const cpu::ConvTile& tile) {
  return out.plane_sets() == 1 ? 0 : static_cast<std::uint32_t>((tile.destination - static_cast<std::int64_t>(out.origin)) / static_cast<std::int64_t>(out.image));
}

std::size_t plane_pitch(const Planes& planes) { return planes.plane_sets() > 1 ? std::min(planes.channel, planes.image) : planes.channel; }

std::vector<ConvShare> make_shares(const ConvPlaces& places, TileWidth width, const BlockWork& work, unsigned threads) {
  std::vector<ConvShare> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (unsigned row_parts = 1; row_parts <= threads; ++row_parts) {
    if (threads % row_parts != 0) continue;
    std::optional<std::vector<ConvShare>> parts = cut_pixels(places, width, threads / row_parts);
    if (!parts) continue;
    std::uint64_t most_vectors = 0;
    for (const ConvShare& share : *parts) most_vectors = std::max(most_vectors, vectors_of(share));
    const std::vector<std::uint32_t> ends = cut_blocks(work.nonzeros, row_parts);
    const double cost = cycles(most_vectors, most_work(work.nonzeros, ends), work.cycles_of_nonzero, places.rows.source.channels, row_parts);
    if (cost >= best_cost * 0.99) continue;  // whole images or strips first
    best_cost = cost;
    best.clear();
    for (const ConvShare& share : *parts)
      for (unsigned part = 0; part < row_parts; ++part) {
        best.push_back(share);
        best.back().block_begin = part == 0 ? 0 : ends[part - 1];
        best.back().block_end = ends[part];
      }
  }
  for (ConvShare& share : best) {
    cut_chunks(places, width, share);
    if (!fits(places, share.tiles, width.vector_lanes)) return {};
  }
  return best;
}

bool repeats(const ConvShare& share, unsigned vector_lanes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> lanes;  // begin, end
  for (const cpu::ConvTile& tile : share.tiles) lanes.emplace_back(tile.destination, tile.destination + std::int64_t{tile.vectors} * vector_lanes);
  std::sort(lanes.begin(), lanes.end());
  return std::adjacent_find(lanes.begin(), lanes.end(), [](const auto& a, const auto& b) { return a.second > b.first; }) != lanes.end();
}

bool ends_with_rows(const Planes& out, std::span<const cpu::ConvTile> tiles, unsigned vector_lanes) {
  if (out.slab != 0 || out.lanes_are_inputs() || tiles.empty() || tiles.size() % out.height != 0) return false;
  const std::size_t of_row = tiles.size() / out.height;
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const auto begin = static_cast<std::size_t>(tiles[k].destination), row = out.at(0, 0, k / of_row, 0);
    if (begin < row || begin + std::size_t{tiles[k].vectors} * vector_lanes > row + out.width) return false;
  }
  return true;
}

std::vector<Gap> gaps_of(const Planes& planes, std::span<const cpu::ConvTile> tiles, unsigned vector_lanes) {
  std::vector<Gap> gaps;
  if (planes.slab != 0) return gaps;
  const std::int64_t rows = planes.height;
  for (std::size_t first = 0; first < tiles.size();) {
    const std::uint32_t image = image_of(planes, tiles[first]);
    const auto plane = static_cast<std::int64_t>(planes.at(image, 0, 0, 0));
    std::int64_t low = tiles[first].destination, high = low;
    for (; first < tiles.size() && image_of(planes, tiles[first]) == image; ++first) {
      low = std::min(low, tiles[first].destination);
      high = std::max(high, tiles[first].destination + std::int64_t{tiles[first].vectors} * vector_lanes);
    }
    const auto pitch = static_cast<std::int64_t>(planes.row);
    for (std::int64_t y = std::clamp<std::int64_t>((low - plane) / pitch - 1, 0, rows - 1); y < rows && plane + y * pitch <= high; ++y) {
      const std::int64_t begin = plane + y * pitch + static_cast<std::int64_t>(planes.row_lanes());
      const std::int64_t end = y + 1 < rows ? plane + (y + 1) * pitch : plane + static_cast<std::int64_t>(plane_pitch(planes));
      if (begin < end && begin <= high && end > low) gaps.push_back({begin, static_cast<std::uint32_t>(end - begin)});
    }
  }
  return gaps;
}

std::vector<Gap> blank_gaps(std::vector<Gap> gaps, std::span<cpu::ConvTile> tiles, unsigned vector_lanes) {
  std::vector<Gap> left;
  for (const Gap& gap : gaps) {
    std::vector<bool> is_written(gap.length, false);
    for (cpu::ConvTile& tile : tiles) {
      const std::int64_t begin = std::max(gap.begin, tile.destination), end = std::min(gap.begin + gap.length, tile.destination + std::int64_t{tile.vectors} * vector_lanes);
      for (std::int64_t at = begin; at < end; ++at) {
        const auto lane = static_cast<std::size_t>(at - tile.destination);
        tile.wanted[lane / vector_lanes] &= static_cast<std::uint16_t>(~(1u << lane % vector_lanes));
        is_written[static_cast<std::size_t>(at - gap.begin)] = true;
      }
    }
    for (std::uint32_t k = 0; k < gap.length; ++k) {
      if (is_written[k]) continue;
      const bool goes_on = k > 0 && !is_written[k - 1];
      goes_on ? static_cast<void>(++left.back().length) : left.push_back({gap.begin + k, 1});
    }
  }
  return left;
}

void zero_before(const Planes& planes, std::span<const Strip> strips, std::uint32_t channel, float* memory) {
  if (planes.slab != 0) return;
  const std::size_t pixel = planes.lanes_are_inputs() ? planes.batch : 1;
  const std::size_t border = planes.halo_y * planes.row + planes.halo_x * planes.column;
  const bool is_regular = planes.plane_sets() == 1 || planes.image == planes.channels * planes.channel;
  for (const Strip& strip : strips) {
    const std::size_t first = planes.at(strip.image, channel, 0, 0);
    if (strip.y_begin == 0 && channel == 0 && (strip.image == 0 || !is_regular)) std::fill(memory + first - border, memory + first, 0.0f);
    if (planes.column == pixel) continue;
    for (std::size_t y = strip.y_begin; y < strip.y_end; ++y)
      for (std::size_t x = 0; x + 1 < planes.width; ++x)
        std::fill(memory + planes.at(strip.image, channel, y, x) + pixel, memory + planes.at(strip.image, channel, y, x + 1), 0.0f);
  }
}

}  // namespace lacuna::plan
