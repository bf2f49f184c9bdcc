// How much of a device's memory a program may take.
#pragma once

#include <cstddef>

#include "devices/gpu/device.hpp"

namespace lacuna::gpu {

/// Nearly all that was free when the device was opened (drivers round up, and keep code there too), or at most LACUNA_GPU_MEMORY ("8GiB"), for GPUs that are
/// shared with others; the largest number if nothing is known. Throws InputError where LACUNA_GPU_MEMORY is not a number of bytes.
std::size_t usable_bytes(const Limits& limits);

}  // namespace lacuna::gpu
