#include "plan/epilogue.hpp"

#include <limits>

namespace lacuna::plan {

void set_epilogue(cpu::Table& table, const Activation& activation) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  table.low = -infinite;
  table.high = infinite;
  switch (activation.kind) {
    case ActivationKind::identity: break;
    case ActivationKind::relu: table.low = 0; break;
    case ActivationKind::clip:
      table.low = activation.first;
      table.high = activation.second;
      break;
    case ActivationKind::leaky_relu:
      table.epilogue = cpu::Epilogue::leaky_relu;
      table.low = activation.first;
      break;
    case ActivationKind::sigmoid: table.epilogue = cpu::Epilogue::sigmoid; break;
    case ActivationKind::tanh: table.epilogue = cpu::Epilogue::tanh; break;
    case ActivationKind::hard_sigmoid:
      table.epilogue = cpu::Epilogue::hard_sigmoid;
      table.low = activation.first;
      table.high = activation.second;
      break;
    case ActivationKind::hard_swish: table.epilogue = cpu::Epilogue::hard_swish; break;
    case ActivationKind::swish: table.epilogue = cpu::Epilogue::swish; break;
  }
}

}  // namespace lacuna::plan
