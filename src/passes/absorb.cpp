#include "passes/absorb.hpp"

namespace lacuna::passes {

std::vector<unsigned> count_reads(const Network& network) {
  std::vector<unsigned> reads(network.values.size(), 0);
  for (const Operator& op : network.operators)
    for (ValueId id : op.inputs)
      if (id != no_value) ++reads[static_cast<std::size_t>(id)];
  for (ValueId id : network.all_outputs()) ++reads[static_cast<std::size_t>(id)];
  return reads;
}

Network absorb_into_convs(Network network, const Absorb& absorb) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  const std::vector<unsigned> reads = count_reads(network);
  std::vector<std::size_t> conv_of(network.values.size(), none);
  std::vector<bool> gone(network.operators.size(), false);
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    for (std::size_t at = 0; at < network.operators[k].inputs.size(); ++at) {
      const ValueId id = network.operators[k].inputs[at];
      if (id == no_value || reads[static_cast<std::size_t>(id)] != 1 || conv_of[static_cast<std::size_t>(id)] == none) continue;
      const std::size_t source = conv_of[static_cast<std::size_t>(id)];
      Operator conv = network.operators[source];
      if (!absorb(network, conv, network.operators[k], at)) continue;
      conv.output = network.operators[k].output;
      network.operators[k] = std::move(conv);
      gone[source] = true;
      break;
    }
    if (std::holds_alternative<Conv>(network.operators[k].operation)) conv_of[static_cast<std::size_t>(network.operators[k].output)] = k;
  }
  std::vector<Operator> kept;
  for (std::size_t k = 0; k < gone.size(); ++k)
    if (!gone[k]) kept.push_back(std::move(network.operators[k]));
  network.operators = std::move(kept);
  return network;
}

std::span<const float> floats_of(const Value& constant) {
  return {reinterpret_cast<const float*>(constant.constant.data()), constant.constant.size() / sizeof(float)};
}

std::optional<std::span<const float>> channel_constant(const Network& network, ValueId id, const Shape& of) {
  if (id == no_value) return std::nullopt;
  const Value& value = network.value(id);
  if (!value.is_constant || value.type != ElementType::f32 || value.shape.extents.size() > of.extents.size() || of.extents.size() < 2) return std::nullopt;
  if (value.shape.size() == 1) return floats_of(value);
  const std::size_t missing = of.extents.size() - value.shape.extents.size();  // axes that broadcasting adds in front
  for (std::size_t axis = 0; axis < value.shape.extents.size(); ++axis)
    if (value.shape.extents[axis] != (axis + missing == 1 ? of.extents[1] : 1u)) return std::nullopt;
  return floats_of(value);
}

}  // namespace lacuna::passes
