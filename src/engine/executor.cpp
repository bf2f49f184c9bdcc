// How a share of the inputs travels: every panel of the share runs a stretch of layers on its own (the panel stays in cache while
// the weights pass by), then the share looks for inputs that died and closes ranks. Stretches are short while inputs die and double
// while none do. Without dead inputs to remove, a share is one panel and the stretch is the whole network.
#include "engine/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/parallel.hpp"
#include "engine/panels.hpp"

namespace lacuna::engine {
namespace {

constexpr std::size_t share_inputs = 2048;                       // 3% of it still fill a panel
constexpr std::size_t share_bytes = std::size_t{512} << 20;      // of planes, for one core
constexpr std::size_t longest_stretch = 64;

/// What one share found: its survivors and their outputs, in the order of the inputs.
struct ShareOutputs {
  std::vector<std::uint32_t> survivors;
  std::vector<float> values;
};

class ShareRunner {
 public:
  ShareRunner(const rows::SparseRows& rows, const plan::Plan& plan, const Batch& batch, unsigned lanes, bool remove_dead_inputs)
      : rows_(rows), plan_(plan), kernels_(cpu::kernels_for(plan.isa)), batch_(batch), lanes_(lanes), remove_dead_inputs_(remove_dead_inputs) {}

  ShareOutputs run(std::size_t first, std::size_t count) {
    seat(first, count);
    const std::size_t groups = rows_.groups.size();
    std::size_t stretch = remove_dead_inputs_ ? 1 : groups;
    std::size_t done = std::min(stretch, groups);
    for (Panel& panel : used_panels()) {  // the first stretch finds its inputs still in the cache
      lay_inputs(panel);
      run_stretch(panel, 0, done);
    }
    while (done < groups) {
      if (remove_dead_inputs_ && rows_.groups[done].zero_from_here)
        stretch = remove_dead(rows_.groups[done - 1].live_after) ? 1 : std::min(stretch * 2, longest_stretch);
      const std::size_t end = std::min(done + stretch, groups);
      for (Panel& panel : used_panels()) run_stretch(panel, done, end);
      done = end;
    }
    return collect();
  }

  std::uint64_t active_edges() const { return active_edges_; }

 private:
  std::span<Panel> used_panels() {
    std::size_t used = 0;
    while (used < panels_.size() && !panels_[used].ids.empty()) ++used;
    return std::span(panels_).first(used);
  }

  /// Gives every input of the share its panel and lane.
  void seat(std::size_t first, std::size_t count) {
    const std::size_t needed = (count + lanes_ - 1) / lanes_;
    while (panels_.size() < needed) panels_.push_back({base::AlignedFloats(std::size_t{rows_.planes} * lanes_), lanes_, {}, {}});
    for (Panel& panel : panels_) panel.ids.clear();
    for (std::size_t k = 0; k < needed; ++k) {
      Panel& panel = panels_[k];
      const std::size_t begin = first + k * lanes_;
      const std::size_t inside = std::min<std::size_t>(lanes_, first + count - begin);
      panel.lanes = plan::panel_for(inside, lanes_, plan_.isa);
      for (std::size_t lane = 0; lane < inside; ++lane) panel.ids.push_back(static_cast<std::uint32_t>(begin + lane));
    }
  }

  void lay_inputs(Panel& panel) {
    float* const planes = panel.arena.data() + std::size_t{rows_.input.first} * panel.lanes;
    batch_.fill(planes, panel.lanes, panel.ids.front(), panel.ids.size());
  }

  void run_stretch(Panel& panel, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      plan_.run(group, panel.lanes, panel.arena.data());
      active_edges_ += plan_.groups[group].nnz() * panel.ids.size();
    }
  }

  /// Whether any input died. Ranks are closed only when enough died for it to pay.
  bool remove_dead(std::span<const rows::PlaneRange> live) {
    std::size_t inputs = 0;
    std::size_t alive = 0;
    const std::span<Panel> panels = used_panels();
    for (Panel& panel : panels) {
      inputs += panel.ids.size();
      alive += mark_alive(panel, live, kernels_);
    }
    if (alive * 8 <= inputs * 7) close_ranks(panels, live, lanes_, plan_.isa);
    return alive < inputs;
  }

  ShareOutputs collect() {
    ShareOutputs outputs;
    const rows::PlaneRange range = rows_.output;
    for (Panel& panel : used_panels()) {
      mark_alive(panel, std::span(&range, 1), kernels_);
      for (std::size_t lane = 0; lane < panel.ids.size(); ++lane) {
        if (panel.alive[lane] == 0) continue;
        outputs.survivors.push_back(panel.ids[lane]);
        const float* const column = panel.arena.data() + std::size_t{range.first} * panel.lanes + lane;
        for (std::size_t plane = 0; plane < range.count; ++plane) outputs.values.push_back(column[plane * panel.lanes]);
      }
    }
    return outputs;
  }

  const rows::SparseRows& rows_;
  const plan::Plan& plan_;
  const cpu::Kernels& kernels_;
  const Batch& batch_;
  const unsigned lanes_;
  const bool remove_dead_inputs_;
  std::vector<Panel> panels_;
  std::uint64_t active_edges_ = 0;
};

std::size_t share_size(const rows::SparseRows& rows, std::size_t inputs, unsigned lanes, const ExecutorOptions& options) {
  if (!options.remove_dead_inputs) return lanes;
  const std::size_t by_memory = share_bytes / (std::size_t{rows.planes} * sizeof(float));
  const std::size_t by_balance = inputs / (std::size_t{options.threads} * 4);
  const std::size_t wanted = std::min({share_inputs, by_memory, by_balance});
  return std::max<std::size_t>(wanted / lanes, 1) * lanes;
}

Outputs join(std::vector<ShareOutputs> shares, std::size_t inputs, std::size_t width) {
  Outputs outputs{inputs, width, {}, {}};
  std::size_t survivors = 0;
  for (const ShareOutputs& share : shares) survivors += share.survivors.size();
  outputs.survivors.reserve(survivors);
  outputs.values.reserve(survivors * width);
  for (ShareOutputs& share : shares) {
    outputs.survivors.insert(outputs.survivors.end(), share.survivors.begin(), share.survivors.end());
    outputs.values.insert(outputs.values.end(), share.values.begin(), share.values.end());
    share = {};
  }
  return outputs;
}

}  // namespace

Outputs execute(const rows::SparseRows& rows, const plan::Plan& plan, const ExecutorOptions& options, const Batch& batch, RunReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t inputs = batch.size();
  const std::size_t of_one_core = (inputs + options.threads - 1) / options.threads;
  const unsigned lanes = plan::panel_for(of_one_core, plan.panel_lanes, plan.isa);
  const std::size_t share = share_size(rows, inputs, lanes, options);
  const std::size_t shares = (inputs + share - 1) / share;

  std::vector<ShareOutputs> found(shares);
  std::vector<std::unique_ptr<ShareRunner>> runners(options.threads);
  base::parallel_for(options.threads, shares, [&](std::size_t k, unsigned worker) {
    if (!runners[worker]) runners[worker] = std::make_unique<ShareRunner>(rows, plan, batch, lanes, options.remove_dead_inputs);
    found[k] = runners[worker]->run(k * share, std::min(share, inputs - k * share));
  });
  Outputs outputs = join(std::move(found), inputs, rows.output.count);

  report = {};
  for (const auto& runner : runners)
    if (runner) report.active_edges += runner->active_edges();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outputs;
}

}  // namespace lacuna::engine
