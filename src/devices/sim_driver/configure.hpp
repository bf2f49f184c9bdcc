// Which GPUs the simulated machine has.
#pragma once

#include <string_view>

namespace lacuna::sim_driver {

struct State;

/// Sees to it that `count` GPUs of the model stand side by side; gives the number of the first, or -1 if there is no such model. Needs: the lock.
int configure(State& state, std::string_view model, int count);

/// "v100,a100,h100,rtx3090"
const char* model_names();

}  // namespace lacuna::sim_driver
