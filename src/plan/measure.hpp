// Timing rivals fairly on a machine that others use too: all in turn, round after round, in the thread's own time; the best round of each
// counts. Rivals run on the calling thread only.
#pragma once

#include <functional>
#include <vector>

namespace lacuna::plan {

/// Runs each rival in turn until `enough_seconds` have passed, five rounds at least (two where they take long), and returns the fewest seconds each needed.
std::vector<double> fewest_seconds(const std::vector<std::function<void()>>& rivals, double enough_seconds);

/// The same, but `forget` runs before each call and is not counted: rivals meet the caches as it leaves them.
std::vector<double> fewest_seconds_after(const std::function<void()>& forget, const std::vector<std::function<void()>>& rivals, double enough_seconds);

}  // namespace lacuna::plan
