#include "devices/sim_driver/configure.hpp"

#include <string>

#include "devices/sim_driver/state.hpp"

namespace lacuna::sim_driver {

int configure(State& state, std::string_view name, int count) {
  const sim::Model* wanted = nullptr;
  for (const sim::Model& model : sim::models())
    if (model.name == name) wanted = &model;
  if (wanted == nullptr || count < 1) return -1;
  int run = 0;
  for (std::size_t i = 0; i < state.gpus.size(); ++i) {
    run = &state.gpus[i]->model == wanted ? run + 1 : 0;
    if (run == count) return static_cast<int>(i) + 1 - count;
  }
  // GPUs of this model at the end of the list are the first of the new ones' neighbours.
  const int first = static_cast<int>(state.gpus.size()) - run;
  while (static_cast<int>(state.gpus.size()) < first + count) state.gpus.push_back(std::make_unique<cuda::Gpu>(*wanted, static_cast<int>(state.gpus.size())));
  return first;
}

const char* model_names() {
  static const std::string names = [] {
    std::string list;
    for (const sim::Model& model : sim::models()) list += (list.empty() ? "" : ",") + std::string(model.name);
    return list;
  }();
  return names.c_str();
}

}  // namespace lacuna::sim_driver
