// Convolutions whose output has few pixels, fully connected layers of one input above all: lanes are output channels, and every lane gathers its
// own sources.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/conv_shares.hpp"
#include "plan/lowered_conv.hpp"

namespace lacuna::plan {

class ConvGather {
 public:
  /// Needs: its blocks have their rows by descending length, and there is one block. `conv` must live as long.
  explicit ConvGather(const LoweredConv& conv);

  /// The rows of one of the convolution's threads, for all pixels. `excerpt` has conv.excerpt_floats() of the thread's own.
  void run(const float* in, const float* skip, float* out, float* excerpt, unsigned worker) const;

  std::size_t bytes() const { return offsets_.size() * sizeof(std::int32_t) + near_offsets_.size() * sizeof(std::uint16_t) + weights_.size() * sizeof(float); }

 private:
  void list_gaps();
  /// Positions in the order of rows.
  std::pair<std::size_t, std::size_t> rows_of(unsigned worker) const;
  /// For one pixel: memory points to it in the planes of channel 0.
  void run_pixel(const cpu::ConvMemory& memory, unsigned worker) const;

  const LoweredConv& conv_;
  std::vector<Strip> strips_;  ///< all pixels
  std::vector<Gap> gaps_;      ///< between them
  std::vector<std::size_t> block_begin_;
  std::vector<std::uint32_t> together_;
  std::vector<std::uint32_t> rest_;
  std::int64_t lowest_ = 0;
  std::vector<std::int32_t> offsets_;         ///< from the lowest; empty if 16 bits are enough: tables of matrices are read from memory
  std::vector<std::uint16_t> near_offsets_;
  std::vector<float> weights_;
  std::vector<float> bias_;
};

}  // namespace lacuna::plan
