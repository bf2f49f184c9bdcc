// Pooling of some rows of a plane, whatever stands around them.
#pragma once

#include <cstdint>
#include <vector>

#include "dense/pool.hpp"
#include "devices/cpu/kernels.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {

class PoolRows {
 public:
  /// Of one or two spatial axes.
  PoolRows(dense::PoolShape pool, const rows::Planes& from, const rows::Planes& to, cpu::Isa isa);

  /// Rows [first_row, last_row) of one output plane; both planes are given by their element (0, 0).
  void run(const float* input, float* output, std::uint32_t first_row, std::uint32_t last_row) const;

  const dense::PoolShape& shape() const { return pool_; }  ///< of two axes

 private:
  /// The part of a window that is on the plane.
  struct Reach {
    std::size_t begin, end;
  };
  Reach reach(std::uint32_t at, std::size_t axis, std::uint32_t extent) const;

  /// Outputs [begin, end) of a line whose windows are whole, where lanes are pixels: all of them are pooled at once.
  struct Whole {
    std::uint32_t begin, end;
  };
  Whole whole_windows() const;

  /// Rows [begin, end) of outputs of one plane, whose windows have as many lines.
  struct Alike {
    Reach lines;  ///< of the first
    std::uint32_t begin, end;
    const float* input;
    float* output;
  };
  std::uint32_t end_of_alike(std::uint32_t begin, std::uint32_t end) const;

  template <typename Combine>
  void pool(const Alike& rows, const Combine& combine, std::vector<float>& best) const;
  template <typename Combine>
  void pool_window(const float* input, std::size_t lines, std::uint32_t x, float* target, const Combine& combine, float* best) const;
  void divide(std::size_t lines, float* output) const;

  dense::PoolShape pool_;
  rows::Planes from_, to_;
  Whole whole_;
  const cpu::Kernels& kernels_;
};

}  // namespace lacuna::engine::tensors
