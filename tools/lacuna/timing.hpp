// How long a run takes: the same loop and the same figures for every kind of network.
#pragma once

#include <cstddef>
#include <functional>

namespace cli {

struct Timing {
  std::size_t runs = 0;
  double median = 0;  ///< seconds, as the two below
  double p99 = 0;
  double best = 0;
};

/// Calls `run`, which returns the seconds it took, for `budget` seconds: at least 3 times and at most 100,000.
Timing time_runs(double budget, const std::function<double()>& run);

}  // namespace cli
