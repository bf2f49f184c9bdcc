// What a simulated GPU counted, as figures with names and as JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "devices/sim_driver/objects.hpp"

namespace lacuna::sim_driver {

/// Counters, and "predicted_seconds" with its parts ("seconds_issue", ...).
std::vector<std::pair<std::string, double>> figures(const cuda::Tally& tally);

/// {"device": "a100", "predicted_bound": "dram", ..., "kernels": {"name": {...}}}
std::string json(const cuda::Gpu& gpu);

}  // namespace lacuna::sim_driver
