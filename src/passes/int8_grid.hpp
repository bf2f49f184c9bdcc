// Floats that are whole numbers times one step, as weights are that were bytes once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lacuna::passes {

struct Int8Grid {
  float step = 1;
  std::vector<std::int8_t> numbers;  ///< within -127 and 127
};

/// The finest grid of at most 127 steps up and down that has all values, within 1e-6 of the largest. Nothing if there is none. Of zeros alone the step is 1.
std::optional<Int8Grid> find_int8_grid(std::span<const float> values);

}  // namespace lacuna::passes
