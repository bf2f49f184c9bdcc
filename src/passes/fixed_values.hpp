// Values whose neurons no pass may number anew.
#pragma once

#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::passes {

/// For each value whether all its neurons must stay in their places: the network's own input and output, and whatever is added row by row
/// (residuals and what they are added to).
std::vector<bool> fixed_values(const Network& network);

}  // namespace lacuna::passes
