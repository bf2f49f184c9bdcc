#include "devices/gpu/dense.hpp"

#include "devices/cuda/dense_convs.hpp"
#include "devices/cuda/dense_products.hpp"

namespace lacuna::gpu {

// CUDA is the only family with such libraries; it refuses the devices of others.
std::shared_ptr<DenseConvs> open_dense_convs(const DevicePointer& device) { return cuda::open_dense_convs(device); }
std::shared_ptr<DenseProducts> open_dense_products(const DevicePointer& device) { return cuda::open_dense_products(device); }

}  // namespace lacuna::gpu
