#include <algorithm>

#include "passes/pass_list.hpp"

namespace lacuna::passes {

Network remove_unread_operators(Network network, const PassSettings&) {
  std::vector<bool> read(network.values.size(), false);
  for (ValueId id : network.all_outputs()) read[static_cast<std::size_t>(id)] = true;
  std::vector<Operator> kept;
  for (auto op = network.operators.rbegin(); op != network.operators.rend(); ++op) {
    if (!read[static_cast<std::size_t>(op->output)]) continue;
    for (ValueId id : op->inputs)
      if (id != no_value) read[static_cast<std::size_t>(id)] = true;
    kept.push_back(std::move(*op));
  }
  std::reverse(kept.begin(), kept.end());
  network.operators = std::move(kept);
  return network;
}

}  // namespace lacuna::passes
