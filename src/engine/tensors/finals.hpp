// The kernels that did best in trials meet again in the network itself: there code comes from memory, activations from the cache of whoever wrote them, and what disturbs hits all alike.
#pragma once

#include <vector>

#include "engine/tensors/conv_trial.hpp"

namespace lacuna::engine::tensors {

/// Layers of one shape with about as many nonzeros and the same candidates; each layer that was timed is in one list.
using Alike = std::vector<std::vector<std::size_t>>;
Alike find_alike(const Network& network, const ChooseOptions& options, const Chosen& chosen);

/// Runs the network with the best, the second best, ... kernels of all layers by turns; layers alike take the one that was fastest there. Needs: planes, timings of trials. Changes made[].sparse and timings.
void decide_finals(const Network& network, const ChooseOptions& options, const Alike& alike, const std::vector<Costs>& cost, std::vector<Candidates>& made, Chosen& chosen);

}  // namespace lacuna::engine::tensors
