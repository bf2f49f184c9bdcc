// A convolution as rows in blocks: what its kernels have in common, before pixels are cut up into tiles.
#pragma once

#include <optional>

#include "base/round_up.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/conv_blocks.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {

struct LoweredConv {
  /// An activation that is more than two bounds: it is applied to sums that were written.
  struct Smooth {
    cpu::Epilogue function;
    float first, second;
  };

  rows::Planes in, out;
  std::optional<rows::Planes> skip;
  rows::ConvRows rows;
  ConvBlocks blocks;
  std::optional<Smooth> smooth;
  const cpu::Kernels* kernels = nullptr;
  unsigned threads = 1;

  bool is_taken_apart() const { return !rows.phases.empty(); }
  /// Of the input taken apart; 0: it is read as it stands.
  std::size_t excerpt_floats() const { return is_taken_apart() ? base::round_up(rows.source.floats, 16) : 0; }
  void activate(float* sums, std::size_t count) const {
    if (smooth) kernels->run_activation(smooth->function, smooth->first, smooth->second, sums, count);
  }
};

}  // namespace lacuna::plan
