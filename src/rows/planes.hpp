// Planes: where the elements of a value {batch, channels, height, width} stand in memory when sparse convolutions read or write it.
//
//   element (n, c, y, x) is float number  origin + n * image + c * channel + y * row + x * column
//
// Each plane is surrounded by zeros (the halo), so that a kernel that reaches over the border needs no test: the offset of a source is the same
// for every pixel. Lanes are pixels (column == 1) or inputs of the batch (image == 1); neighbouring rows may share their halo.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lacuna::rows {

struct Planes {
  std::uint32_t batch = 1;
  std::uint32_t channels = 0;
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  std::uint32_t halo_y = 0;  ///< rows of zeros above and below
  std::uint32_t halo_x = 0;  ///< columns of zeros left and right, maybe shared between rows
  std::size_t image = 0;     ///< strides, in floats
  std::size_t channel = 0;
  std::size_t row = 0;
  std::size_t column = 1;
  std::size_t origin = 0;    ///< of element (0, 0, 0, 0)
  std::size_t floats = 0;    ///< of the whole buffer, with the slack that vectors at its ends may touch

  std::size_t at(std::size_t n, std::size_t c, std::size_t y, std::size_t x) const { return origin + n * image + c * channel + y * row + x * column; }
  bool operator==(const Planes&) const = default;
};

}  // namespace lacuna::rows
