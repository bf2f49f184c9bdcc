#include "engine/panels.hpp"

#include <algorithm>

#include "plan/plan.hpp"

namespace lacuna::engine {

std::size_t mark_alive(Panel& panel, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels) {
  panel.alive.assign(panel.lanes, 0);
  for (const rows::PlaneRange& range : planes)
    kernels.mark_alive(panel.arena.data() + std::size_t{range.first} * panel.lanes, range.count, panel.lanes, panel.alive.data());
  return static_cast<std::size_t>(
      std::count(panel.alive.begin(), panel.alive.begin() + static_cast<std::ptrdiff_t>(panel.ids.size()), 1));
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
  std::size_t left = 0;
  for (const Panel& panel : panels)
    for (std::size_t lane = 0; lane < panel.ids.size(); ++lane) left += panel.alive[lane];

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
      if (panel.alive[lane] != 0) from.push_back(lane);
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
