// How long the convolutions and fully connected layers of a network take on a device: by a kernel of ours, and by a library that multiplies all weights.
#pragma once

#include <optional>
#include <vector>

#include "engine/gpus/dense_libraries.hpp"

namespace lacuna::engine::gpus {

/// Of each operator; nothing where it is no such layer, or no library can compute it. `own`: the kernels of ours, of each operator.
std::vector<std::optional<ConvTimes>> time_convs(const Network& network, std::span<const ConvChoice> own, const gpu::DevicePointer& device, const DenseLibraries& libraries);

}  // namespace lacuna::engine::gpus
