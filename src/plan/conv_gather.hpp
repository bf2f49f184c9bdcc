// Convolutions whose output has few pixels, fully connected layers of one input above all: lanes are output channels, and every lane gathers its
// own sources.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "plan/conv_body.hpp"

namespace lacuna::plan {

class ConvGather {
 public:
  /// Needs: `blocks` has its rows by descending length, and one block.
  ConvGather(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa);

  /// Part `part` of `parts` of the rows, for one pixel: memory points to it in the planes of channel 0.
  void run(const cpu::ConvMemory& memory, unsigned part, unsigned parts) const;
  /// Positions in the order of rows that run() writes.
  std::pair<std::size_t, std::size_t> rows_of(unsigned part, unsigned parts) const;

  std::size_t bytes() const { return offsets_.size() * sizeof(std::int32_t) + near_offsets_.size() * sizeof(std::uint16_t) + weights_.size() * sizeof(float); }

 private:
  const ConvBlocks& blocks_;
  const cpu::Kernels& kernels_;
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
