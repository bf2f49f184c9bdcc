#include "plan/epilogue.hpp"

#include <fmt/format.h>

#include <limits>

#include <lacuna/error.hpp>

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
    case ActivationKind::hard_swish:
    case ActivationKind::swish: throw Unsupported(fmt::format("the activation {} has no kernel on this device", to_string(activation)));
  }
}

}  // namespace lacuna::plan
