#include "engine/panels.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "plan/plan.hpp"

namespace lacuna::engine {

void mark_all(std::span<Panel> panels) {
  for (Panel& panel : panels) {
    panel.stays.assign(panel.lanes, 0);
    std::fill_n(panel.stays.begin(), panel.ids.size(), std::uint8_t{1});
  }
}

void mark_alive(std::span<Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels) {
  for (Panel& panel : panels) {
    panel.stays.assign(panel.lanes, 0);
    for (const rows::PlaneRange& range : planes) kernels.mark_alive(panel.plane(range.first), range.count, panel.lanes, panel.stays.data());
    std::fill(panel.stays.begin() + static_cast<std::ptrdiff_t>(panel.ids.size()), panel.stays.end(), std::uint8_t{0});
  }
}

namespace {

/// A lane that stands for all later ones with its hash.
struct First {
  std::uint32_t hash;
  unsigned lane;
  std::uint32_t panel;  ///< free: nobody yet
};
constexpr std::uint32_t free_place = static_cast<std::uint32_t>(-1);

/// Open addressing: one place for each hash that was seen.
class Firsts {
 public:
  explicit Firsts(std::size_t most) : places_(std::bit_ceil(most * 2 + 1), First{0, 0, free_place}) {}

  /// The place of `hash`: free if it is new.
  First& find(std::uint32_t hash) {
    std::size_t k = hash & (places_.size() - 1);
    while (places_[k].panel != free_place && places_[k].hash != hash) k = (k + 1) & (places_.size() - 1);
    return places_[k];
  }

 private:
  std::vector<First> places_;
};

/// Which lanes of a panel have the same bits as `first`.
struct Comparison {
  const First* first;
  std::vector<std::uint8_t> equal;
};

Comparison compare(const Panel& panel, const First& first, const Panel& panel_of_first, std::span<const rows::PlaneRange> planes,
                   const cpu::Kernels& kernels) {
  Comparison comparison{&first, std::vector<std::uint8_t>(panel.lanes, 1)};
  for (const rows::PlaneRange& range : planes)
    kernels.clear_unequal(panel.plane(range.first), range.count, panel.lanes, panel_of_first.plane(range.first) + first.lane, panel_of_first.lanes,
                          comparison.equal.data());
  return comparison;
}

/// Whether a few planes suffice to tell all inputs apart; where nothing is equal that is nearly always so.
bool differ_early(std::span<const Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels) {
  constexpr std::uint32_t few = 64;
  if (planes.empty() || planes.front().count < 4 * few) return false;
  std::vector<std::uint32_t> hashes;
  std::vector<std::uint32_t> hash;
  for (const Panel& panel : panels) {
    hash.assign(panel.lanes, 0);
    kernels.hash_lanes(panel.plane(planes.front().first), few, panel.lanes, hash.data());
    for (unsigned lane = 0; lane < panel.ids.size(); ++lane)
      if (panel.stays[lane] != 0) hashes.push_back(hash[lane]);
  }
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

}  // namespace

std::vector<Follower> find_followers(std::span<const Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels) {
  std::vector<Follower> followers;
  if (differ_early(panels, planes, kernels)) return followers;
  Firsts firsts(count_inputs(panels));
  std::vector<std::uint32_t> hash;
  std::vector<Comparison> comparisons;  // of the panel at hand: one sweep answers for all its lanes
  for (std::uint32_t k = 0; k < panels.size(); ++k) {
    const Panel& panel = panels[k];
    hash.assign(panel.lanes, 0);
    comparisons.clear();
    for (const rows::PlaneRange& range : planes) kernels.hash_lanes(panel.plane(range.first), range.count, panel.lanes, hash.data());
    for (unsigned lane = 0; lane < panel.ids.size(); ++lane) {
      if (panel.stays[lane] == 0) continue;
      First& first = firsts.find(hash[lane]);
      if (first.panel == free_place) {
        first = {hash[lane], lane, k};
        continue;
      }
      auto done = std::find_if(comparisons.begin(), comparisons.end(), [&](const Comparison& one) { return one.first == &first; });
      if (done == comparisons.end()) done = comparisons.insert(done, compare(panel, first, panels[first.panel], planes, kernels));
      if (done->equal[lane] == 0) continue;  // the same hash by chance: it stays
      followers.push_back({panel.ids[lane], panels[first.panel].ids[first.lane], k, lane});
    }
  }
  return followers;
}

std::size_t count_inputs(std::span<const Panel> panels) {
  std::size_t count = 0;
  for (const Panel& panel : panels) count += panel.ids.size();
  return count;
}

std::size_t count_staying(std::span<const Panel> panels) {
  std::size_t count = 0;
  for (const Panel& panel : panels) count += static_cast<std::size_t>(std::count(panel.stays.begin(), panel.stays.end(), 1));
  return count;
}

namespace {

constexpr std::size_t planes_at_once = 32;
constexpr std::size_t packed_stride = 8 * 16 + 16;  // the widest panel there is, and a vector

/// Where some of a panel's inputs go: lanes [to, to + count) of a panel of `lanes` lanes.
struct Move {
  float* arena;
  unsigned lanes;
  unsigned to;
  std::size_t first;  ///< of those that stay
  std::size_t count;
};

/// Packs the inputs of `panel` that stay, some planes at a time: take(first plane, planes, packed), rows packed_stride apart.
template <typename Take>
void for_packed_planes(const Panel& panel, std::span<const rows::PlaneRange> live, const cpu::Kernels& kernels, const Take& take) {
  alignas(64) float packed[planes_at_once * packed_stride];
  for (const rows::PlaneRange& range : live) {
    for (std::size_t done = 0; done < range.count; done += planes_at_once) {
      const std::size_t first = range.first + done;
      const std::size_t count = std::min<std::size_t>(planes_at_once, range.count - done);
      kernels.pack_lanes(panel.plane(first), count, panel.lanes, panel.stays.data(), packed, packed_stride);
      take(first, count, packed);
    }
  }
}

/// Targets may lie in the panel's own arena: a stretch of planes is read before it is written, and a target is never wider than the panel,
/// so it never lies behind what is still to be read.
void move_inputs(const Panel& panel, std::span<const Move> moves, std::span<const rows::PlaneRange> live, const cpu::Kernels& kernels) {
  for_packed_planes(panel, live, kernels, [&](std::size_t first, std::size_t count, const float* packed) {
    for (const Move& move : moves)
      for (std::size_t plane = 0; plane < count; ++plane)
        std::copy_n(packed + plane * packed_stride + move.first, move.count, move.arena + (first + plane) * move.lanes + move.to);
  });
}

}  // namespace

void pack_planes(const Panel& panel, std::span<const rows::PlaneRange> live, const cpu::Kernels& kernels, float* values, std::size_t stride) {
  const std::size_t staying = count_staying(std::span(&panel, 1));
  for_packed_planes(panel, live, kernels, [&](std::size_t, std::size_t count, const float* packed) {
    for (std::size_t plane = 0; plane < count; ++plane, values += stride) std::copy_n(packed + plane * packed_stride, staying, values);
  });
}

void close_ranks(std::span<Panel> panels, std::span<const rows::PlaneRange> live, unsigned widest, const cpu::Kernels& kernels) {
  std::size_t left = count_staying(panels);  // to be seated
  std::size_t target = 0;
  std::vector<std::uint32_t> seated;
  unsigned lanes = plan::panel_for(left, widest, kernels.isa);
  std::vector<Move> moves;
  std::vector<std::uint32_t> staying;
  for (Panel& panel : panels) {
    staying.clear();
    for (unsigned lane = 0; lane < panel.ids.size(); ++lane)
      if (panel.stays[lane] != 0) staying.push_back(panel.ids[lane]);
    panel.ids.clear();

    moves.clear();
    std::vector<std::pair<std::size_t, unsigned>> narrowed;  // panels that are full now, and how wide they are; this one may be among them
    for (std::size_t first = 0; first < staying.size();) {
      const std::size_t count = std::min<std::size_t>(staying.size() - first, lanes - seated.size());
      moves.push_back({panels[target].arena, lanes, static_cast<unsigned>(seated.size()), first, count});
      seated.insert(seated.end(), staying.begin() + static_cast<std::ptrdiff_t>(first), staying.begin() + static_cast<std::ptrdiff_t>(first + count));
      first += count;
      left -= count;
      if (seated.size() < lanes && left > 0) continue;
      narrowed.emplace_back(target, lanes);
      panels[target++].ids = std::exchange(seated, {});
      lanes = plan::panel_for(left, widest, kernels.isa);
    }
    move_inputs(panel, moves, live, kernels);
    for (const auto& [index, width] : narrowed) panels[index].lanes = width;
  }
}

}  // namespace lacuna::engine
