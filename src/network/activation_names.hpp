// The one list of activations by name; printing, parsing and messages read it.
#pragma once

#include <array>
#include <string_view>

#include <lacuna/network.hpp>

namespace lacuna {

struct ActivationName {
  ActivationKind kind;
  std::string_view name;
  int parameters;
};

inline constexpr std::array<ActivationName, 9> activation_names{{
    {ActivationKind::identity, "identity", 0},
    {ActivationKind::relu, "relu", 0},
    {ActivationKind::clip, "clip", 2},
    {ActivationKind::leaky_relu, "leaky_relu", 1},
    {ActivationKind::sigmoid, "sigmoid", 0},
    {ActivationKind::tanh, "tanh", 0},
    {ActivationKind::hard_sigmoid, "hard_sigmoid", 2},
    {ActivationKind::hard_swish, "hard_swish", 0},
    {ActivationKind::swish, "swish", 0},
}};

/// The list is in the order of the enumeration.
constexpr const ActivationName& name_of(ActivationKind kind) { return activation_names[static_cast<std::size_t>(kind)]; }

}  // namespace lacuna
