// Dense products of matrices by NVIDIA's cuBLAS, in f32 throughout.
#pragma once

#include "devices/gpu/dense.hpp"

namespace lacuna::cuda {

/// See gpu::open_dense_products().
std::shared_ptr<gpu::DenseProducts> open_dense_products(const gpu::DevicePointer& device);

}  // namespace lacuna::cuda
