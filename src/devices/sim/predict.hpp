// How long a launch would take on a real GPU, by its published peaks: the busiest of its parts decides. A bound from below in spirit: latencies that
// nothing hides are not modelled. See docs/simulator.md.
#pragma once

#include <string_view>

#include "devices/sim/counters.hpp"
#include "devices/sim/model.hpp"

namespace lacuna::sim {

/// Seconds each part is busy. Of one launch, or the sum of several.
struct Prediction {
  double issue = 0;      ///< warp instructions, one a clock and scheduler
  double fp32 = 0;
  double integer = 0;
  double special = 0;
  double shared = 0;     ///< the data path of shared memory and L1, 128 bytes a clock
  double l2 = 0;
  double dram = 0;
  double launch = 0;     ///< overhead
  double seconds = 0;    ///< of each launch the longest of these, plus the overhead

  /// The part with the most seconds: "issue", "fp32", "integer", "special", "shared", "l2", "dram" or "launch".
  std::string_view bound() const;
  Prediction& operator+=(const Prediction& other);
};

/// Of one launch (`counters.launches` is 1): predict each and add up the predictions, not the counters.
Prediction predict(const Counters& counters, const Model& model);

}  // namespace lacuna::sim
