// How values stand in the memory of a GPU: as planes whose lines begin on multiples of four floats, so that threads can read and write vectors, with zeros around
// them where convolutions reach over the border; or side by side as in a file. A kernel sees either by its strides.
#pragma once

#include <lacuna/network.hpp>

#include "kernel/templates/pixel_grid.hpp"
#include "rows/planes.hpp"

namespace lacuna::plan::gpus {

/// Planes with zeros around them. As rows::planes_for(), but every line, plane and image begins on a multiple of four floats. The zeros are written once: kernels
/// write pixels only.
rows::Planes padded_planes(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x);

/// Elements side by side, for up to four axes; a value of fewer has batch and channels first. Throws Unsupported for more.
rows::Planes plain_planes(const Shape& shape);

bool is_plain(const rows::Planes& planes);

/// Throws Unsupported for a value of more than 2^32 floats: kernels count them in 32 bits.
kernel::PixelView view_of(const rows::Planes& planes);

}  // namespace lacuna::plan::gpus
