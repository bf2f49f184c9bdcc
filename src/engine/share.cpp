#include "engine/share.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lacuna::engine {
namespace {

// Costs are counted in vectors touched, for each vector of inputs. A look for zeros is a pass over the live planes; running a row costs its
// nonzeros and about two visits to its own plane. A look is due when the work since the last one, and the group at hand, outweigh it. It
// begins with a sample and goes on only if that finds something, so looking in vain costs little.
constexpr std::size_t sample_inputs = 64;
constexpr double least_patience = 16;
constexpr double most_patience = 128;
constexpr double price_of_hashing = 4;  // multiply, shift, two exclusive ors
constexpr double price_of_moving = 6;   // load, permute, store, and a short copy of what stays
constexpr std::size_t foresight = 4;    // groups over which closing ranks must pay

double cost_of(const rows::RowGroup& group) { return static_cast<double>(group.weights.nnz()) + 2.0 * group.weights.rows; }

std::size_t count_planes(std::span<const rows::PlaneRange> ranges) {
  std::size_t planes = 0;
  for (const rows::PlaneRange& range : ranges) planes += range.count;
  return planes;
}

}  // namespace

ShareRunner::ShareRunner(const Run& run, Workspace& workspace)
    : run_(run), kernels_(cpu::kernels_for(run.plan.isa)), node_kernel_(cpu::node_kernel_for(run.plan.isa)), workspace_(workspace), output_planes_(run.rows.output.count) {
  std::iota(output_planes_.begin(), output_planes_.end(), run.rows.output.first);
}

std::span<Panel> ShareRunner::used_panels() {
  std::size_t used = 0;
  while (used < workspace_.panels.size() && !workspace_.panels[used].ids.empty()) ++used;
  return std::span(workspace_.panels).first(used);
}

/// Makes room for `count` inputs; panels are as wide as they need to be, and empty.
void ShareRunner::seat(std::size_t count) {
  const std::size_t needed = (count + run_.lanes - 1) / run_.lanes;
  const std::size_t floats = std::size_t{run_.rows.planes} * run_.lanes;
  if (workspace_.panels.size() < needed) workspace_.panels.resize(needed);
  if (workspace_.planes.size() < needed * floats) workspace_.planes = base::AlignedFloats(needed * floats);
  for (Panel& panel : workspace_.panels) panel.ids.clear();
  for (std::size_t k = 0; k < needed; ++k) {
    workspace_.panels[k].arena = workspace_.planes.data() + k * floats;
    workspace_.panels[k].lanes = plan::panel_for(count - k * run_.lanes, run_.lanes, run_.plan.isa);
    workspace_.panels[k].ids.resize(std::min<std::size_t>(run_.lanes, count - k * run_.lanes));
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
  const std::size_t at_once = run_.counted == nullptr ? run_.plan.panel_set : std::max(1u, cpu::bit_lanes / run_.lanes);
  for (std::size_t k = 0; k < panels.size(); k += at_once)  // the first stretch finds its inputs still in the cache
    lay_inputs(panels.subspan(k, std::min(at_once, panels.size() - k)), end);
  go_on(end, count, stops);
}

void ShareRunner::lay_inputs(std::span<Panel> panels, std::size_t end) {
  if (run_.counted == nullptr) {
    for (Panel& panel : panels) run_.batch.fill(panel.plane(run_.rows.input.first), panel.lanes, panel.ids.front(), panel.ids.size());
    return run_stretch(panels, 0, end);
  }
  count_first_layer(panels);
  const cpu::CountEpilogue epilogue = run_.counted->epilogue(run_.batch.one_value());
  const std::size_t destination = run_.rows.groups.front().destination.first;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    kernels_.counts_to_planes(epilogue, workspace_.counts.data() + k * run_.lanes, run_.counted->rows(), panels[k].lanes, panels[k].plane(destination));
    const std::size_t laid = k % run_.plan.panel_set + 1;
    if (laid == run_.plan.panel_set || k + 1 == panels.size()) run_stretch(panels.subspan(k + 1 - laid, laid), 1, end);
  }
}

/// The first layer from bits: a byte for each row and input, a quarter of what the values would take.
void ShareRunner::count_first_layer(std::span<Panel> panels) {
  const plan::CountedLayer& layer = *run_.counted;
  const std::size_t count = count_inputs(panels);
  if (!workspace_.bits) workspace_.bits.emplace(layer.input_planes());
  run_.batch.lay(*workspace_.bits, panels.front().ids.front(), count, kernels_);
  workspace_.counts.resize((std::size_t{layer.rows()} + 1) * cpu::bit_lanes);  // one more: a narrow last panel reads beyond its inputs
  kernels_.count_bits(layer.table(), workspace_.bits->data(), layer.rows(), workspace_.counts.data());
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
      Panel& panel = workspace_.panels[seated / run_.lanes];
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
    const std::size_t thin = stops.when_thin ? started / 8 : 0;
    if (done > 0 && look_around(done, thin) <= thin) return park(done);
    const std::span<Panel> panels = used_panels();
    if (done == stops.at) {
      mark_all(panels);
      return park(done);
    }
    const std::size_t end = stretch_end(done, stops.at);
    run_stretch(panels, done, end);
    done = end;
  }
  arrive();
}

/// Runs groups until a look is due; breadth first, one group.
std::size_t ShareRunner::stretch_end(std::size_t begin, std::size_t stop) {
  std::size_t end = begin;
  while (end < stop) {
    const rows::RowGroup& group = run_.rows.groups[end++];
    const double cost = end == 1 && run_.counted != nullptr ? 2.0 * group.weights.rows : cost_of(group);  // counting is cheap
    dead_look_.work += cost;
    equal_look_.work += cost;
    if (!run_.options.depth_first || is_dead_look_due(end) || is_equal_look_due(end)) break;
  }
  return end;
}

/// Set after set: while its panels take a group one after the other, the group's table stays in the cache.
void ShareRunner::run_stretch(std::span<Panel> panels, std::size_t begin, std::size_t end) {
  std::vector<plan::PanelView>& views = workspace_.views;
  const bool fetches_next = run_.plan.panel_set > 1 || panels.size() == 1;  // else the other panels find this group's table in the cache
  for (std::size_t first = 0; first < panels.size(); first += run_.plan.panel_set) {
    const std::span<Panel> set = panels.subspan(first, std::min<std::size_t>(run_.plan.panel_set, panels.size() - first));
    views.clear();
    for (Panel& panel : set) views.push_back({panel.lanes, panel.arena});
    const std::size_t inputs = count_inputs(set);
    for (std::size_t group = begin; group < end; ++group) {
      run_.plan.run(group, views, fetches_next);
      active_edges_ += run_.plan.groups[group].nnz() * inputs;
    }
  }
}

void ShareRunner::settle(Look& look, bool found) {
  look.work = 0;
  look.patience = found ? least_patience : std::min(look.patience * 2, most_patience);
}

std::size_t ShareRunner::sample_size(std::size_t panels) const { return std::min<std::size_t>((sample_inputs + run_.lanes - 1) / run_.lanes, panels); }

/// Marks the inputs that are dead, unless a sample holds so few of them that the others need not be asked.
bool ShareRunner::find_dead(std::span<Panel> panels, std::span<const rows::PlaneRange> live) {
  const std::span<Panel> sample = panels.first(sample_size(panels.size()));
  mark_alive(sample, live, kernels_);
  const bool found = count_staying(sample) * 16 <= count_inputs(sample) * 15;
  if (found) mark_alive(panels.subspan(sample.size()), live, kernels_);
  settle(dead_look_, found);
  return found;
}

std::vector<Follower> ShareRunner::find_equals(std::span<const Panel> panels, std::span<const rows::PlaneRange> live) {
  const std::span<const Panel> sample = panels.first(sample_size(panels.size()));
  std::vector<Follower> followers;
  if (count_inputs(panels) > 1) followers = find_followers(sample, live, kernels_);
  settle(equal_look_, !followers.empty());
  if (!followers.empty() && panels.size() > sample.size()) followers = find_followers(panels, live, kernels_);
  return followers;
}

bool ShareRunner::closing_pays(std::size_t done, std::size_t staying, std::size_t leaving) const {
  double saved = 0;
  for (std::size_t group = done; group < std::min(done + foresight, run_.rows.groups.size()); ++group) saved += cost_of(run_.rows.groups[group]);
  const double price = price_of_moving * static_cast<double>(count_planes(run_.rows.groups[done - 1].live_after));
  return static_cast<double>(leaving) * saved > static_cast<double>(staying + leaving) * price;
}

bool ShareRunner::is_due(const Look& look, std::size_t next, double price_of_plane) const {
  const double price = price_of_plane * static_cast<double>(count_planes(run_.rows.groups[next - 1].live_after));
  return look.work + cost_of(run_.rows.groups[next]) >= look.patience * price;
}

bool ShareRunner::is_dead_look_due(std::size_t next) const {
  return run_.options.dead_inputs && next < run_.rows.groups.size() && run_.rows.groups[next].zero_from_here && is_due(dead_look_, next, 1);
}

bool ShareRunner::is_equal_look_due(std::size_t next) const {
  return run_.options.equal_inputs && next < run_.rows.groups.size() && is_due(equal_look_, next, price_of_hashing);
}

/// Lets dead inputs and equal ones leave, where a look is due and closing ranks pays. Returns how many go on; if that is `thin` or fewer they
/// are only marked.
std::size_t ShareRunner::look_around(std::size_t next, std::size_t thin) {
  const std::span<const rows::PlaneRange> live = run_.rows.groups[next - 1].live_after;
  const std::span<Panel> panels = used_panels();
  const std::size_t inputs = count_inputs(panels);
  const bool look_dead = is_dead_look_due(next);
  const bool look_equal = is_equal_look_due(next);
  if (!look_dead && !look_equal) return inputs;
  mark_all(panels);
  if (look_dead && !find_dead(panels, live)) mark_all(panels);
  std::vector<Follower> followers;
  if (look_equal) followers = find_equals(panels, live);
  const std::size_t staying = count_staying(panels) - followers.size();
  if (staying == inputs) return inputs;
  if (staying > thin && !closing_pays(next, staying, inputs - staying)) return inputs;  // all go on
  for (const Follower& follower : followers) {
    run_.leader[follower.id] = follower.leader;
    panels[follower.panel].stays[follower.lane] = 0;
  }
  if (staying > thin) close_ranks(panels, live, run_.lanes, kernels_);
  return staying;
}

/// Packs the inputs that stay into a parcel; nothing if there are none.
void ShareRunner::park(std::size_t layer) {
  const std::span<Panel> panels = used_panels();
  const std::span<const rows::PlaneRange> live = run_.rows.groups[layer - 1].live_after;
  const std::size_t count = count_staying(panels);
  if (count == 0) return;
  parcel_.emplace(Parcel{layer, {}, base::AlignedFloats(count_planes(live) * count)});
  for (const Panel& panel : panels) {
    pack_planes(panel, live, kernels_, parcel_->values.data() + parcel_->ids.size(), count);
    for (unsigned lane = 0; lane < panel.ids.size(); ++lane)
      if (panel.stays[lane] != 0) parcel_->ids.push_back(panel.ids[lane]);
  }
}

/// The outputs of those that stay, row by row.
void ShareRunner::put_outputs(const Panel& panel, float* rows) const {
  const std::size_t width = output_planes_.size();
  if (count_staying(std::span(&panel, 1)) == panel.ids.size())
    return node_kernel_.planes_to_rows(panel.arena, output_planes_.data(), width, panel.lanes, panel.ids.size(), rows);
  for (std::size_t lane = 0; lane < panel.ids.size(); ++lane) {
    if (panel.stays[lane] == 0) continue;
    const float* const column = panel.plane(run_.rows.output.first) + lane;
    for (std::size_t plane = 0; plane < width; ++plane) *rows++ = column[plane * panel.lanes];
  }
}

void ShareRunner::arrive() {
  const std::span<Panel> panels = used_panels();
  const rows::PlaneRange range = run_.rows.output;
  mark_alive(panels, std::span(&range, 1), kernels_);
  arrived_.values.resize(count_staying(panels) * range.count);
  for (const Panel& panel : panels) {
    put_outputs(panel, arrived_.values.data() + arrived_.ids.size() * range.count);
    for (std::size_t lane = 0; lane < panel.ids.size(); ++lane)
      if (panel.stays[lane] != 0) arrived_.ids.push_back(panel.ids[lane]);
  }
}

}  // namespace lacuna::engine
