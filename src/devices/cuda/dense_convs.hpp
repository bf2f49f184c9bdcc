// Dense convolutions by NVIDIA's cuDNN, in f32 throughout: no TF32, no tensor cores.
#pragma once

#include "devices/gpu/dense.hpp"

namespace lacuna::cuda {

/// See gpu::open_dense_convs().
std::shared_ptr<gpu::DenseConvs> open_dense_convs(const gpu::DevicePointer& device);

}  // namespace lacuna::cuda
