// Session: runs batches through a compiled program.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "engine/batch.hpp"
#include "engine/compiled.hpp"
#include "engine/executor.hpp"
#include "passes/pass_list.hpp"

namespace lacuna {

Session::Session(std::shared_ptr<const engine::Compiled> compiled)
    : compiled_(std::move(compiled)), workspaces_(std::make_unique<engine::Workspaces>()) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

namespace {

engine::gpus::GpuSession& gpu_session(const engine::Compiled& compiled, std::unique_ptr<engine::Arena>& arena) {
  if (!arena) arena = std::make_unique<engine::Arena>();
  if (!arena->gpu) arena->gpu = compiled.gpu->open();
  return *arena->gpu;
}

Outputs run_batch(const engine::Compiled& program, const engine::Batch& batch, engine::Workspaces& workspaces, std::unique_ptr<engine::Arena>& arena, Outputs& spare, RunReport& report) {
  if (program.gpu) return gpu_session(program, arena).run(batch, report);
  if (program.graphs) throw Unsupported("neuron graphs take dense inputs; give them a Tensor or TypedTensors");
  if (program.tensors) throw Unsupported("a network of tensors takes dense inputs; give it a Tensor or TypedTensors");
  if (batch.size() > 0 && batch.width() != program.rows.input.count)
    throw InputError(fmt::format("the inputs have {} values each, but the network's input has {} neurons", batch.width(), program.rows.input.count));
  const auto is_on = [&](std::string_view name) { return passes::is_selected(program.optimisations, name); };
  const engine::ExecutorOptions options{program.threads, is_on("dead_inputs"), is_on("equal_inputs"), is_on("depth_first")};
  const plan::CountedLayer* const counted = program.counted ? &*program.counted : nullptr;
  return engine::execute(program.rows, program.plan, counted, options, batch, workspaces, std::exchange(spare, {}), report);
}

std::vector<TypedTensor> run_tensors(const engine::Compiled& compiled, std::span<const TypedTensor> inputs, std::unique_ptr<engine::Arena>& arena, RunReport& report,
                                     std::vector<double>* seconds) {
  const engine::tensors::TensorProgram& program = compiled.tensors->program;
  program.check_inputs(inputs);
  if (!arena) {
    arena = std::make_unique<engine::Arena>(engine::Arena{base::AlignedFloats(program.arena_bytes / sizeof(float))});
    std::memset(arena->memory.data(), 0, program.arena_bytes);  // its pages are touched here, not in the first run
  }
  auto* const memory = reinterpret_cast<std::byte*>(arena->memory.data());
  const auto start = std::chrono::steady_clock::now();
  std::vector<TypedTensor> outputs = program.run(memory, inputs, arena->outputs, seconds);
  report = {};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.active_edges = compiled.tensors->edges_left;
  return outputs;
}

std::vector<TypedTensor> run_graphs(const engine::Compiled& compiled, std::span<const TypedTensor> inputs, std::unique_ptr<engine::Arena>& arena, RunReport& report) {
  if (!arena) arena = std::make_unique<engine::Arena>();
  const auto start = std::chrono::steady_clock::now();
  auto outputs = std::visit([&](const auto& set) { return set.run(compiled.network, inputs, arena->graphs); }, *compiled.graphs);
  report = {};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const Operator& op : compiled.network.operators) {
    const auto& graph = std::get<NeuronGraph>(op.operation);
    const std::size_t rows = inputs.empty() || graph.inputs == 0 ? 0 : inputs[0].size() / graph.inputs;
    report.active_edges += graph.weights.size() * rows * (graph.update == Update::feed_forward ? 1 : graph.steps);
  }
  return outputs;
}

}  // namespace

Outputs Session::run(const SparseMatrix& inputs) { return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, arena_, spare_, report_); }
Outputs Session::run(const BitMatrix& inputs) { return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, arena_, spare_, report_); }
Outputs Session::run(const Tensor& inputs) {
  if (!compiled_->network.has_batch_in_shapes && !compiled_->network.has_neuron_graphs()) return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, arena_, spare_, report_);
  const TypedTensor input = make_tensor<float>(inputs.shape, inputs.values);
  const TypedTensor output = run(std::span(&input, 1)).front();
  if (output.type != ElementType::f32) throw Unsupported(fmt::format("the network's output holds {}; run it with TypedTensors", name_of(output.type)));
  const std::span<const float> values = output.as<float>();
  Outputs outputs{.inputs = inputs.rows(), .width = inputs.rows() == 0 ? 0 : values.size() / inputs.rows(), .survivors = {}, .rows = {}, .values = {values.begin(), values.end()}};
  for (std::uint32_t row = 0; row < outputs.inputs; ++row) {
    const auto of_row = values.subspan(row * outputs.width, outputs.width);
    if (std::all_of(of_row.begin(), of_row.end(), [](float value) { return value == 0; })) continue;
    outputs.survivors.push_back(row);
    outputs.rows.push_back(row);
  }
  return outputs;
}

std::vector<TypedTensor> Session::run(std::span<const TypedTensor> inputs) {
  if (compiled_->gpu) return gpu_session(*compiled_, arena_).run(inputs, report_);
  if (compiled_->graphs) return run_graphs(*compiled_, inputs, arena_, report_);
  if (!compiled_->tensors) throw Unsupported("a layered network takes one Tensor, SparseMatrix or BitMatrix");
  return run_tensors(*compiled_, inputs, arena_, report_, nullptr);
}

void Session::keep_state(bool keeps) {
  if (compiled_->gpu) return gpu_session(*compiled_, arena_).keep_state(keeps);
  if (!compiled_->graphs) throw Unsupported("only neuron graphs have a state to keep");
  if (!arena_) arena_ = std::make_unique<engine::Arena>();
  arena_->graphs.keeps_state = keeps;
  arena_->graphs.states.clear();
}

std::vector<TypedTensor> Session::run_profiled(std::span<const TypedTensor> inputs, std::vector<double>& seconds) {
  if (!compiled_->tensors) throw Unsupported("only networks of tensors are profiled operator by operator");
  seconds.assign(compiled_->network.operators.size(), 0.0);
  return run_tensors(*compiled_, inputs, arena_, report_, &seconds);
}

Tensor Outputs::to_tensor() const {
  Tensor tensor{{inputs, width}, std::vector<float>(inputs * width, 0.0f)};
  for (std::size_t k = 0; k < survivors.size(); ++k)
    std::copy_n(of(k).begin(), width, tensor.values.begin() + static_cast<std::ptrdiff_t>(survivors[k] * width));
  return tensor;
}

}  // namespace lacuna
