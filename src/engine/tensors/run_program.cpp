#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include <lacuna/error.hpp>

#include "base/team.hpp"
#include "engine/tensors/tensor_program.hpp"

namespace lacuna::engine::tensors {

void TensorProgram::check_inputs(std::span<const TypedTensor> tensors) const { engine::tensors::check_inputs(inputs, tensors); }

void check_inputs(std::span<const TensorProgram::Port> ports, std::span<const TypedTensor> tensors) {
  if (tensors.size() != ports.size()) throw InputError(fmt::format("{} inputs given; the network has {}", tensors.size(), ports.size()));
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const TensorProgram::Port& port = ports[k];
    const std::vector<std::size_t> expected(port.shape.extents.begin(), port.shape.extents.end());
    if (tensors[k].type != port.type)
      throw InputError(fmt::format("input {} holds {}; the network takes {} there", port.name, name_of(tensors[k].type), name_of(port.type)));
    if (tensors[k].shape != expected)
      throw InputError(fmt::format("input {} has the shape {}; the network was compiled for {}", port.name, fmt::join(tensors[k].shape, "x"), fmt::join(expected, "x")));
    if (tensors[k].bytes.size() != tensors[k].size() * size_of(port.type))
      throw InputError(fmt::format("input {} has {} bytes for {} elements", port.name, tensors[k].bytes.size(), tensors[k].size()));
  }
}

void TensorProgram::run(std::byte* arena, std::span<const TypedTensor> tensors, std::vector<double>* seconds) const {
  const Frame frame{arena, &offsets};
  if (front) {
    run_front(arena, tensors[0].bytes.span(), frame.at(front->target), seconds);
  } else {
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (!tensors[k].bytes.empty()) std::memcpy(frame.at(inputs[k].memory.buffer), tensors[k].bytes.data(), tensors[k].bytes.size());
  }
  run_steps(frame, seconds);
}

/// Every thread takes its inputs, one at a time, from the first step to the last.
void TensorProgram::run_front(std::byte* arena, std::span<const std::byte> input, std::byte* output, std::vector<double>* seconds) const {
  const TensorProgram& one = *front->program;
  const std::size_t input_bytes = input.size() / front->batch, output_bytes = one.outputs[0].shape.size() * size_of(one.outputs[0].type);
  std::vector<std::vector<double>> of_worker(threads, std::vector<double>(seconds == nullptr ? 0 : seconds->size(), 0.0));
  base::run_team(threads, [&](unsigned worker) {
    const Frame frame{arena + front->arena_offset + worker * front->arena_step, &one.offsets};
    for (std::size_t k = worker; k < front->batch; k += threads) {
      std::memcpy(frame.at(one.inputs[0].memory.buffer), input.data() + k * input_bytes, input_bytes);
      one.run_steps(frame, seconds == nullptr ? nullptr : &of_worker[worker]);
      std::memcpy(output + k * output_bytes, frame.at(one.outputs[0].memory), output_bytes);
    }
  });
  for (const std::vector<double>& some : of_worker)
    for (std::size_t k = 0; k < some.size(); ++k) (*seconds)[k] += some[k] / threads;
}

void TensorProgram::run_steps(const Frame& frame, std::vector<double>* seconds) const {
  dense::use_threads(threads);
  for (const StepOf& step : steps) {
    const auto start = std::chrono::steady_clock::now();
    step.step->run(frame);
    if (seconds != nullptr) (*seconds)[step.op] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
}

std::vector<TypedTensor> TensorProgram::take_outputs(const std::byte* arena) const {
  std::vector<TypedTensor> taken;
  for (const Port& port : outputs) {
    TypedTensor tensor{port.type, {port.shape.extents.begin(), port.shape.extents.end()}, port.constant};
    if (port.memory.buffer != Operand::no_buffer) {
      std::vector<std::byte> bytes(tensor.size() * size_of(port.type));
      if (!bytes.empty()) std::memcpy(bytes.data(), arena + offsets[port.memory.buffer], bytes.size());
      tensor.bytes = std::move(bytes);
    }
    taken.push_back(std::move(tensor));
  }
  return taken;
}

}  // namespace lacuna::engine::tensors
