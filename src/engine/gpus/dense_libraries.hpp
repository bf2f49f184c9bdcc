// The libraries of a device that compute dense layers: those that a network has layers for and that are there.
#pragma once

#include <memory>

#include <lacuna/network.hpp>

#include "devices/gpu/dense.hpp"
#include "engine/gpus/conv_choices.hpp"

namespace lacuna::engine::gpus {

struct DenseLibraries {
  std::shared_ptr<gpu::DenseConvs> convs;        ///< null: not needed, or not there
  std::shared_ptr<gpu::DenseProducts> products;

  bool has_for(const Conv& conv) const { return conv.kernel.empty() ? products != nullptr : convs != nullptr; }
  /// Throws Unsupported where the library cannot do it.
  std::unique_ptr<gpu::DenseWork> prepare(const gpu::DenseLayer& layer) const;
};

/// Opens what the network has layers for, if `kernel` lets them be dense, and tells `target`: the names, or what is missing. Throws what is missing where all layers shall be dense.
DenseLibraries open_dense_libraries(const Network& network, const gpu::DevicePointer& device, plan::KernelWish kernel, TensorTarget& target);

}  // namespace lacuna::engine::gpus
