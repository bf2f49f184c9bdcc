// Runs layers of the published scheme (tests/support/at_scale_scheme.hpp) on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <lacuna/network.hpp>

#include "devices/gpu/device.hpp"

namespace bench {

class AtScaleRunner {
 public:
  explicit AtScaleRunner(std::shared_ptr<lacuna::gpu::Device> device);

  /// The next layer's values of `inputs` rows of `values` ({rows, neurons}, all alive), clipped to 0..32 after `bias` is added. One launch.
  std::vector<float> run(const lacuna::SparseMatrix& weights, float bias, const std::vector<float>& values);

  double padding() const { return padding_; }  ///< of the last layer: slots for each edge

 private:
  std::shared_ptr<lacuna::gpu::Device> device_;
  lacuna::gpu::KernelPointer kernel_;
  double padding_ = 1;
};

}  // namespace bench
