// Fork-join over all cores: parallel_for hands out task numbers until none are left.
#pragma once

#include <cstddef>
#include <functional>

namespace lacuna::base {

/// Cores this process may run on.
unsigned available_cores();

/// Threads to use for a request: 0 means LACUNA_THREADS, else all cores this process may run on.
unsigned thread_count(unsigned requested);

/// Calls task(i, worker) for every i in [0, count), on `threads` threads (the caller is worker 0); returns when all are done.
/// Tasks are taken in ascending order. The first exception stops the handing out and is thrown again here.
void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t task, unsigned worker)>& task);

}  // namespace lacuna::base
