#include "engine/panels.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace

std::vector<Follower> find_followers(std::span<const Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels) {
  std::vector<Follower> followers;
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

/// Copies lanes `from[k]` of `source` to lanes `to + k` of `target`, which has `target_lanes` lanes. The two may be the same memory: no
/// float is written before it was read, since targets never lie behind their source (planes ascend, lanes ascend).
void move_lanes(const float* source, unsigned source_lanes, std::span<const unsigned> from, float* target, unsigned target_lanes, unsigned to,
                std::span<const rows::PlaneRange> planes) {
  for (const rows::PlaneRange& range : planes) {
    for (std::size_t plane = range.first; plane < std::size_t{range.first} + range.count; ++plane) {
      const float* const read = source + plane * source_lanes;
      float* const write = target + plane * target_lanes + to;
      for (std::size_t k = 0; k < from.size(); ++k) write[k] = read[from[k]];
    }
  }
}

}  // namespace

void close_ranks(std::span<Panel> panels, std::span<const rows::PlaneRange> planes, unsigned widest, cpu::Isa isa) {
  std::size_t left = count_staying(panels);
  std::size_t target = 0;
  std::vector<std::uint32_t> target_ids;
  unsigned target_lanes = plan::panel_for(left, widest, isa);
  const auto finish_target = [&] {
    panels[target].lanes = target_lanes;
    panels[target].ids = target_ids;
    left -= target_ids.size();
    target_ids.clear();
    ++target;
    target_lanes = plan::panel_for(left, widest, isa);
  };

  std::vector<unsigned> from;
  for (Panel& panel : panels) {
    const unsigned source_lanes = panel.lanes;  // finish_target may change both
    const std::vector<std::uint32_t> source_ids = std::move(panel.ids);
    panel.ids.clear();
    from.clear();
    for (unsigned lane = 0; lane < source_ids.size(); ++lane)
      if (panel.stays[lane] != 0) from.push_back(lane);
    for (std::size_t done = 0; done < from.size();) {
      const auto to = static_cast<unsigned>(target_ids.size());
      const std::size_t count = std::min<std::size_t>(from.size() - done, target_lanes - to);
      const std::span<const unsigned> part = std::span(from).subspan(done, count);
      move_lanes(panel.arena.data(), source_lanes, part, panels[target].arena.data(), target_lanes, to, planes);
      for (unsigned lane : part) target_ids.push_back(source_ids[lane]);
      done += count;
      if (target_ids.size() == target_lanes) finish_target();
    }
  }
  if (!target_ids.empty()) finish_target();
}

}  // namespace lacuna::engine
