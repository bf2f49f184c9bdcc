// For work whose long part is independent and whose short part must come in order: reading layers and writing them one after the
// other, looking for equal rows and then merging layer by layer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "base/parallel.hpp"

namespace lacuna::base {

/// Calls prepare(i) for every i in [0, count) on `threads` threads, and finish(i, what prepare gave) in ascending order, one at a time.
/// A thread prepares nothing new before its last one is finished, so no more than `threads` prepared things exist at a time. The first
/// exception ends the work and is thrown again here.
template <typename Prepare, typename Finish>
void parallel_in_order(unsigned threads, std::size_t count, const Prepare& prepare, const Finish& finish) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t next = 0;
  bool given_up = false;
  const auto change = [&](const auto& change_state) {
    {
      const std::lock_guard lock(mutex);
      change_state();
    }
    changed.notify_all();
  };
  parallel_for(threads, count, [&](std::size_t i, unsigned) {  // hands out i in ascending order, so the lowest never waits
    try {
      auto prepared = prepare(i);
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return given_up || next == i; });
        if (given_up) return;
      }
      finish(i, std::move(prepared));
      change([&] { ++next; });
    } catch (...) {
      change([&] { given_up = true; });
      throw;
    }
  });
}

}  // namespace lacuna::base
