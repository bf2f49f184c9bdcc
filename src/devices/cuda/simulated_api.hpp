// What our simulated driver (liblacuna_simcuda.so, src/devices/sim_driver) exports besides the driver API: which GPUs there are, what they counted,
// and failures on demand. A real driver has none of it. All are thread safe.
#pragma once

#include <cstddef>

#include "devices/cuda/driver_api.hpp"

namespace lacuna::cuda {

struct SimulatedApi {
  /// Sees to it that `count` GPUs of the model ("v100", "a100", "h100", "rtx3090") stand side by side; gives the number of the first, or -1 if there is
  /// no such model. GPUs that were there stay.
  int (*configure)(const char* model, int count) = nullptr;
  const char* (*models)() = nullptr;  ///< "v100,a100,h100,rtx3090"
  /// JSON: counters and prediction of everything since the last reset, in all and for each kernel. Gives the bytes the text needs (with its end), and
  /// writes as many as fit; 0 for an unknown device.
  std::size_t (*counters)(int device, char* json, std::size_t size) = nullptr;
  /// One of those counters by its name, of one kernel or (no name) of all; NaN: unknown.
  double (*figure)(int device, const char* kernel, const char* name) = nullptr;
  void (*reset_counters)(int device) = nullptr;
  /// The call of this entry point after `after` others gives `code`; "kernel" stands for the run of a kernel, which fails like on a GPU: where somebody
  /// waits for it. A code after which nothing works any more takes the context with it. Without a name: forget all of them.
  void (*fail)(const char* call, int after, int code) = nullptr;
  /// Allocations, pinned blocks, modules, streams, events, graphs and contexts that nobody gave back.
  int (*leaks)() = nullptr;
  /// In which order streams that do not wait for each other are done: as late as possible (0, the default), or those first that nobody waits for (1).
  /// A program whose answer depends on it forgot to let one wait for the other.
  void (*do_others_first)(int is_wanted) = nullptr;
  /// Whether this driver plays one that lacks the entry point (LACUNA_SIM_MISSING).
  int (*is_missing)(const char* name) = nullptr;
  /// What exactly a kernel did wrong, of the last one that failed; like counters().
  std::size_t (*last_fault)(char* text, std::size_t size) = nullptr;
};

}  // namespace lacuna::cuda
