#include "engine/share.hpp"

#include <algorithm>
#include <limits>

namespace lacuna::engine {
namespace {

// A look is a pass over the live planes; running a row costs its nonzeros and about two visits to its own plane. Costs are counted in vectors
// touched. Patience 8 spends an eighth on looks that find something; patience 128 below 1% on looks that do not.
constexpr double least_patience = 8;
constexpr double most_patience = 128;
constexpr double price_of_hashing = 4;  // times that of looking for zeros: multiply, shift, two exclusive ors

double cost_of(const rows::RowGroup& group) { return static_cast<double>(group.weights.nnz()) + 2.0 * group.weights.rows; }

std::size_t count_planes(std::span<const rows::PlaneRange> ranges) {
  std::size_t planes = 0;
  for (const rows::PlaneRange& range : ranges) planes += range.count;
  return planes;
}

}  // namespace

ShareRunner::ShareRunner(const Run& run) : run_(run), kernels_(cpu::kernels_for(run.plan.isa)) {}

std::span<Panel> ShareRunner::used_panels() {
  std::size_t used = 0;
  while (used < panels_.size() && !panels_[used].ids.empty()) ++used;
  return std::span(panels_).first(used);
}

/// Makes room for `count` inputs; panels are as wide as they need to be, and empty.
void ShareRunner::seat(std::size_t count) {
  const std::size_t needed = (count + run_.lanes - 1) / run_.lanes;
  while (panels_.size() < needed) panels_.push_back({base::AlignedFloats(std::size_t{run_.rows.planes} * run_.lanes), run_.lanes, {}, {}});
  for (Panel& panel : panels_) panel.ids.clear();
  for (std::size_t k = 0; k < needed; ++k) {
    panels_[k].lanes = plan::panel_for(count - k * run_.lanes, run_.lanes, run_.plan.isa);
    panels_[k].ids.resize(std::min<std::size_t>(run_.lanes, count - k * run_.lanes));
  }
  dead_look_ = equal_look_ = {0, least_patience};
}

void ShareRunner::run_inputs(std::size_t first, std::size_t count, const Stops& stops) {
  seat(count);
  const std::span<Panel> panels = used_panels();
  std::uint32_t id = static_cast<std::uint32_t>(first);
  for (Panel& panel : panels)
    for (std::uint32_t& seat : panel.ids) seat = id++;

  const std::size_t end = stretch_end(0, stops.at);
  const std::size_t at_once = run_.counted == nullptr ? 1 : std::max(1u, cpu::bit_lanes / run_.lanes);
  for (std::size_t k = 0; k < panels.size(); k += at_once)  // the first stretch finds its inputs still in the cache
    lay_inputs(panels.subspan(k, std::min(at_once, panels.size() - k)), end);
  go_on(end, count, stops);
}

void ShareRunner::lay_inputs(std::span<Panel> panels, std::size_t end) {
  if (run_.counted != nullptr && end > 0) {
    count_first_layer(panels);
    for (Panel& panel : panels) run_stretch(panel, 1, end);
    return;
  }
  for (Panel& panel : panels) {
    run_.batch.fill(panel.plane(run_.rows.input.first), panel.lanes, panel.ids.front(), panel.ids.size());
    run_stretch(panel, 0, end);
  }
}

/// The first layer from bits: counts for a few rows at a time, so that they stay in L1 on their way to the panels.
void ShareRunner::count_first_layer(std::span<Panel> panels) {
  constexpr std::uint32_t rows_at_once = 32;
  const plan::CountedLayer& layer = *run_.counted;
  const std::size_t count = count_inputs(panels);
  if (!bits_) bits_.emplace(layer.input_planes());
  run_.batch.lay(*bits_, panels.front().ids.front(), count, kernels_);
  counts_.resize(std::size_t{rows_at_once} * cpu::bit_lanes + cpu::bit_lanes);  // a narrow last panel reads beyond its inputs
  const cpu::CountEpilogue epilogue = layer.epilogue(run_.batch.one_value());
  const std::size_t destination = run_.rows.groups.front().destination.first;
  for (std::uint32_t first = 0; first < layer.rows(); first += rows_at_once) {
    const std::uint32_t last = std::min(first + rows_at_once, layer.rows());
    kernels_.count_bits(layer.table(), bits_->data(), first, last, counts_.data());
    for (std::size_t k = 0; k < panels.size(); ++k)
      kernels_.counts_to_planes(epilogue, counts_.data() + k * run_.lanes, first, last - first, panels[k].lanes, panels[k].plane(destination + first));
  }
  active_edges_ += run_.plan.groups.front().nnz() * count;
}

void ShareRunner::run_pieces(const std::vector<Piece>& pieces, const Stops& stops) {
  std::size_t count = 0;
  for (const Piece& piece : pieces) count += piece.count;
  seat(count);
  const std::size_t layer = pieces.front().parcel->layer;
  std::size_t seated = 0;
  for (const Piece& piece : pieces) {
    for (std::size_t done = 0; done < piece.count;) {
      Panel& panel = panels_[seated / run_.lanes];
      const std::size_t lane = seated % run_.lanes;
      const std::size_t inside = std::min(piece.count - done, run_.lanes - lane);
      const std::size_t stride = piece.parcel->ids.size();
      std::copy_n(piece.parcel->ids.data() + piece.first + done, inside, panel.ids.data() + lane);
      const float* from = piece.parcel->values.data() + piece.first + done;
      for (const rows::PlaneRange& range : run_.rows.groups[layer - 1].live_after)
        for (std::size_t plane = range.first; plane < std::size_t{range.first} + range.count; ++plane, from += stride)
          std::copy_n(from, inside, panel.plane(plane) + lane);
      seated += inside;
      done += inside;
    }
  }
  go_on(layer, count, stops);
}

/// From group `done` to the output or to a stop.
void ShareRunner::go_on(std::size_t done, std::size_t started, const Stops& stops) {
  while (done < run_.rows.groups.size()) {
    if (done > 0) look_around(done);
    const std::span<Panel> panels = used_panels();
    if (panels.empty()) return;
    if (done == stops.at || (stops.when_thin && done > 0 && count_inputs(panels) * 8 <= started)) return park(done);
    const std::size_t end = stretch_end(done, stops.at);
    for (Panel& panel : panels) run_stretch(panel, done, end);
    done = end;
  }
  arrive();
}

/// Runs groups until a look is due; breadth first, one group.
std::size_t ShareRunner::stretch_end(std::size_t begin, std::size_t stop) {
  std::size_t end = begin;
  while (end < stop) {
    const rows::RowGroup& group = run_.rows.groups[end++];
    dead_look_.work += cost_of(group);
    equal_look_.work += cost_of(group);
    const double price = static_cast<double>(count_planes(group.live_after));
    const bool can_die = run_.options.dead_inputs && end < run_.rows.groups.size() && run_.rows.groups[end].zero_from_here;
    if (!run_.options.depth_first || (can_die && is_due(dead_look_, price))) break;
    if (run_.options.equal_inputs && is_due(equal_look_, price * price_of_hashing)) break;
  }
  return end;
}

void ShareRunner::run_stretch(Panel& panel, std::size_t begin, std::size_t end) {
  for (std::size_t group = begin; group < end; ++group) {
    run_.plan.run(group, panel.lanes, panel.arena.data());
    active_edges_ += run_.plan.groups[group].nnz() * panel.ids.size();
  }
}

void ShareRunner::settle(Look& look, bool found) {
  look.work = 0;
  look.patience = found ? least_patience : std::min(look.patience * 2, most_patience);
}

/// Lets dead inputs and equal ones leave, where a look is due. Ranks are closed only when enough left for it to pay.
void ShareRunner::look_around(std::size_t done) {
  const std::span<const rows::PlaneRange> live = run_.rows.groups[done - 1].live_after;
  const double price = static_cast<double>(count_planes(live));
  const bool look_dead = run_.options.dead_inputs && run_.rows.groups[done].zero_from_here && is_due(dead_look_, price);
  const bool look_equal = run_.options.equal_inputs && is_due(equal_look_, price * price_of_hashing);
  if (!look_dead && !look_equal) return;
  const std::span<Panel> panels = used_panels();
  const std::size_t inputs = count_inputs(panels);
  std::size_t staying = inputs;
  std::vector<Follower> followers;
  if (look_dead) {
    mark_alive(panels, live, kernels_);
    staying = count_staying(panels);
    settle(dead_look_, staying * 8 <= inputs * 7);
  } else {
    mark_all(panels);
  }
  if (look_equal) {
    const std::size_t alive = staying;
    followers = mark_first_of_equals(panels, live, kernels_);
    staying -= followers.size();
    settle(equal_look_, staying * 8 <= alive * 7);
  }
  if (staying * 8 > inputs * 7) return;  // too few to close ranks for: all go on
  for (const Follower& follower : followers) run_.leader[follower.id] = follower.leader;
  close_ranks(panels, live, run_.lanes, run_.plan.isa);
}

void ShareRunner::park(std::size_t layer) {
  const std::span<Panel> panels = used_panels();
  const std::span<const rows::PlaneRange> live = run_.rows.groups[layer - 1].live_after;
  const std::size_t count = count_inputs(panels);
  parcel_.emplace(Parcel{layer, {}, base::AlignedFloats(count_planes(live) * count)});
  for (const Panel& panel : panels) {
    float* to = parcel_->values.data() + parcel_->ids.size();
    for (const rows::PlaneRange& range : live)
      for (std::size_t plane = range.first; plane < std::size_t{range.first} + range.count; ++plane, to += count)
        std::copy_n(panel.plane(plane), panel.ids.size(), to);
    parcel_->ids.insert(parcel_->ids.end(), panel.ids.begin(), panel.ids.end());
  }
}

void ShareRunner::arrive() {
  const std::span<Panel> panels = used_panels();
  const rows::PlaneRange range = run_.rows.output;
  mark_alive(panels, std::span(&range, 1), kernels_);
  for (const Panel& panel : panels) {
    for (std::size_t lane = 0; lane < panel.ids.size(); ++lane) {
      if (panel.stays[lane] == 0) continue;
      arrived_.ids.push_back(panel.ids[lane]);
      const float* const column = panel.plane(range.first) + lane;
      for (std::size_t plane = 0; plane < range.count; ++plane) arrived_.values.push_back(column[plane * panel.lanes]);
    }
  }
}

}  // namespace lacuna::engine
