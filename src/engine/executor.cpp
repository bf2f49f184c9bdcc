#include "engine/executor.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>

#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/collector.hpp"
#include "engine/share.hpp"

namespace lacuna::engine {
namespace {

constexpr std::size_t most_share_bytes = std::size_t{512} << 20;  // breadth first, for one core

/// The most planes that are in use at once; those of the input only where they are filled.
std::size_t planes_in_use(const Run& run) {
  std::size_t most = 0;
  for (std::size_t k = run.counted == nullptr ? 0 : 1; k < run.rows.groups.size(); ++k) {
    std::size_t planes = run.rows.groups[k].destination.count;
    for (const rows::PlaneRange& range : k == 0 ? std::vector{run.rows.input} : run.rows.groups[k - 1].live_after) planes += range.count;
    most = std::max(most, planes);
  }
  return std::max<std::size_t>(most, 1);
}

/// How many inputs a share takes of `inputs`: whole sets of panels, as many as stay in the cache, at least as many as the first layer takes at once.
std::size_t share_size(const Run& run, std::size_t inputs) {
  const std::size_t set = std::size_t{run.lanes} * run.plan.panel_set;
  const std::size_t input_bytes = planes_in_use(run) * sizeof(float);
  const bool deep = run.options.depth_first;
  const std::size_t by_memory = (deep ? cpu::cpu_info().l2_bytes / 2 : most_share_bytes) / input_bytes;
  const std::size_t by_balance = inputs / (std::size_t{run.options.threads} * (deep ? 4 : 1));
  const std::size_t least = run.counted == nullptr ? set : std::max<std::size_t>(set, cpu::bit_lanes);
  const std::size_t share = std::min(std::max(by_memory, least), by_balance);
  return share >= set ? share / set * set : std::max<std::size_t>(share / run.lanes, 1) * run.lanes;
}

/// A pool of parcels at one layer, cut into shares of about equal size.
std::vector<std::vector<Piece>> cut_pool(const std::vector<Parcel>& parcels, std::size_t share) {
  std::vector<std::vector<Piece>> shares(1);
  std::size_t room = share;
  for (const Parcel& parcel : parcels) {
    for (std::size_t first = 0; first < parcel.ids.size();) {
      if (room == 0) {
        shares.emplace_back();
        room = share;
      }
      const std::size_t count = std::min(parcel.ids.size() - first, room);
      shares.back().push_back({&parcel, first, count});
      first += count;
      room -= count;
    }
  }
  return shares;
}

class Waves {
 public:
  Waves(const Run& run, Workspaces& workspaces, Collector& collector) : run_(run), workspaces_(workspaces), collector_(collector), runners_(run.options.threads) {
    workspaces_.resize(runners_.size());
  }

  void run_all() {
    first_wave();
    while (!parked_.empty()) next_wave();
  }

  std::size_t waves() const { return waves_; }
  std::uint64_t active_edges() const {
    std::uint64_t edges = 0;
    for (const auto& runner : runners_)
      if (runner) edges += runner->active_edges();
    return edges;
  }

 private:
  void first_wave() {
    const std::size_t inputs = run_.batch.size();
    const std::size_t share = share_size(run_, inputs);
    run_wave((inputs + share - 1) / share, run_.rows.groups.size(), [&](ShareRunner& runner, std::size_t k, const Stops& stops) {
      runner.run_inputs(k * share, std::min(share, inputs - k * share), stops);
    });
  }

  /// Those that wait at the lowest layer go on, at most to the next layer where others wait.
  void next_wave() {
    const auto lowest = parked_.extract(parked_.begin());
    const std::vector<Parcel>& parcels = lowest.mapped();
    std::size_t inputs = 0;
    for (const Parcel& parcel : parcels) inputs += parcel.ids.size();
    const std::size_t of_one_core = (inputs + run_.options.threads - 1) / run_.options.threads;
    const std::size_t share = std::min((of_one_core + run_.lanes - 1) / run_.lanes * run_.lanes, share_size(run_, inputs * 4));
    const std::vector<std::vector<Piece>> shares = cut_pool(parcels, share);
    const std::size_t stop = parked_.empty() ? run_.rows.groups.size() : parked_.begin()->first;
    run_wave(shares.size(), stop, [&](ShareRunner& runner, std::size_t k, const Stops& stops) { runner.run_pieces(shares[k], stops); });
  }

  template <typename RunShare>
  void run_wave(std::size_t shares, std::size_t stop, const RunShare& run_share) {
    std::vector<std::optional<Parcel>> parcels(shares);
    collector_.expect(shares);
    const Stops stops{stop, shares > run_.options.threads};
    base::parallel_for(run_.options.threads, shares, [&](std::size_t k, unsigned worker) {
      if (!runners_[worker]) runners_[worker] = std::make_unique<ShareRunner>(run_, workspaces_[worker]);
      run_share(*runners_[worker], k, stops);
      parcels[k] = runners_[worker]->take_parcel();
      collector_.bring(k, runners_[worker]->take_arrived());
    });
    for (std::optional<Parcel>& parcel : parcels)
      if (parcel) parked_[parcel->layer].push_back(std::move(*parcel));
    ++waves_;
  }

  const Run& run_;
  Workspaces& workspaces_;
  Collector& collector_;
  std::vector<std::unique_ptr<ShareRunner>> runners_;
  std::map<std::size_t, std::vector<Parcel>> parked_;
  std::size_t waves_ = 0;
};

}  // namespace

Outputs execute(const rows::SparseRows& rows, const plan::Plan& plan, const plan::CountedLayer* counted, const ExecutorOptions& options,
                const Batch& batch, Workspaces& workspaces, Outputs spare, RunReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t of_one_core = (batch.size() + options.threads - 1) / options.threads;
  std::vector<std::uint32_t> leader(batch.size());
  std::iota(leader.begin(), leader.end(), 0u);
  const bool counts = counted != nullptr && batch.is_on_or_off() && counted->takes(batch.one_value());
  const unsigned lanes = plan::panel_for(of_one_core, plan.panel_lanes, plan.isa);
  const Run run{rows, plan, counts ? counted : nullptr, batch, options, lanes, leader};
  Collector collector(batch.size(), rows.output.count, std::move(spare));
  Waves waves(run, workspaces, collector);
  waves.run_all();

  Outputs outputs = collector.take(leader);
  report = {};
  report.active_edges = waves.active_edges();
  report.counted_first_layer = counts;
  report.waves = waves.waves();
  report.different_outputs = outputs.width == 0 ? 0 : outputs.values.size() / outputs.width;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outputs;
}

}  // namespace lacuna::engine
