// Team: threads that stay awake between short pieces of work. parallel_for starts threads for work of milliseconds and more; a Team is for
// the layers of a CNN, which last microseconds. Where OpenMP is at hand it is OpenMP's team, the one oneDNN runs on, so that two pools never
// fight for the cores (decision 0009).
#pragma once

#include <functional>

namespace lacuna::base {

/// Calls work(worker) for every worker in [0, threads) at once; the caller is worker 0. Returns when all are done. `work` must not throw.
void run_team(unsigned threads, const std::function<void(unsigned worker)>& work);

}  // namespace lacuna::base
