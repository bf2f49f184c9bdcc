// Runs a network of neuron graphs. A worker has an arena: the planes of the inputs, then those of the neurons; members that read the same inputs find
// them there one after the other, so a panel's inputs are turned into planes once.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include <lacuna/error.hpp>

#include "base/team.hpp"
#include "engine/graphs/graph_program.hpp"
#include "engine/graphs/layout.hpp"

namespace lacuna::engine::graphs {
namespace {

/// Edges times lanes below which threads cost more than they bring, and of which a task has about as many.
constexpr std::uint64_t worth_a_thread = 1 << 17;
constexpr std::uint64_t worth_a_task = 1 << 20;

template <typename T, typename S>
void to_planes(const cpu::NodeKernel& kernel, const S* rows, std::size_t count, std::uint32_t width, unsigned lanes, T* planes) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<S, float>) return kernel.rows_to_planes(rows, count, width, lanes, planes);
  for (std::uint32_t neuron = 0; neuron < width; ++neuron) {
    T* const plane = planes + std::size_t{neuron} * lanes;
    for (std::size_t lane = 0; lane < count; ++lane) plane[lane] = static_cast<T>(rows[lane * width + neuron]);
    std::fill(plane + count, plane + lanes, T{0});
  }
}

template <typename T>
void from_planes(const cpu::NodeKernel& kernel, const T* arena, const Array<std::uint32_t>& outputs, unsigned lanes, std::size_t count, T* rows) {
  if constexpr (std::is_same_v<T, float>) return kernel.planes_to_rows(arena, outputs.data(), outputs.size(), lanes, count, rows);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const T* const plane = arena + std::size_t{outputs[k]} * lanes;
    for (std::size_t lane = 0; lane < count; ++lane) rows[lane * outputs.size() + k] = plane[lane];
  }
}

/// Workers wait for each other between phases: spinning, for these last microseconds.
class Barrier {
 public:
  explicit Barrier(unsigned workers) : workers_(workers) {}
  void wait() {
    const unsigned round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (unsigned spins = 0; round_.load(std::memory_order_acquire) == round; ++spins)
      if (spins > 10000) std::this_thread::yield();
  }

 private:
  const unsigned workers_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> round_{0};
};

template <typename T>
class Run {
 public:
  Run(const GraphSet<T>& set, const Network& network, std::span<const TypedTensor> inputs, Workspace& workspace)
      : set_(set), inputs_(inputs), workspace_(workspace), layout_(layout_of(network, inputs)) {}

  std::vector<TypedTensor> run() {
    place_outputs();
    cut_panels();
    find_states();
    const unsigned threads = make_tasks();
    const bool by_levels = panels_.size() == 1 && set_.members.size() == 1 && !set_.members[0].phases.empty();
    const unsigned workers = by_levels ? set_.threads : threads;
    make_arenas(by_levels ? 1 : workers);
    Barrier barrier(workers);
    base::run_team(workers, [&](unsigned worker) {
      try {
        if (by_levels)
          run_levels(worker, barrier);
        else
          run_tasks(worker);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        mistake_ = std::current_exception();
      }
    });
    if (mistake_) std::rethrow_exception(mistake_);
    return std::move(outputs_);
  }

 private:
  struct Panel {
    std::size_t first;
    std::size_t count;
    unsigned lanes;
    std::size_t first_lane;  ///< lanes of all panels before
  };
  struct Task {
    std::size_t panel;
    std::size_t begin;  ///< members
    std::size_t end;
  };

  void place_outputs() {
    std::size_t values = 0;
    for (const auto& member : set_.members) values += layout_.steps * layout_.batch * member.outputs.size();
    const std::size_t floats = values * sizeof(T) / sizeof(float);
    if (!workspace_.outputs || workspace_.outputs.use_count() > 1 || workspace_.outputs->size() < floats)
      workspace_.outputs = std::make_shared<base::AlignedFloats>(floats);
    T* at = reinterpret_cast<T*>(workspace_.outputs->data());
    for (const auto& member : set_.members) {
      const std::size_t size = layout_.steps * layout_.batch * member.outputs.size();
      std::vector<std::size_t> shape{layout_.batch, member.outputs.size()};
      if (layout_.has_steps) shape.insert(shape.begin(), layout_.steps);
      outputs_.push_back({element_type_of<T>, std::move(shape), Array<std::byte>(std::as_bytes(std::span<const T>(at, size)), workspace_.outputs)});
      places_.push_back(at);
      at += size;
    }
  }

  /// Full panels, then one as narrow as what is left allows.
  void cut_panels() {
    std::size_t lanes_before = 0;
    for (std::size_t first = 0; first < layout_.batch;) {
      const std::size_t left = layout_.batch - first;
      unsigned lanes = set_.lanes;
      if (left == 1)
        lanes = 1;
      else
        while (lanes / 2 >= left && lanes / 2 >= set_.kernel.vector_lanes) lanes /= 2;
      panels_.push_back({first, std::min<std::size_t>(left, lanes), lanes, lanes_before});
      lanes_before += lanes;
      first += panels_.back().count;
    }
  }

  /// Some members and a panel each, panel after panel of the same members, whose tables then are in L2. Returns how many threads they are worth.
  unsigned make_tasks() {
    std::uint64_t work = 0;
    std::size_t begin = 0;
    std::uint64_t in_block = 0;
    for (std::size_t m = 0; m < set_.members.size(); ++m) {
      const auto& member = set_.members[m];
      const std::uint64_t updates = member.update == Update::feed_forward ? layout_.steps : layout_.steps * member.steps;
      in_block += (member.table.edges() + 4 * member.planes) * updates;
      if (in_block * set_.lanes < worth_a_task && m + 1 < set_.members.size()) continue;
      for (std::size_t p = 0; p < panels_.size(); ++p) {
        tasks_.push_back({p, begin, m + 1});
        work += in_block * panels_[p].lanes;
      }
      begin = m + 1;
      in_block = 0;
    }
    return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(work / worth_a_thread, tasks_.size()), 1, set_.threads));
  }

  void make_arenas(unsigned workers) {
    std::uint32_t planes = 0;
    for (const auto& member : set_.members) planes = std::max(planes, member.planes);
    unsigned lanes = 1;
    for (const Panel& panel : panels_) lanes = std::max(lanes, panel.lanes);
    const std::size_t floats = std::size_t{planes} * lanes * sizeof(T) / sizeof(float);
    if (workspace_.arenas.size() < std::size_t{2} * workers) workspace_.arenas.resize(std::size_t{2} * workers);
    const bool needs_two = std::any_of(set_.members.begin(), set_.members.end(), [](const auto& member) { return member.update != Update::feed_forward; });
    for (std::size_t k = 0; k < std::size_t{2} * workers; ++k)
      if (workspace_.arenas[k].size() < floats && (k % 2 == 0 || needs_two)) workspace_.arenas[k] = base::AlignedFloats(floats);
  }

  /// States that are kept, in planes of all panels side by side; zeros where they are new.
  void find_states() {
    if (!workspace_.keeps_state) return;
    if (workspace_.batch_of_states != layout_.batch) workspace_.states.clear();
    workspace_.batch_of_states = layout_.batch;
    std::size_t lanes = 0;
    for (const Panel& panel : panels_) lanes += panel.lanes;
    for (std::size_t m = workspace_.states.size(); m < set_.members.size(); ++m) {
      const auto& member = set_.members[m];
      const std::size_t values = member.update == Update::feed_forward ? 0 : lanes * member.planes;
      workspace_.states.emplace_back(values * sizeof(T) / sizeof(float));
      std::fill_n(reinterpret_cast<T*>(workspace_.states[m].data()), values, T{0});
    }
  }

  /// Null: none is kept.
  T* state_of(std::size_t m, const Panel& panel) const {
    if (!workspace_.keeps_state) return nullptr;
    return reinterpret_cast<T*>(workspace_.states[m].data()) + panel.first_lane * set_.members[m].planes;
  }

  T* arena(unsigned worker, unsigned which) { return reinterpret_cast<T*>(workspace_.arenas[2 * worker + which].data()); }

  void load_inputs(const Member<T>& member, const Panel& panel, std::size_t step, T* planes) const {
    const TypedTensor& input = inputs_[member.input_index];
    const std::size_t first = (step * layout_.batch + panel.first) * member.inputs;
    if (input.type == ElementType::f32)
      to_planes(set_.kernel, input.as<float>().data() + first, panel.count, member.inputs, panel.lanes, planes);
    else
      to_planes(set_.kernel, input.as<double>().data() + first, panel.count, member.inputs, panel.lanes, planes);
  }

  void store_outputs(std::size_t m, const Panel& panel, std::size_t step, const T* planes) const {
    const auto& outputs = set_.members[m].outputs;
    from_planes(set_.kernel, planes, outputs, panel.lanes, panel.count, places_[m] + (step * layout_.batch + panel.first) * outputs.size());
  }

  void run_tasks(unsigned worker) {
    T* const memory = arena(worker, 0);
    for (std::size_t k = next_.fetch_add(1); k < tasks_.size(); k = next_.fetch_add(1)) {
      const Panel& panel = panels_[tasks_[k].panel];
      for (std::size_t step = 0; step < layout_.steps; ++step) {
        constexpr std::uint32_t none = 0xffffffff;
        std::uint32_t loaded = none;
        for (std::size_t m = tasks_[k].begin; m < tasks_[k].end; ++m) {
          const auto& member = set_.members[m];
          if (member.update != Update::feed_forward) continue;
          if (loaded != member.input_index) load_inputs(member, panel, step, memory);
          loaded = member.input_index;
          member.run(set_.kernel, panel.lanes, memory, memory);
          store_outputs(m, panel, step, memory);
        }
      }
      for (std::size_t m = tasks_[k].begin; m < tasks_[k].end; ++m)
        if (set_.members[m].update != Update::feed_forward)
          run_steps(m, panel, memory, arena(worker, 1), [&](const T* before, T* after) { set_.members[m].table.run(set_.kernel, panel.lanes, before, after); });
    }
  }

  /// What a member's neurons hold before the first step of a panel.
  void load_state(std::size_t m, const Panel& panel, T* planes) const {
    const std::size_t values = std::size_t{set_.members[m].planes} * panel.lanes;
    if (const T* const kept = state_of(m, panel))
      std::copy_n(kept, values, planes);
    else
      std::fill_n(planes, values, T{0});
  }

  void store_state(std::size_t m, const Panel& panel, const T* planes) const {
    if (T* const kept = state_of(m, panel)) std::copy_n(planes, std::size_t{set_.members[m].planes} * panel.lanes, kept);
  }

  /// Through the sequence; `update` computes all neurons once.
  template <typename UpdateOnce>
  void run_steps(std::size_t m, const Panel& panel, T* before, T* after, const UpdateOnce& update) {
    const auto& member = set_.members[m];
    load_state(m, panel, before);
    for (std::size_t step = 0; step < layout_.steps; ++step) {
      load_inputs(member, panel, step, before);
      std::copy_n(before, std::size_t{member.inputs} * panel.lanes, after);
      for (std::uint32_t k = 0; k < member.steps; ++k) {
        update(before, after);
        std::swap(before, after);
      }
      store_outputs(m, panel, step, before);
    }
    store_state(m, panel, before);
  }

  /// One graph, one panel, all workers.
  void run_levels(unsigned worker, Barrier& barrier) {
    const auto& member = set_.members[0];
    const Panel& panel = panels_[0];
    T* before = arena(0, 0);
    T* after = member.update == Update::feed_forward ? before : arena(0, 1);
    const bool has_state = before != after;
    if (worker == 0 && has_state) load_state(0, panel, before);
    for (std::size_t step = 0; step < layout_.steps; ++step) {
      if (worker == 0) load_inputs(member, panel, step, before);
      if (worker == 0 && has_state) std::copy_n(before, std::size_t{member.inputs} * panel.lanes, after);
      barrier.wait();
      for (std::uint32_t k = 0; k < member.steps; ++k) {
        for (const Phase& phase : member.phases) {
          if (worker < phase.parts.size()) member.table.run(set_.kernel, phase.parts[worker], panel.lanes, before, after);
          barrier.wait();
        }
        std::swap(before, after);
      }
      if (worker == 0) store_outputs(0, panel, step, before);
    }
    if (worker == 0 && has_state) store_state(0, panel, before);
  }

  const GraphSet<T>& set_;
  std::span<const TypedTensor> inputs_;
  Workspace& workspace_;
  Layout layout_;
  std::vector<Panel> panels_;
  std::vector<Task> tasks_;
  std::vector<TypedTensor> outputs_;
  std::vector<T*> places_;  ///< where each member's outputs go
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr mistake_;
};

}  // namespace

template <typename T>
std::vector<TypedTensor> GraphSet<T>::run(const Network& network, std::span<const TypedTensor> inputs, Workspace& workspace) const {
  return Run<T>(*this, network, inputs, workspace).run();
}

template struct GraphSet<float>;
template struct GraphSet<double>;

}  // namespace lacuna::engine::graphs
