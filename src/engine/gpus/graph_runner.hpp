// Takes inputs through the neuron graphs of a population on one GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "devices/gpu/device.hpp"
#include "plan/gpus/graph_pack.hpp"
#include "plan/gpus/graph_shape.hpp"

namespace lacuna::engine::gpus {

/// Kernels of one structure on a device, by their names: compiled when they are first asked for. Sessions of several threads may ask.
class KernelCache {
 public:
  explicit KernelCache(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
  gpu::KernelPointer find(const std::string& name, const std::function<kernel::ThreadProgram()>& write);
  gpu::KernelPointer find(const kernel::GraphShape& shape, kernel::GraphPart part);

 private:
  std::shared_ptr<gpu::Device> device_;
  std::mutex mutex_;
  std::map<std::string, gpu::KernelPointer> kernels_;
};

/// The tables of a population on a device.
struct LoadedGraphs {
  std::shared_ptr<gpu::Device> device;
  std::shared_ptr<KernelCache> kernels;
  std::vector<gpu::BufferPointer> tables;  ///< the first of kernel::graph_addresses
};

LoadedGraphs load_graphs(const plan::gpus::GraphTables& tables, std::shared_ptr<gpu::Device> device, std::shared_ptr<KernelCache> kernels);

/// The inputs of a run, in floats: [step][input of the batch][column] for each input of the network.
struct GraphInputs {
  std::vector<std::span<const float>> rows;
  std::size_t steps = 1;
  std::size_t batch = 0;
};

class GraphRunner {
 public:
  /// Both must outlive it.
  GraphRunner(const plan::gpus::PackedGraphs& packed, const LoadedGraphs& loaded) : packed_(packed), loaded_(loaded) {}

  /// Inputs [first, first + count) of the batch are this device's; returns how many it can take at a time.
  std::size_t begin(const GraphInputs& inputs, std::size_t first, std::size_t count, bool keeps_state);

  /// Asks the device for inputs [from, from + count) of its own; from is a multiple of what begin() gave.
  void start(const GraphInputs& inputs, std::size_t from, std::size_t count);

  /// Waits. Results of start(): [graph][step][input][output]. Valid until the next start().
  std::span<const float> finish();

  /// The next run begins with zeros.
  void forget_state() { kept_ = nullptr; }

  double seconds() const { return seconds_; }  ///< of the device since begin()

 private:
  struct Chunk {
    std::size_t from = 0, count = 0, steps = 0;
    std::uint32_t tiles = 0;  ///< a multiple of four

    bool operator==(const Chunk&) const = default;
  };
  /// Launches that have all of this in common are the same.
  struct Work {
    Chunk chunk;
    std::size_t share = 0;
    bool keeps_state = false;
    std::vector<gpu::BufferPointer> buffers;

    bool operator==(const Work&) const = default;
  };
  gpu::BufferPointer& at_least(gpu::BufferPointer& buffer, std::uint64_t bytes);
  void reserve(const GraphInputs& inputs);
  void launch_all();
  void launch_columns();
  void run_group(const plan::gpus::GraphGroup& group, const plan::gpus::GraphPlan& plan);
  void run_whole(const plan::gpus::GraphGroup& group, const kernel::GraphShape& shape);
  void run_parts(const plan::gpus::GraphGroup& group, const kernel::GraphShape& shape);
  std::vector<gpu::Argument> arguments(std::uint32_t first_member, const kernel::GraphShape& shape);

  const plan::gpus::PackedGraphs& packed_;
  const LoadedGraphs& loaded_;
  std::vector<plan::gpus::GraphPlan> plans_;  ///< of each group, for the run's inputs
  std::vector<gpu::BufferPointer> rows_;
  gpu::BufferPointer columns_, results_, kept_, arena_;
  std::size_t first_ = 0, share_ = 0, kept_inputs_ = 0;
  std::uint64_t arena_bytes_ = 0;  ///< at most, unless one member needs more
  bool keeps_state_ = false;
  Chunk chunk_;
  Work last_;                                 ///< done at least once, so that nothing is compiled or allocated any more
  std::unique_ptr<gpu::Recording> recorded_;  ///< of last_, from the second time on
  std::vector<float> read_;
  double seconds_ = 0;
};

}  // namespace lacuna::engine::gpus
