#include "engine/gpus/gpu_program.hpp"

#include <lacuna/error.hpp>

namespace lacuna::engine::gpus {

Outputs GpuSession::run(const Batch&, RunReport&) { throw Unsupported("this kind of network takes dense inputs; give it a Tensor or TypedTensors"); }
std::vector<TypedTensor> GpuSession::run(std::span<const TypedTensor>, RunReport&) {
  throw Unsupported("a layered network takes one Tensor, SparseMatrix or BitMatrix");
}
void GpuSession::keep_state(bool) { throw Unsupported("only neuron graphs have a state to keep"); }

std::unique_ptr<GpuProgram> GpuProgram::with_weights(const Network&) const { throw Unsupported("only the weights of neuron graphs can be changed in a program"); }

std::unique_ptr<GpuProgram> compile_for_gpus(const Network& network, Devices devices, const GpuOptions& options) {
  if (network.has_batch_in_shapes) return compile_tensors(network, std::move(devices), options);
  if (network.has_neuron_graphs()) return compile_graphs(network, std::move(devices), options);
  return compile_layers(network, std::move(devices), options);
}

}  // namespace lacuna::engine::gpus
