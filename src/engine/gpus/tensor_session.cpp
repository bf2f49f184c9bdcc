#include "engine/gpus/tensor_session.hpp"

#include "operators/operators.hpp"

namespace lacuna::engine::gpus {

TensorSession::TensorSession(std::shared_ptr<const LoadedTensors> loaded) : loaded_(std::move(loaded)) {
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

std::vector<TypedTensor> TensorSession::run(std::span<const TypedTensor> inputs, RunReport& report) {
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
    else if (loaded_->works[stretch.first])
      run_in_library(stretch.first);
    else
      run_on_host(plan().steps[stretch.first]);
  }
  report = {};
  report.seconds = device().stop_clock();
  report.active_edges = loaded_->edges;
  return take_outputs();
}

const gpu::BufferPointer& TensorSession::at(const TensorPlan::Argument& argument) const {
  return argument.kind == TensorPlan::Argument::Kind::buffer ? buffers_[argument.index] : loaded_->tables[argument.index];
}

void TensorSession::launch(std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k)
    for (const TensorPlan::Launch& launch : std::get<std::vector<TensorPlan::Launch>>(plan().steps[k].work)) {
      std::vector<gpu::Argument> arguments;
      for (const TensorPlan::Argument& argument : launch.arguments) arguments.emplace_back(at(argument));
      device().launch({loaded_->kernels[launch.program], launch.blocks_x, launch.blocks_y, std::move(arguments)});
    }
}

void TensorSession::run_in_library(std::size_t step) {
  const auto& library = std::get<TensorPlan::LibraryStep>(plan().steps[step].work);
  loaded_->works[step]->run(at(library.source), at(library.weights), at(library.output));
}

double TensorSession::time_layers(int rounds) {
  device().start_clock();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < plan().steps.size(); ++k) {
      const TensorPlan::Step& step = plan().steps[k];
      if (std::holds_alternative<std::vector<TensorPlan::Launch>>(step.work) && !step.is_copy) launch(k, k + 1);
      if (loaded_->works[k]) run_in_library(k);
    }
  return device().stop_clock() / rounds;
}

std::vector<std::byte> TensorSession::read_from_device(ValueId id, std::size_t buffer) const {
  std::vector<std::byte> bytes(network().value(id).shape.size() * sizeof(float));
  device().read(buffers_[buffer], 0, bytes);
  return bytes;
}

void TensorSession::run_on_host(const TensorPlan::Step& step) {
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

std::vector<TypedTensor> TensorSession::take_outputs() {
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

}  // namespace lacuna::engine::gpus
