// A network compiled for GPUs, whatever its kind: layers, tensors or neuron graphs. compile() makes one where a GPU is asked for; a session holds the
// memory on the devices. Engines see devices only through devices/gpu/device.hpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

#include "devices/gpu/device.hpp"
#include "engine/batch.hpp"
#include "engine/precision.hpp"
#include "plan/plan.hpp"

namespace lacuna::engine::gpus {

using Devices = std::vector<std::shared_ptr<gpu::Device>>;

/// Runs batches, one at a time. What a kind of network does not take throws Unsupported.
class GpuSession {
 public:
  virtual ~GpuSession() = default;
  virtual Outputs run(const Batch& batch, RunReport& report);
  virtual std::vector<TypedTensor> run(std::span<const TypedTensor> inputs, RunReport& report);
  virtual void keep_state(bool keeps);
};

/// All that sessions need, read-only.
class GpuProgram {
 public:
  virtual ~GpuProgram() = default;
  virtual std::unique_ptr<GpuSession> open() const = 0;
  virtual std::string print_plan() const = 0;
  virtual std::string explain() const = 0;
  virtual std::string kernel_text(gpu::Language language) const = 0;  ///< all kernels: `--emit=ptx`, `--emit=opencl`
  virtual std::vector<LayerReport> layers() const { return {}; }
  virtual std::unique_ptr<GpuProgram> with_weights(const Network& network) const;
};

struct GpuOptions {
  plan::KernelWish kernel = plan::KernelWish::automatic;
  std::vector<std::string> optimisations;
  bool tune = true;  ///< false: rules of thumb instead of measuring
  Precision precision = Precision::f32;  ///< of layers: what values are kept in
};

/// Needs: the passes are done. Throws Unsupported for what GPUs do not run.
std::unique_ptr<GpuProgram> compile_for_gpus(const Network& network, Devices devices, const GpuOptions& options);

/// Each kind of network has a file of its own.
std::unique_ptr<GpuProgram> compile_layers(const Network& network, Devices devices, const GpuOptions& options);
std::unique_ptr<GpuProgram> compile_tensors(const Network& network, Devices devices, const GpuOptions& options);
std::unique_ptr<GpuProgram> compile_graphs(const Network& network, Devices devices, const GpuOptions& options);

}  // namespace lacuna::engine::gpus
