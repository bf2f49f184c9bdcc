// How much memory a program may still take before the system runs out.
#pragma once

#include <cstdint>

namespace lacuna::base {

/// The system's own estimate; the largest number if it gives none.
std::uint64_t available_memory_bytes();

}  // namespace lacuna::base
