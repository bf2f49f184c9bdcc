// Networks of tensors on GPUs: kernels and tables are loaded once, a session holds the activations. Stretches of launches between what the host has to run are
// recorded once and run as a whole; a network that needs no host is one recording.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

#include <lacuna/error.hpp>

#include "engine/gpus/gpu_program.hpp"
#include "engine/gpus/tensor_plan.hpp"
#include "engine/tensors/explain.hpp"
#include "engine/tensors/tensor_program.hpp"
#include "operators/operators.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

/// All that sessions on a device share.
struct LoadedTensors {
  Network network;
  TensorPlan plan;
  std::shared_ptr<gpu::Device> device;
  std::vector<gpu::KernelPointer> kernels;
  std::vector<gpu::BufferPointer> tables;
  std::vector<tensors::TensorProgram::Port> inputs;
  std::uint64_t edges = 0;
};

class TensorSession final : public GpuSession {
 public:
  explicit TensorSession(std::shared_ptr<const LoadedTensors> loaded) : loaded_(std::move(loaded)) {
    for (std::size_t bytes : plan().buffer_bytes) {
      buffers_.push_back(device().allocate(bytes));
      device().fill_zero(buffers_.back(), 0, bytes);
    }
    for (std::size_t begin = 0; begin < plan().steps.size();) {
      std::size_t end = begin;
      while (end < plan().steps.size() && std::holds_alternative<std::vector<TensorPlan::Launch>>(plan().steps[end].work)) ++end;
      if (end == begin) {
        stretches_.push_back({begin, nullptr});
        ++begin;
        continue;
      }
      stretches_.push_back({begin, device().record([&] { launch(begin, end); })});
      begin = end;
    }
  }

  std::vector<TypedTensor> run(std::span<const TypedTensor> inputs, RunReport& report) override {
    tensors::check_inputs(loaded_->inputs, inputs);
    device().start_clock();
    on_host_.clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const TensorPlan::Port& port = plan().inputs[k];
      if (port.buffer == TensorPlan::no_buffer)
        on_host_[port.value] = {inputs[k].bytes.begin(), inputs[k].bytes.end()};
      else
        device().write(buffers_[port.buffer], 0, std::span(inputs[k].bytes.data(), inputs[k].bytes.size()));
    }
    for (const Stretch& stretch : stretches_) {
      if (stretch.recording)
        stretch.recording->run();
      else
        run_on_host(plan().steps[stretch.first]);
    }
    report = {};
    report.seconds = device().stop_clock();
    report.active_edges = loaded_->edges;
    return take_outputs();
  }

 private:
  struct Stretch {
    std::size_t first;                          ///< step
    std::unique_ptr<gpu::Recording> recording;  ///< null: the host runs the step
  };

  const TensorPlan& plan() const { return loaded_->plan; }
  const Network& network() const { return loaded_->network; }
  gpu::Device& device() const { return *loaded_->device; }

  void launch(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      for (const TensorPlan::Launch& launch : std::get<std::vector<TensorPlan::Launch>>(plan().steps[k].work)) {
        std::vector<gpu::Argument> arguments;
        for (const TensorPlan::Argument& argument : launch.arguments)
          arguments.emplace_back(argument.kind == TensorPlan::Argument::Kind::buffer ? buffers_[argument.index] : loaded_->tables[argument.index]);
        device().launch({loaded_->kernels[launch.program], launch.blocks_x, launch.blocks_y, std::move(arguments)});
      }
  }

  std::vector<std::byte> read_from_device(ValueId id, std::size_t buffer) const {
    std::vector<std::byte> bytes(network().value(id).shape.size() * sizeof(float));
    device().read(buffers_[buffer], 0, bytes);
    return bytes;
  }

  void run_on_host(const TensorPlan::Step& step) {
    const auto& host = std::get<TensorPlan::HostStep>(step.work);
    const Operator& op = network().operators[step.op];
    std::vector<std::vector<std::byte>> read(op.inputs.size());
    std::vector<operators::TensorView> views;
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k] == no_value) {
        views.push_back({});
        continue;
      }
      const Value& value = network().value(op.inputs[k]);
      const std::byte* data = value.constant.data();
      if (host.inputs[k] != TensorPlan::no_buffer)
        data = (read[k] = read_from_device(op.inputs[k], host.inputs[k])).data();
      else if (!value.is_constant)
        data = on_host_.at(op.inputs[k]).data();
      views.push_back({value.type, &value.shape, data});
    }
    const Value& output = network().value(op.output);
    std::vector<std::byte>& bytes = on_host_[op.output];
    bytes.resize(output.shape.size() * size_of(output.type));
    const operators::Signature signature{output.type, output.shape};
    if (const auto* call = std::get_if<Call>(&op.operation))
      operators::evaluate(*call, views, signature, bytes.data());
    else
      operators::evaluate(std::get<Conv>(op.operation), views, signature, bytes.data());
    if (host.output != TensorPlan::no_buffer) device().write(buffers_[host.output], 0, bytes);
  }

  std::vector<TypedTensor> take_outputs() {
    std::vector<TypedTensor> outputs;
    for (const TensorPlan::Port& port : plan().outputs) {
      const Value& value = network().value(port.value);
      TypedTensor tensor{value.type, {value.shape.extents.begin(), value.shape.extents.end()}, value.constant};
      if (port.buffer != TensorPlan::no_buffer)
        tensor.bytes = read_from_device(port.value, port.buffer);
      else if (!value.is_constant)
        tensor.bytes = on_host_.at(port.value);
      outputs.push_back(std::move(tensor));
    }
    return outputs;
  }

  std::shared_ptr<const LoadedTensors> loaded_;
  std::vector<gpu::BufferPointer> buffers_;
  std::vector<Stretch> stretches_;
  std::map<ValueId, std::vector<std::byte>> on_host_;
};

class TensorsOnGpu final : public GpuProgram {
 public:
  TensorsOnGpu(std::shared_ptr<const LoadedTensors> loaded, std::size_t devices) : loaded_(std::move(loaded)), devices_(devices) {}

  std::unique_ptr<GpuSession> open() const override { return std::make_unique<TensorSession>(loaded_); }

  std::string print_plan() const override {
    std::string text;
    for (std::size_t k = 0; k < loaded_->network.operators.size(); ++k)
      fmt::format_to(std::back_inserter(text), "{}: {}\n", loaded_->network.value(loaded_->network.operators[k].output).name, loaded_->plan.kernels[k]);
    return text;
  }

  std::string explain() const override {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "device       {}\n", loaded_->device->limits().name);
    if (devices_ > 1) fmt::format_to(out, "             a network of tensors runs on the first of {} devices: its batch is fixed\n", devices_);
    std::size_t bytes = 0, on_host = 0;
    for (std::size_t of_buffer : loaded_->plan.buffer_bytes) bytes += of_buffer;
    fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6}  {}\n", "layer", "kind", "output", "zeros", "kernel");
    for (const LayerReport& layer : layers()) {
      fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6}  {}\n", layer.name.substr(0, 24), layer.kind, layer.shape, layer.dense_edges > 0 ? fmt::format("{:.1f}%", 100 * layer.sparsity) : "",
                     layer.kernel);
      on_host += layer.kernel.starts_with("on the host") ? 1 : 0;
    }
    fmt::format_to(out, "{} kernels, {:.1f} MB of activations, {} of {} operators on the host\n", loaded_->plan.programs.size(), static_cast<double>(bytes) * 1e-6, on_host,
                   loaded_->network.operators.size());
    return text;
  }

  std::string kernel_text(gpu::Language language) const override { return plan::gpus::kernel_text(loaded_->plan.programs, language); }

  std::vector<LayerReport> layers() const override {
    std::vector<LayerReport> reports;
    for (std::size_t k = 0; k < loaded_->network.operators.size(); ++k) {
      reports.push_back(tensors::describe(loaded_->network, loaded_->network.operators[k]));
      reports.back().kernel = loaded_->plan.kernels[k];
    }
    return reports;
  }

 private:
  std::shared_ptr<const LoadedTensors> loaded_;
  std::size_t devices_;
};

}  // namespace

std::unique_ptr<GpuProgram> compile_tensors(const Network& network, Devices devices, const GpuOptions& options) {
  gpu::Device& device = *devices.front();
  auto loaded = std::make_shared<LoadedTensors>();
  loaded->network = network;
  loaded->device = devices.front();
  TensorTarget target{device.language(), std::max(device.limits().multiprocessors, 1u)};
  loaded->plan = plan_tensors(network, target, options.kernel);
  if (!loaded->plan.programs.empty()) loaded->kernels = plan::gpus::load_kernels(loaded->plan.programs, device);
  for (const std::vector<std::uint32_t>& table : loaded->plan.tables) {
    loaded->tables.push_back(device.allocate(table.size() * sizeof(std::uint32_t)));
    device.write(loaded->tables.back(), 0, std::as_bytes(std::span(table)));
  }
  for (ValueId id : network.all_inputs()) {
    const Value& value = network.value(id);
    loaded->inputs.push_back({value.name, value.type, value.shape, {}, {}});
  }
  for (const Operator& op : network.operators)
    if (std::holds_alternative<Conv>(op.operation)) loaded->edges += tensors::describe(network, op).edges;
  return std::make_unique<TensorsOnGpu>(std::move(loaded), devices.size());
}

}  // namespace lacuna::engine::gpus
