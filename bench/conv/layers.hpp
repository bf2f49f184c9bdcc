// The layers that conv_bench times: real patterns of a pruned ResNet-50 (DLMC), and random patterns of ten convolutions of the literature.
#pragma once

#include <string>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::bench {

struct Layer {
  std::string name;
  std::uint32_t channels, height, width;  ///< of the input
  Conv conv;
  double sparsity;
};

/// From `folder`/dlmc-rn50/magnitude-0.8 and -0.9; empty if there is no such folder. Values are drawn.
std::vector<Layer> resnet_layers(const std::string& folder);

/// The ten convolutions of Dong et al. 2020, table 2, at 80% and 90%.
std::vector<Layer> ten_layers();

}  // namespace lacuna::bench
