#include "engine/gpus/conv_times.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/gpus/call_kernels.hpp"
#include "engine/gpus/tensor_session.hpp"

namespace lacuna::engine::gpus {
namespace {

constexpr int trials = 5, rounds = 10;  // rounds in a row hide what it takes to launch

/// The network of one operator: its inputs are the network's.
Network alone(const Network& network, const Operator& op) {
  Network one;
  one.has_batch_in_shapes = true;
  std::map<ValueId, ValueId> renamed;
  const auto take = [&](ValueId id) {
    const auto [found, is_new] = renamed.emplace(id, static_cast<ValueId>(one.values.size()));
    if (!is_new) return found->second;
    one.values.push_back(network.value(id));
    one.values.back().is_constant = false;
    one.values.back().constant = {};
    return found->second;
  };
  Operator own{op.operation, {}, {}};
  for (ValueId id : op.inputs) own.inputs.push_back(take(id));
  one.input = own.inputs.front();
  for (ValueId id : own.inputs)
    if (id != one.input) one.other_inputs.push_back(id);
  own.output = one.output = take(op.output);
  one.operators.push_back(std::move(own));
  return one;
}

double best_seconds(std::shared_ptr<const LoadedTensors> loaded) {
  TensorSession session(std::move(loaded));
  session.time_layers(1);
  double best = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < trials; ++trial) best = std::min(best, session.time_layers(rounds));
  return best;
}

}  // namespace

std::vector<std::optional<ConvTimes>> time_convs(const Network& network, std::span<const ConvChoice> own, const gpu::DevicePointer& device, const DenseLibraries& libraries) {
  std::vector<std::optional<ConvTimes>> times(network.operators.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Operator& op = network.operators[k];
    const auto* conv = std::get_if<Conv>(&op.operation);
    if (conv == nullptr || !libraries.has_for(*conv) || !why_on_host(network, op).empty()) continue;
    const Network one = alone(network, op);
    ConvChoice choice = own[k];
    choice.is_dense = true;
    const auto dense = load_tensors(one, {choice}, device, libraries);
    if (std::none_of(dense->works.begin(), dense->works.end(), [](const auto& work) { return work != nullptr; })) continue;
    choice.is_dense = false;
    times[k] = ConvTimes{best_seconds(load_tensors(one, {choice}, device, libraries)), best_seconds(dense)};
  }
  return times;
}

}  // namespace lacuna::engine::gpus
