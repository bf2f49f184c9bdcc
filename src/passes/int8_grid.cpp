#include "passes/int8_grid.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna::passes {

std::optional<Int8Grid> find_int8_grid(std::span<const float> values) {
  constexpr int most = 127;
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(double{value}));
  if (!std::isfinite(largest)) return std::nullopt;
  if (largest == 0) return Int8Grid{1, std::vector<std::int8_t>(values.size(), 0)};
  for (int steps = 1; steps <= most; ++steps) {  // the largest is this many steps away from zero
    const double step = largest / steps;
    const auto is_on_grid = [&](float value) { return std::abs(value - step * std::nearbyint(value / step)) <= 1e-6 * largest; };
    if (!std::all_of(values.begin(), values.end(), is_on_grid)) continue;
    const int finer = most / steps;  // biases are rounded to steps, too
    Int8Grid grid{static_cast<float>(step / finer), {}};
    for (const float value : values) grid.numbers.push_back(static_cast<std::int8_t>(finer * static_cast<int>(std::nearbyint(value / step))));
    return grid;
  }
  return std::nullopt;
}

}  // namespace lacuna::passes
