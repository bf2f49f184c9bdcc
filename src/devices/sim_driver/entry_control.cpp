// What the simulated driver exports besides the driver API; see src/devices/cuda/simulated_api.hpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "devices/sim_driver/configure.hpp"
#include "devices/sim_driver/report.hpp"
#include "devices/sim_driver/state.hpp"

using namespace lacuna;
using namespace lacuna::sim_driver;

namespace {

std::size_t give(const std::string& text, char* to, std::size_t size) {
  if (size > 0) {
    const std::size_t count = std::min(text.size(), size - 1);
    std::memcpy(to, text.data(), count);
    to[count] = '\0';
  }
  return text.size() + 1;
}

cuda::Gpu* find_gpu(State& own, int device) {
  return device >= 0 && static_cast<std::size_t>(device) < own.gpus.size() ? own.gpus[static_cast<std::size_t>(device)].get() : nullptr;
}

}  // namespace

LACUNA_EXPORT int lacunaSimConfigure(const char* model, int count) {
  const std::lock_guard lock(state().mutex);
  return configure(state(), model, count);
}

LACUNA_EXPORT const char* lacunaSimModels() { return model_names(); }

LACUNA_EXPORT std::size_t lacunaSimCounters(int device, char* text, std::size_t size) {
  const std::lock_guard lock(state().mutex);
  const cuda::Gpu* const gpu = find_gpu(state(), device);
  return gpu == nullptr ? 0 : give(json(*gpu), text, size);
}

LACUNA_EXPORT double lacunaSimFigure(int device, const char* kernel, const char* name) {
  const std::lock_guard lock(state().mutex);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const cuda::Gpu* const gpu = find_gpu(state(), device);
  if (gpu == nullptr) return unknown;
  const cuda::Tally* tally = &gpu->all;
  if (kernel != nullptr) {
    const auto found = gpu->by_kernel.find(kernel);
    if (found == gpu->by_kernel.end()) return unknown;
    tally = &found->second;
  }
  for (const auto& [figure, value] : figures(*tally))
    if (figure == name) return value;
  return unknown;
}

LACUNA_EXPORT void lacunaSimResetCounters(int device) {
  const std::lock_guard lock(state().mutex);
  cuda::Gpu* const gpu = find_gpu(state(), device);
  if (gpu == nullptr) return;
  gpu->all = {};
  gpu->by_kernel.clear();
  gpu->bytes_in = gpu->bytes_out = gpu->copies = gpu->fills = gpu->graph_launches = 0;
  gpu->copy_seconds = 0;
}

LACUNA_EXPORT void lacunaSimFail(const char* call, int after, int code) {
  const std::lock_guard lock(state().mutex);
  if (call == nullptr)
    state().failures.clear();
  else
    state().failures.push_back({call, after, static_cast<Result>(code)});
}

LACUNA_EXPORT int lacunaSimLeaks() {
  const std::lock_guard lock(state().mutex);
  std::size_t count = state().leaked + state().pinned.size();
  for (const auto& gpu : state().gpus)
    if (gpu->context) count += 1 + gpu->context->objects();
  return static_cast<int>(count);
}

LACUNA_EXPORT void lacunaSimDoOthersFirst(int is_wanted) {
  const std::lock_guard lock(state().mutex);
  state().does_others_first = is_wanted != 0;
}

LACUNA_EXPORT int lacunaSimIsMissing(const char* name) {
  const char* const wish = std::getenv("LACUNA_SIM_MISSING");
  if (wish == nullptr) return 0;
  return ("," + std::string(wish) + ",").find("," + std::string(name) + ",") != std::string::npos ? 1 : 0;
}

LACUNA_EXPORT std::size_t lacunaSimLastFault(char* text, std::size_t size) {
  const std::lock_guard lock(state().mutex);
  return give(state().last_fault, text, size);
}
