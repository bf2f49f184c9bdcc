// Template "line pair block": two neighbouring lines of some output channels at once, by minimal filtering (rows/pair_filter.hpp).
//
//   m[c,p]  = sum of w[c,s] * x[s]                      p over the points, s over the sources of that point: lines of the input, combined beforehand
//   y0[c]   = clip(bias[c] + m[c,0] + m[c,1] + ...)     all points but the last
//   y1[c]   = clip(bias[c] + sum of ending[p] * m[c,p])
//
// All sums stay in registers; each source is loaded once for all channels of the block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"

namespace lacuna::kernel {

struct LinePairBlock {
  struct Output {
    std::uint64_t first = 0, second = 0;  ///< byte offsets of both lines in Space::destination
    float bias = 0;
  };
  struct Weight {
    std::uint64_t source;  ///< byte offset
    std::uint16_t output;
    std::uint16_t point;
    float weight;
  };

  std::string name;
  std::vector<float> ending;    ///< of each point; 0 for the first, 1 for the last
  std::vector<Output> outputs;
  std::vector<Weight> weights;  ///< by ascending source
  float low = 0;                ///< infinite: no bound
  float high = 0;
};

Kernel build(const LinePairBlock& block);

}  // namespace lacuna::kernel
