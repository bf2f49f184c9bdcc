// The plan of the whole network: the worlds that the costs of its operators suggest, timed against plans that do without some of them.
#pragma once

#include <vector>

#include "engine/tensors/conv_trial.hpp"

namespace lacuna::engine::tensors {

/// Fills choices, seconds_mixed, seconds_dense and fell_back. Needs: planes.
void choose_whole(const Network& network, const ChooseOptions& options, const std::vector<Candidates>& made, const std::vector<Costs>& cost, Chosen& chosen);

/// Seconds of a run of each, by turns, on zeros. Needs: the same inputs.
std::vector<double> run_seconds(const std::vector<TensorProgram>& programs);

}  // namespace lacuna::engine::tensors
