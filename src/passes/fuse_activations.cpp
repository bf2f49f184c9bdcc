// Activations after a convolution: the convolution applies them itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/attributes.hpp"
#include "passes/absorb.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// A bound of Clip: a constant, or nothing if it is missing; NaN if it is known only when the network runs.
float bound(const Network& network, const Operator& op, std::size_t at, float otherwise) {
  if (at >= op.inputs.size() || op.inputs[at] == no_value) return otherwise;
  const Value& value = network.value(op.inputs[at]);
  return value.is_constant && value.type == ElementType::f32 && value.shape.size() == 1 ? floats_of(value)[0] : std::numeric_limits<float>::quiet_NaN();
}

std::optional<Activation> of_clip(const Network& network, const Operator& op) {
  constexpr float largest = std::numeric_limits<float>::max();
  const float low = std::max(bound(network, op, 1, -largest), -largest);
  const float high = std::min(bound(network, op, 2, largest), largest);
  if (std::isnan(low) || std::isnan(high) || low > high) return std::nullopt;
  return Activation::clip(low, high);
}

std::optional<Activation> activation_of(const Network& network, const Operator& op) {
  const auto* call = std::get_if<Call>(&op.operation);
  if (call == nullptr) return std::nullopt;
  if (call->name == "Relu") return Activation::relu();
  if (call->name == "Clip") return of_clip(network, op);
  if (call->name == "LeakyRelu") return Activation::leaky_relu(operators::number_attribute(*call, "alpha", 0.01f));
  if (call->name == "Sigmoid") return Activation::sigmoid();
  if (call->name == "Tanh") return Activation::tanh();
  if (call->name == "HardSigmoid") return Activation::hard_sigmoid(operators::number_attribute(*call, "alpha", 0.2f), operators::number_attribute(*call, "beta", 0.5f));
  if (call->name == "HardSwish") return Activation::hard_swish();
  return std::nullopt;
}

/// x * sigmoid(x) and x * hard_sigmoid(x): the activation that is their product.
std::optional<Activation> times_itself(const Activation& gate) {
  if (gate == Activation::sigmoid()) return Activation::swish();
  if (gate.kind == ActivationKind::hard_sigmoid && std::abs(gate.first - 1.0f / 6) < 1e-7f && gate.second == 0.5f) return Activation::hard_swish();
  return std::nullopt;
}

/// conv -> x; gate(x) -> g; x * g: one convolution.
Network fuse_gates(Network network) {
  const std::vector<unsigned> reads = count_reads(network);
  std::vector<std::size_t> maker(network.values.size(), network.operators.size());
  std::vector<bool> gone(network.operators.size(), false);
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    Operator& op = network.operators[k];
    maker[static_cast<std::size_t>(op.output)] = k;
    const auto* call = std::get_if<Call>(&op.operation);
    if (call == nullptr || call->name != "Mul" || op.inputs.size() != 2) continue;
    for (std::size_t at = 0; at < 2; ++at) {
      const auto x = static_cast<std::size_t>(op.inputs[at]);
      const auto gate_value = static_cast<std::size_t>(op.inputs[1 - at]);
      const std::size_t gate = maker[gate_value];
      const std::size_t source = maker[x];
      if (gate == network.operators.size() || source == network.operators.size() || reads[x] != 2 || reads[gate_value] != 1) continue;
      if (network.operators[gate].inputs[0] != op.inputs[at]) continue;
      Operator conv = network.operators[source];
      const auto inner = activation_of(network, network.operators[gate]);
      const auto whole = inner ? times_itself(*inner) : std::nullopt;
      auto* layer = std::get_if<Conv>(&conv.operation);
      if (!whole || layer == nullptr || layer->activation != Activation::identity()) continue;
      layer->activation = *whole;
      conv.output = op.output;
      op = std::move(conv);
      gone[gate] = gone[source] = true;
      break;
    }
  }
  std::vector<Operator> kept;
  for (std::size_t k = 0; k < gone.size(); ++k)
    if (!gone[k]) kept.push_back(std::move(network.operators[k]));
  network.operators = std::move(kept);
  return network;
}

}  // namespace

Network fuse_activations(Network network, const PassSettings&) {
  network = fuse_gates(std::move(network));
  return absorb_into_convs(std::move(network), [](const Network& all, Operator& op, const Operator& reader, std::size_t at) {
    Conv& conv = std::get<Conv>(op.operation);
    if (at != 0 || conv.activation != Activation::identity()) return false;
    const auto activation = activation_of(all, reader);
    if (!activation) return false;
    conv.activation = *activation;
    return true;
  });
}

}  // namespace lacuna::passes
