// Depthwise convolutions of 3x3 or 5x5 taps with a stride of one or two: every output plane reads one input plane, and all weights are multiplied, zeros too.
#pragma once

#include <vector>

#include <lacuna/network.hpp>

#include "devices/cpu/kernels.hpp"
#include "rows/planes.hpp"

namespace lacuna::plan {

/// Whether there is a kernel for it. Needs: no skip connection.
bool can_be_depthwise(const Conv& conv, const rows::Planes& in, const rows::Planes& out);

class ConvDepthwise {
 public:
  /// Needs: can_be_depthwise().
  ConvDepthwise(const Conv& conv, const rows::Planes& in, const rows::Planes& out, float low, float high, cpu::Isa isa);

  /// Rows of pixels and planes that one of `threads` works off.
  struct Part {
    std::uint32_t row_begin, row_end;
    std::size_t plane_begin, plane_end;  ///< of all images
  };
  Part part_of(unsigned worker, unsigned threads) const;

  /// Leaves the part complete, zeros around it included.
  void run(const float* input, float* output, const Part& part) const;

  std::size_t bytes() const { return weights_.size() * sizeof(float); }

 private:
  void run_planes(const float* input, float* output, const Part& part, std::size_t begin, std::size_t end) const;

  rows::Planes in_, out_;
  std::vector<float> weights_;
  std::vector<float> bias_;
  cpu::Depthwise shape_;
  std::size_t before_;  ///< floats from the first tap of a window to the pixel it is for
  const cpu::Kernels& kernels_;
};

}  // namespace lacuna::plan
