#include "engine/gpus/loaded_tensors.hpp"

#include <lacuna/error.hpp>

#include "engine/tensors/explain.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

/// Whether libraries take all layers that are theirs in the plan. The choices of those that they refuse are changed.
bool prepare_libraries(LoadedTensors& loaded, const DenseLibraries& libraries, std::vector<ConvChoice>& choices) {
  bool takes_all = true;
  loaded.works.clear();
  for (const TensorPlan::Step& step : loaded.plan.steps) {
    loaded.works.emplace_back();
    const auto* library = std::get_if<TensorPlan::LibraryStep>(&step.work);
    if (library == nullptr) continue;
    try {
      loaded.works.back() = libraries.prepare(library->layer);
    } catch (const Unsupported& refusal) {
      choices[step.op].is_dense = takes_all = false;
      choices[step.op].reason = refusal.what();
    }
  }
  return takes_all;
}

}  // namespace

std::shared_ptr<const LoadedTensors> load_tensors(Network network, std::vector<ConvChoice> choices, const gpu::DevicePointer& device, const DenseLibraries& libraries) {
  auto loaded = std::make_shared<LoadedTensors>();
  loaded->network = std::move(network);
  loaded->device = device;
  do loaded->plan = plan_tensors(loaded->network, choices);
  while (!prepare_libraries(*loaded, libraries, choices));
  if (!loaded->plan.programs.empty()) loaded->kernels = plan::gpus::load_kernels(loaded->plan.programs, *device);
  for (const std::vector<std::uint32_t>& table : loaded->plan.tables) {
    loaded->tables.push_back(device->allocate(table.size() * sizeof(std::uint32_t)));
    device->write(loaded->tables.back(), 0, std::as_bytes(std::span(table)));
  }
  for (ValueId id : loaded->network.all_inputs()) {
    const Value& value = loaded->network.value(id);
    loaded->inputs.push_back({value.name, value.type, value.shape, {}, {}});
  }
  for (const Operator& op : loaded->network.operators)
    if (std::holds_alternative<Conv>(op.operation)) loaded->edges += tensors::describe(loaded->network, op).edges;
  return loaded;
}

}  // namespace lacuna::engine::gpus
