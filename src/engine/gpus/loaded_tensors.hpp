// A network of tensors on a device: its plan, kernels, tables, and the layers that libraries were prepared for. All that its sessions share.
#pragma once

#include <memory>
#include <vector>

#include "engine/gpus/dense_libraries.hpp"
#include "engine/gpus/tensor_plan.hpp"
#include "engine/tensors/tensor_program.hpp"

namespace lacuna::engine::gpus {

struct LoadedTensors {
  Network network;
  TensorPlan plan;
  gpu::DevicePointer device;
  std::vector<gpu::KernelPointer> kernels;
  std::vector<gpu::BufferPointer> tables;
  std::vector<std::unique_ptr<gpu::DenseWork>> works;  ///< of each step; null where no library works
  std::vector<tensors::TensorProgram::Port> inputs;
  std::uint64_t edges = 0;
};

/// Layers that a library refuses run by kernels of ours, and the plan says why.
std::shared_ptr<const LoadedTensors> load_tensors(Network network, std::vector<ConvChoice> choices, const gpu::DevicePointer& device, const DenseLibraries& libraries);

}  // namespace lacuna::engine::gpus
