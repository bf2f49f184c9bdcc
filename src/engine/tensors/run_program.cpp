#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include <lacuna/error.hpp>

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
  dense::use_threads(threads);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (!tensors[k].bytes.empty()) std::memcpy(frame.at(inputs[k].memory.buffer), tensors[k].bytes.data(), tensors[k].bytes.size());
  if (seconds == nullptr) {
    for (const StepOf& step : steps) step.step->run(frame);
    return;
  }
  seconds->resize(steps.size(), 0.0);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto start = std::chrono::steady_clock::now();
    steps[k].step->run(frame);
    (*seconds)[k] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
