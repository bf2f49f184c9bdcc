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

Frame TensorProgram::frame_in(std::byte* arena) const {
  Frame frame;
  frame.buffers.reserve(offsets.size());
  for (std::size_t offset : offsets) frame.buffers.push_back(arena + offset);
  frame.of_threads = reinterpret_cast<float*>(arena + thread_memory);
  frame.thread_pitch = thread_pitch;
  return frame;
}

std::vector<TypedTensor> TensorProgram::run(std::byte* arena, std::span<const TypedTensor> tensors, OutputMemory& memory, std::vector<double>* seconds) const {
  Frame frame = frame_in(arena);
  if (!front)
    for (std::size_t k = 0; k < inputs.size(); ++k) frame.buffers[inputs[k].memory.buffer] = const_cast<std::byte*>(tensors[k].bytes.data());  // no step writes there
  std::vector<TypedTensor> results;
  std::vector<std::byte*> targets;
  for (const Port& port : outputs) {
    TypedTensor& result = results.emplace_back(TypedTensor{port.type, {port.shape.extents.begin(), port.shape.extents.end()}, port.constant});
    const std::size_t buffer = port.memory.buffer;
    OutputMemory::Block block;
    if (buffer != Operand::no_buffer) {
      block = memory.take(targets.size(), result.size() * size_of(port.type));
      result.bytes = block.bytes;
      const bool is_elsewhere = frame.at(buffer) != arena + offsets[buffer];  // an input, or an output given out twice
      if (!is_elsewhere) frame.buffers[buffer] = block.data;
    }
    targets.push_back(block.data);
  }
  if (front) run_front(arena, tensors[0].bytes.span(), frame.at(front->target), seconds);
  run_steps(frame, seconds);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::size_t buffer = outputs[k].memory.buffer, bytes = results[k].bytes.size();
    if (buffer != Operand::no_buffer && bytes > 0 && frame.at(buffer) != targets[k]) std::memcpy(targets[k], frame.at(buffer), bytes);
  }
  return results;
}

/// Every thread takes its inputs, one or a few at a time, from the first step to the last.
void TensorProgram::run_front(std::byte* arena, std::span<const std::byte> input, std::byte* output, std::vector<double>* seconds) const {
  const TensorProgram& one = *front->program;
  const std::size_t input_bytes = input.size() / front->runs;
  std::vector<std::vector<double>> of_worker(threads, std::vector<double>(seconds == nullptr ? 0 : seconds->size(), 0.0));
  base::run_team(threads, [&](unsigned worker) {
    std::byte* const memory = arena + front->arena_offset + worker * front->arena_step;
    std::vector<double>* const taken = seconds == nullptr ? nullptr : &of_worker[worker];
    Frame frame = one.frame_in(memory);
    for (std::size_t k = worker; k < front->runs; k += threads) {
      const std::span<const std::byte> inputs_of_run = input.subspan(k * input_bytes, input_bytes);
      if (one.front)
        one.run_front(memory, inputs_of_run, frame.at(one.front->target), taken);
      else
        frame.buffers[one.inputs[0].memory.buffer] = const_cast<std::byte*>(inputs_of_run.data());
      frame.buffers[one.outputs[0].memory.buffer] = output + k * front->target_step;
      one.run_steps(frame, taken);
    }
  });
  for (const std::vector<double>& some : of_worker)
    for (std::size_t k = 0; k < some.size(); ++k) (*seconds)[k] += some[k] / threads;
}

void TensorProgram::run_steps(Frame& frame, std::vector<double>* seconds) const {
  dense::use_threads(threads);
  frame.seconds = seconds;
  for (const StepOf& step : steps) {
    const auto start = std::chrono::steady_clock::now();
    step.step->run(frame);
    if (seconds != nullptr && !step.tells_time) (*seconds)[step.op] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
}

}  // namespace lacuna::engine::tensors
