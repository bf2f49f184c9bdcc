// What stands behind the handles of the simulated driver. Work is not done when it is asked for but queued in its stream, and done when somebody
// waits for it: a program that forgets to wait, or changes memory too early, gets as wrong an answer as from a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "devices/cuda/driver_api.hpp"
#include "devices/sim/launch.hpp"
#include "devices/sim/predict.hpp"

namespace lacuna::cuda {

/// A kernel of a module; the queue holds the module as long as work needs it.
struct FunctionObject {
  const sim::Kernel* kernel = nullptr;
  std::shared_ptr<sim::Module> module;
  std::size_t dynamic_shared_bytes = static_shared_bytes;  ///< at most, static and dynamic together; cuFuncSetAttribute raises it
};

struct CopyIn {
  DeviceAddress to;
  const void* from;                  ///< pinned: read when the copy is done
  std::vector<std::byte> bytes_now;  ///< pageable: read when it was asked for
  std::size_t bytes;
};
struct CopyOut {
  void* to;
  DeviceAddress from;
  std::size_t bytes;
};
struct CopyWithin {
  DeviceAddress to, from;
  std::size_t bytes;
};
struct Fill {
  DeviceAddress to;
  std::uint32_t value;
  std::size_t count;
};
struct RunKernel {
  FunctionObject function;
  sim::LaunchShape shape;
  std::vector<std::byte> parameters;
};
struct RecordEvent {
  EventHandle event;
};
struct WaitForEvent {
  EventHandle event;
  std::uint64_t record;  ///< which of the event's records; they count from 1
};
struct RunGraph;
using Operation = std::variant<CopyIn, CopyOut, CopyWithin, Fill, RunKernel, RecordEvent, WaitForEvent, RunGraph>;
struct RunGraph {
  std::shared_ptr<const std::vector<Operation>> operations;
};

struct Queued {
  Operation operation;
  double not_before;  ///< when it was asked for, by the simulated clock
};
struct StreamObject {
  std::deque<Queued> queue;
  double seconds = 0;  ///< when what was done last ended, by the simulated clock
  bool is_capturing = false;
  bool is_capture_broken = false;
  std::vector<Operation> captured;
};
struct EventObject {
  bool has_time = true;
  StreamHandle stream = nullptr;  ///< of the last record
  std::uint64_t records = 0;      ///< asked for
  std::vector<double> seconds;    ///< when each record was done; streams may wait for an older one
  bool is_done(std::uint64_t record) const { return seconds.size() >= record; }
  double at(std::uint64_t record) const { return record == 0 ? 0 : seconds[record - 1]; }
};
struct ModuleObject {
  std::shared_ptr<sim::Module> module;
  std::map<std::string, std::unique_ptr<FunctionObject>> functions;
};
struct GraphObject {
  std::shared_ptr<const std::vector<Operation>> operations;
};
struct GraphRunObject {
  std::shared_ptr<const std::vector<Operation>> operations;
};

/// Counters and prediction of launches, of all or of one kernel.
struct Tally {
  sim::Counters counters;
  sim::Prediction prediction;
};

/// One simulated GPU. Its parts work side by side: kernels, copies in, copies out.
struct Gpu {
  explicit Gpu(const sim::Model& which, int its_number) : model(which), number(its_number) {}

  const sim::Model& model;
  int number;
  std::unique_ptr<sim::Memory> memory;    ///< these two while there is a context
  std::unique_ptr<sim::Machine> machine;
  std::unique_ptr<ContextObject> context;
  double kernels_free_at = 0, copy_in_free_at = 0, copy_out_free_at = 0;
  double latest() const { return std::max({kernels_free_at, copy_in_free_at, copy_out_free_at}); }

  Tally all;
  std::map<std::string, Tally> by_kernel;
  std::uint64_t bytes_in = 0, bytes_out = 0, copies = 0, fills = 0, graph_launches = 0;
  double copy_seconds = 0;
};

/// The primary context of a GPU.
struct ContextObject {
  Gpu* gpu = nullptr;
  int holders = 0;
  Result failure = Result::success;  ///< of a kernel: from there on nothing is done
  bool is_failure_known = false;     ///< somebody waited and was told: from there on every call fails
  std::set<DeviceAddress> allocations;
  std::map<StreamHandle, std::unique_ptr<StreamObject>> streams;
  std::map<EventHandle, std::unique_ptr<EventObject>> events;
  std::map<ModuleHandle, std::unique_ptr<ModuleObject>> modules;
  std::map<GraphHandle, std::unique_ptr<GraphObject>> graphs;
  std::map<GraphRunHandle, std::unique_ptr<GraphRunObject>> graph_runs;
  StreamObject default_stream;
  double host_seconds = 0;  ///< the latest moment that somebody waited for: nothing that is asked for afterwards starts earlier

  std::size_t objects() const { return allocations.size() + streams.size() + events.size() + modules.size() + graphs.size() + graph_runs.size(); }
};

}  // namespace lacuna::cuda
