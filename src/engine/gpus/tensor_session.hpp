// A session of a network of tensors on a GPU: it holds the activations. Stretches of launches between what the host or a library has to run are recorded once and run as a whole; a network that
// needs neither is one recording.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/gpus/gpu_program.hpp"
#include "engine/gpus/loaded_tensors.hpp"

namespace lacuna::engine::gpus {

class TensorSession final : public GpuSession {
 public:
  explicit TensorSession(std::shared_ptr<const LoadedTensors> loaded);

  std::vector<TypedTensor> run(std::span<const TypedTensor> inputs, RunReport& report) override;

  /// Seconds of all steps that neither the host runs nor only copy, on whatever stands in memory; by the device's clock, of `rounds` in a row.
  double time_layers(int rounds);

 private:
  struct Stretch {
    std::size_t first;                          ///< step
    std::unique_ptr<gpu::Recording> recording;  ///< null: the host or a library runs the step
  };

  const TensorPlan& plan() const { return loaded_->plan; }
  const Network& network() const { return loaded_->network; }
  gpu::Device& device() const { return *loaded_->device; }
  const gpu::BufferPointer& at(const TensorPlan::Argument& argument) const;

  void launch(std::size_t begin, std::size_t end);
  void run_in_library(std::size_t step);
  std::vector<std::byte> read_from_device(ValueId id, std::size_t buffer) const;
  void run_on_host(const TensorPlan::Step& step);
  std::vector<TypedTensor> take_outputs();

  std::shared_ptr<const LoadedTensors> loaded_;
  std::vector<gpu::BufferPointer> buffers_;
  std::vector<Stretch> stretches_;
  std::map<ValueId, std::vector<std::byte>> on_host_;
};

}  // namespace lacuna::engine::gpus
