#pragma once

#include <cstddef>

namespace lacuna::base {

/// The next multiple of `unit`, or the value itself if it is one.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace lacuna::base
