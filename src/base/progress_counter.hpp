// Counts work done on many threads and reports it through the caller's Progress, one call at a time.
#pragma once

#include <cstdint>
#include <lacuna/progress.hpp>
#include <mutex>
#include <string>

namespace lacuna::base {

class ProgressCounter {
 public:
  ProgressCounter(const Progress& progress, std::string what, std::uint64_t total)
      : progress_(progress), what_(std::move(what)), total_(total) {}

  void add(std::uint64_t amount) {
    const std::lock_guard lock(mutex_);
    done_ += amount;
    if (progress_) progress_(what_, done_, total_);
  }

  /// For work that knows its own position; never goes back.
  void reach(std::uint64_t done) {
    const std::lock_guard lock(mutex_);
    if (done <= done_) return;
    done_ = done;
    if (progress_) progress_(what_, done_, total_);
  }

 private:
  const Progress& progress_;
  std::string what_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::mutex mutex_;
};

}  // namespace lacuna::base
