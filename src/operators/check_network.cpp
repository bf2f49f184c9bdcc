// Whether the values of a network of tensors are what its operators make of them. A text or a store may claim anything.
#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "operators/operators.hpp"
#include "operators/shapes.hpp"

namespace lacuna::operators {
namespace {

struct Infer {
  const Network& network;
  const Operator& op;

  Signature operator()(const Conv& conv) const {
    for (const ValueId id : op.inputs)
      if (id == no_value || network.value(id).type != ElementType::f32) throw InputError("Conv: an input is missing or not of f32");
    if (op.inputs.empty()) throw InputError("Conv: it has no input");
    const Shape shape = infer(conv, network.value(op.inputs[0]).shape);
    if (op.inputs.size() > 1 && network.value(op.inputs[1]).shape != shape)
      throw InputError(fmt::format("Conv: a skip connection of {} for an output of {}", describe(network.value(op.inputs[1]).shape), describe(shape)));
    return {ElementType::f32, shape};
  }
  Signature operator()(const Call& call) const {
    std::vector<Argument> arguments;
    for (const ValueId id : op.inputs) {
      arguments.emplace_back();
      if (id == no_value) continue;
      const Value& value = network.value(id);
      arguments.back() = {&value.shape, value.type, value.is_constant ? &value.constant : nullptr};
    }
    return infer(call, arguments);
  }
  template <typename Layered>
  Signature operator()(const Layered&) const {
    throw InputError("linear and add belong to layered networks, not to networks of tensors");
  }
};

}  // namespace

void check(const Network& network) {
  for (const Operator& op : network.operators) {
    const Value& value = network.value(op.output);
    try {
      const Signature signature = std::visit(Infer{network, op}, op.operation);
      if (signature.type != value.type || signature.shape != value.shape)
        throw InputError(fmt::format("its operator gives {} {}, but the network says {} {}", name_of(signature.type), describe(signature.shape), name_of(value.type), describe(value.shape)));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", value.name, error.what()));
    } catch (const Unsupported& error) {
      throw Unsupported(fmt::format("{}: {}", value.name, error.what()));
    }
  }
}

}  // namespace lacuna::operators
