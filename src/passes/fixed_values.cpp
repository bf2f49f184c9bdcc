#include "passes/fixed_values.hpp"

namespace lacuna::passes {

std::vector<bool> fixed_values(const Network& network) {
  std::vector<bool> fixed(network.values.size(), false);
  const auto fix = [&](ValueId id) { fixed[static_cast<std::size_t>(id)] = true; };
  for (ValueId id : network.all_inputs()) fix(id);
  for (ValueId id : network.all_outputs()) fix(id);
  for (const Operator& op : network.operators) {
    const bool is_linear = std::holds_alternative<Linear>(op.operation);
    for (std::size_t k = is_linear ? 1 : 0; k < op.inputs.size(); ++k)
      if (op.inputs[k] != no_value) fix(op.inputs[k]);
    if (!is_linear || op.inputs.size() > 1) fix(op.output);
  }
  return fixed;
}

}  // namespace lacuna::passes
