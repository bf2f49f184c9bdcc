// `lacuna challenge --against LIST`: the same network and inputs with other optimisations, in turn, by the time on the cores.
#pragma once

#include <string>

#include "command.hpp"

namespace cli {

/// Runs `options.optimise` and `against` in turn, `repeat` rounds, and prints the ratio of their CPU times: what the first costs or saves over the
/// second. Threads that wait for work are counted too, so one thread gives the clearest figure; both have the same plan if the
/// plan cache is on and the passes leave them the same network. Both answers are verified. Throws WrongAnswer.
void run_against(const lacuna::Network& network, const lacuna::SparseMatrix& inputs, const CommonOptions& options, const std::string& against, unsigned repeat);

}  // namespace cli
