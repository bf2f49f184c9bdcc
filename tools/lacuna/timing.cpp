#include "timing.hpp"

#include <algorithm>

#include "command.hpp"

namespace cli {

Timing time_runs(double budget, const std::function<double()>& run) {
  std::vector<double> seconds;
  const Stopwatch watch;
  while (seconds.size() < 3 || (watch.seconds() < budget && seconds.size() < 100000)) seconds.push_back(run());
  std::sort(seconds.begin(), seconds.end());
  return {seconds.size(), median(seconds), seconds[(seconds.size() - 1) * 99 / 100], seconds[0]};
}

}  // namespace cli
