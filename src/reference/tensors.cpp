// Networks of tensors: every operator, one after another, by the plain loops of src/operators.
#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "operators/operators.hpp"
#include "reference/reference.hpp"

namespace lacuna::reference {
namespace {

/// Elements of the values that are known, by ValueId.
using Memory = std::vector<Array<std::byte>>;

/// Borrowed memory may stand anywhere; elements are read where they are aligned.
Array<std::byte> aligned(const Array<std::byte>& bytes, ElementType type) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(type) == 0) return bytes;
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

void check_input(const Value& value, const TypedTensor& tensor) {
  const bool same = tensor.type == value.type && std::equal(tensor.shape.begin(), tensor.shape.end(), value.shape.extents.begin(), value.shape.extents.end());
  if (!same || tensor.bytes.size() != value.shape.size() * size_of(value.type))
    throw InputError(fmt::format("the input {} is {} {} of {} bytes; expected {} {}", value.name, name_of(tensor.type), fmt::join(tensor.shape, "x"), tensor.bytes.size(),
                                 name_of(value.type), to_string(value.shape)));
}

struct Compute {
  std::span<const operators::TensorView> inputs;
  const operators::Signature& signature;
  std::byte* output;

  void operator()(const Conv& conv) const { operators::evaluate(conv, inputs, signature, output); }
  void operator()(const Call& call) const { operators::evaluate(call, inputs, signature, output); }
  template <typename Layered>
  void operator()(const Layered&) const {
    throw InputError("linear and add belong to layered networks, not to networks of tensors");
  }
};

Array<std::byte> compute(const Network& network, const Operator& op, const Memory& memory) {
  std::vector<operators::TensorView> views;
  for (const ValueId id : op.inputs) {
    views.emplace_back();
    if (id != no_value) views.back() = {network.value(id).type, &network.value(id).shape, memory[static_cast<std::size_t>(id)].data()};
  }
  const Value& value = network.value(op.output);
  std::vector<std::byte> output(value.shape.size() * size_of(value.type));
  std::visit(Compute{views, {value.type, value.shape}, output.data()}, op.operation);
  return output;
}

}  // namespace

std::vector<TypedTensor> evaluate(const Network& network, std::span<const TypedTensor> inputs) {
  const std::vector<ValueId> input_ids = network.all_inputs();
  const std::vector<ValueId> output_ids = network.all_outputs();
  if (inputs.size() != input_ids.size()) throw InputError(fmt::format("{} inputs for a network of {}", inputs.size(), input_ids.size()));
  operators::check(network);
  Memory memory(network.values.size());
  for (std::size_t k = 0; k < memory.size(); ++k)
    if (network.values[k].is_constant) memory[k] = aligned(network.values[k].constant, network.values[k].type);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    check_input(network.value(input_ids[k]), inputs[k]);
    memory[static_cast<std::size_t>(input_ids[k])] = aligned(inputs[k].bytes, inputs[k].type);
  }
  std::vector<std::size_t> reads_left(network.values.size(), 0);  // values go with their last reader
  for (const Operator& op : network.operators)
    for (const ValueId id : op.inputs)
      if (id != no_value) ++reads_left[static_cast<std::size_t>(id)];
  for (const ValueId id : output_ids) ++reads_left[static_cast<std::size_t>(id)];
  for (const Operator& op : network.operators) {
    memory[static_cast<std::size_t>(op.output)] = compute(network, op, memory);
    for (const ValueId id : op.inputs)
      if (id != no_value && --reads_left[static_cast<std::size_t>(id)] == 0) memory[static_cast<std::size_t>(id)] = {};
  }
  std::vector<TypedTensor> outputs;
  for (const ValueId id : output_ids) {
    const Value& value = network.value(id);
    outputs.push_back({value.type, {value.shape.extents.begin(), value.shape.extents.end()}, memory[static_cast<std::size_t>(id)]});
  }
  return outputs;
}

}  // namespace lacuna::reference
