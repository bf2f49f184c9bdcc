// What simulated GPUs counted in a run and how long it would take on real ones: predicted, and called so wherever it is shown.
#pragma once

#include "command.hpp"
#include "timing.hpp"

namespace cli {

/// One JSON object for each simulated GPU, as the simulator gives it; empty elsewhere.
Json counters_of(const lacuna::Program& program);

/// time_runs; on simulated GPUs one run, which takes as long as any other, with the counters of that run alone.
Timing time_runs_of(const lacuna::Program& program, double budget, const std::function<double()>& run);

/// " (predicted)", or nothing where times are measured.
std::string predicted_word(const Json& counters);

/// Some lines for each GPU: the time, what bounds it, and the counters that matter; of a run that did so many multiply-adds.
void print_counters(const Json& counters, std::uint64_t active_edges);

/// Where the weights of a layered network did not all fit into GPUs: how many stayed, how many travelled in the run, and on simulated GPUs whether that bounds it.
void print_streaming(const lacuna::RunReport& report, const Json& counters);
void add_streaming(Json& json, const lacuna::RunReport& report);

}  // namespace cli
