// How the library tells that long work goes on. It calls back; whoever called decides what to show.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace lacuna {

/// Called with a verb phrase ("reading layers"), units done and units in all. May come from any thread, one call at a time.
using Progress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

}  // namespace lacuna
