#include "kernel/kernel.hpp"

#include <algorithm>

namespace lacuna::kernel {

void append(Kernel& kernel, const Kernel& next) {
  const auto constants = static_cast<std::uint32_t>(kernel.constants.size());
  kernel.name += "; " + next.name;
  kernel.rows = std::max(kernel.rows, next.rows);
  kernel.steps.reserve(kernel.steps.size() + next.steps.size());
  for (Step step : next.steps) {
    const bool has_constant = step.op == Op::set || step.op == Op::take || step.op == Op::multiply_add || step.op == Op::scale;
    if (has_constant) step.index += constants;
    kernel.steps.push_back(step);
  }
  kernel.constants.insert(kernel.constants.end(), next.constants.begin(), next.constants.end());
}

}  // namespace lacuna::kernel
