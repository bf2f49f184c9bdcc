// Up to 256 inputs that are on or off, as planes of bits: bit k of plane p says whether neuron p of input k is on.
#pragma once

#include <cstdint>
#include <vector>

#include <lacuna/bit_matrix.hpp>

#include "devices/cpu/kernels.hpp"

namespace lacuna::engine {

class BitPlanes {
 public:
  /// For inputs of `width` neurons; one more plane stays zero.
  explicit BitPlanes(std::size_t width);

  /// Lays inputs [first, first + count) of `inputs`, whose entries all have one value, as bits; count <= cpu::bit_lanes.
  void lay(const SparseMatrix& inputs, std::size_t first, std::size_t count, const cpu::Kernels& kernels);

  void lay(const BitMatrix& inputs, std::size_t first, std::size_t count, const cpu::Kernels& kernels);

  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(planes_.data()); }

 private:
  template <typename Column>
  void lay_columns(const SparseMatrix& inputs, const Column* columns, std::size_t first, std::size_t count, const cpu::Kernels& kernels);

  struct alignas(cpu::bit_plane_bytes) Plane {
    std::uint8_t bytes[cpu::bit_plane_bytes];
  };
  std::size_t width_;
  std::vector<Plane> planes_;
  std::vector<std::uint8_t> slices_;
};

}  // namespace lacuna::engine
