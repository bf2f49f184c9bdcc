// Are two networks the same, given that what a pass leaves alone is shared and not copied? Nothing shared is read.
#pragma once

#include <lacuna/network.hpp>

namespace lacuna::network {

/// Whether values, operators, weights (as they are stored) and biases are equal, bit by bit.
bool is_same(const Network& a, const Network& b);

}  // namespace lacuna::network
