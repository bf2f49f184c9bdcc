// Neuron graphs on GPUs: a population's tables on every device, the inputs of a batch divided among them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "engine/gpus/gpu_program.hpp"
#include "engine/gpus/graph_runner.hpp"
#include "engine/graphs/layout.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

/// What sessions and programs with other weights share.
struct GraphSet {
  Network network;
  plan::gpus::PackedGraphs packed;
  std::vector<LoadedGraphs> loaded;  ///< for each device

  bool has_state() const {
    return std::any_of(packed.groups.begin(), packed.groups.end(), [](const auto& group) { return group.update != Update::feed_forward; });
  }
};

class GraphSession : public GpuSession {
 public:
  explicit GraphSession(std::shared_ptr<const GraphSet> set) : set_(std::move(set)) {
    for (const LoadedGraphs& loaded : set_->loaded) runners_.emplace_back(set_->packed, loaded);
  }

  std::vector<TypedTensor> run(std::span<const TypedTensor> inputs, RunReport& report) override {
    const graphs::Layout layout = graphs::layout_of(set_->network, inputs);
    GraphInputs given = in_floats(inputs, layout);
    if (!set_->has_state()) given.batch *= given.steps, given.steps = 1;  // nothing goes from step to step
    make_outputs(layout.steps * layout.batch);
    report = {};
    if (given.batch > 0 && given.steps > 0) report.seconds = run_shares(given);
    for (const Operator& op : set_->network.operators) {
      const auto& graph = std::get<NeuronGraph>(op.operation);
      report.active_edges += graph.weights.size() * layout.steps * layout.batch * (graph.update == Update::feed_forward ? 1 : graph.steps);
    }
    return tensors(layout);
  }

  void keep_state(bool keeps) override {
    keeps_state_ = keeps;
    for (GraphRunner& runner : runners_) runner.forget_state();
  }

 private:
  GraphInputs in_floats(std::span<const TypedTensor> inputs, const graphs::Layout& layout) {
    GraphInputs given{{}, layout.steps, layout.batch};
    converted_.resize(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].type == ElementType::f64) {
        converted_[k].resize(inputs[k].size());
        std::transform(inputs[k].as<double>().begin(), inputs[k].as<double>().end(), converted_[k].begin(), [](double value) { return static_cast<float>(value); });
        given.rows.emplace_back(converted_[k]);
      } else {
        given.rows.push_back(inputs[k].as<float>());
      }
    }
    return given;
  }

  /// Outputs that a caller still holds stay as they are.
  void make_outputs(std::size_t rows) {
    const std::size_t floats = rows * set_->packed.tables.outputs.size();
    if (!outputs_ || outputs_.use_count() > 1 || outputs_->size() < floats) outputs_ = std::make_shared<base::AlignedFloats>(floats);
  }

  /// Each device has a run of inputs, in whole blocks; all work at once. Returns the seconds of the slowest.
  double run_shares(const GraphInputs& given) {
    constexpr std::size_t block = 128;
    const std::size_t share = (given.batch + runners_.size() * block - 1) / (runners_.size() * block) * block;
    struct Work {
      GraphRunner* runner;
      std::size_t first, count, at_once, done = 0;
    };
    std::vector<Work> works;
    for (std::size_t first = 0; first < given.batch; first += share) {
      GraphRunner& runner = runners_[works.size()];
      const std::size_t count = std::min(share, given.batch - first);
      works.push_back({&runner, first, count, runner.begin(given, first, count, keeps_state_)});
    }
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (Work& work : works)
        if (work.done < work.count) work.runner->start(given, work.done, std::min(work.at_once, work.count - work.done));
      for (Work& work : works) {
        if (work.done == work.count) continue;
        const std::size_t count = std::min(work.at_once, work.count - work.done);
        place(work.runner->finish(), given, work.first + work.done, count);
        work.done += count;
        is_done = is_done && work.done == work.count;
      }
    }
    double seconds = 0;
    for (const Work& work : works) seconds = std::max(seconds, work.runner->seconds());
    return seconds;
  }

  /// [graph][step][input of the chunk][output] -> [graph][step][input of the batch][output]
  void place(std::span<const float> results, const GraphInputs& given, std::size_t first, std::size_t count) {
    float* to = outputs_->data();
    const float* from = results.data();
    for (const Operator& op : set_->network.operators) {
      const std::size_t outputs = std::get<NeuronGraph>(op.operation).outputs.size();
      for (std::size_t step = 0; step < given.steps; ++step, from += count * outputs) std::copy_n(from, count * outputs, to + (step * given.batch + first) * outputs);
      to += given.steps * given.batch * outputs;
    }
  }

  std::vector<TypedTensor> tensors(const graphs::Layout& layout) const {
    std::vector<TypedTensor> all;
    const float* at = outputs_->data();
    for (const Operator& op : set_->network.operators) {
      const std::size_t outputs = std::get<NeuronGraph>(op.operation).outputs.size(), size = layout.steps * layout.batch * outputs;
      std::vector<std::size_t> shape{layout.batch, outputs};
      if (layout.has_steps) shape.insert(shape.begin(), layout.steps);
      all.push_back({ElementType::f32, std::move(shape), Array<std::byte>(std::as_bytes(std::span(at, size)), outputs_)});
      at += size;
    }
    return all;
  }

  std::shared_ptr<const GraphSet> set_;
  std::vector<GraphRunner> runners_;
  std::vector<std::vector<float>> converted_;
  std::shared_ptr<base::AlignedFloats> outputs_;
  bool keeps_state_ = false;
};

class GraphProgram : public GpuProgram {
 public:
  explicit GraphProgram(std::shared_ptr<const GraphSet> set) : set_(std::move(set)) {}

  std::unique_ptr<GpuSession> open() const override { return std::make_unique<GraphSession>(set_); }

  std::string print_plan() const override {
    std::string text = fmt::format("neuron graphs: {}, f32\n", set_->network.operators.size());
    for (std::size_t g = 0; g < set_->packed.groups.size(); ++g) {
      const plan::gpus::GraphGroup& group = set_->packed.groups[g];
      const plan::gpus::GraphPlan plan = plan_of(g);
      const kernel::GraphShape& shape = plan.shape;
      fmt::format_to(std::back_inserter(text), "  {} with up to {} nodes: {} neurons, {} edges, {} levels; {}, {} inputs a thread, {} warp{} a block, state in {} memory\n", group.count,
                     group.planes, group.rows, group.edges, group.levels, plan.is_in_parts ? "a launch for each level" : "a block for each graph and tile of inputs",
                     shape.inputs_of_thread, shape.warps, shape.warps == 1 ? "" : "s", shape.is_in_shared ? "shared" : "global");
    }
    return text;
  }

  std::string explain() const override {
    const gpu::Limits& limits = set_->loaded[0].device->limits();
    return print_plan() + fmt::format("for {} inputs on {}; {} bytes of shared memory hold the state where it fits, threads have several inputs where blocks are enough for {} multiprocessors\n",
                                      shown_inputs, limits.name, limits.shared_bytes, limits.multiprocessors);
  }

  std::string kernel_text(gpu::Language language) const override {
    using kernel::GraphPart;
    std::vector<kernel::ThreadProgram> programs{kernel::rows_to_columns()};
    for (std::size_t g = 0; g < set_->packed.groups.size(); ++g) {
      const plan::gpus::GraphPlan plan = plan_of(g);
      if (!plan.is_in_parts) {
        programs.push_back(kernel::neuron_graph(plan.shape, GraphPart::whole));
        continue;
      }
      for (const GraphPart part : {GraphPart::inputs, GraphPart::rows, GraphPart::outputs}) programs.push_back(kernel::neuron_graph(plan.shape, part));
      if (plan.shape.update != Update::feed_forward)
        for (const GraphPart part : {GraphPart::begin_state, GraphPart::end_state}) programs.push_back(kernel::neuron_graph(plan.shape, part));
    }
    return plan::gpus::kernel_text(programs, language);
  }

  std::unique_ptr<GpuProgram> with_weights(const Network& network) const override {
    auto changed = std::make_shared<GraphSet>(GraphSet{network, plan::gpus::pack_graphs(network, base::thread_count(0)), {}});
    for (const LoadedGraphs& loaded : set_->loaded) changed->loaded.push_back(load_graphs(changed->packed.tables, loaded.device, loaded.kernels));
    return std::make_unique<GraphProgram>(std::move(changed));
  }

 private:
  static constexpr std::uint64_t shown_inputs = 1024;
  plan::gpus::GraphPlan plan_of(std::size_t group) const {
    return plan::gpus::plan_group(set_->packed.groups[group], set_->packed.kinds, set_->loaded[0].device->limits(), shown_inputs);
  }

  std::shared_ptr<const GraphSet> set_;
};

}  // namespace

std::unique_ptr<GpuProgram> compile_graphs(const Network& network, Devices devices, const GpuOptions& options) {
  if (options.kernel == plan::KernelWish::baked || options.kernel == plan::KernelWish::dense) throw Unsupported("neuron graphs have the table kernel only; leave --kernel out");
  auto set = std::make_shared<GraphSet>(GraphSet{network, plan::gpus::pack_graphs(network, base::thread_count(0)), {}});
  for (auto& device : devices) {
    auto kernels = std::make_shared<KernelCache>(device);
    set->loaded.push_back(load_graphs(set->packed.tables, std::move(device), std::move(kernels)));
  }
  return std::make_unique<GraphProgram>(std::move(set));
}

}  // namespace lacuna::engine::gpus
