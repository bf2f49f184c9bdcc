#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <lacuna/error.hpp>

namespace lacuna::base {

unsigned available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned thread_count(unsigned requested) {
  if (requested != 0) return requested;
  const char* wish = std::getenv("LACUNA_THREADS");
  if (wish == nullptr || *wish == '\0') return available_cores();
  const std::string text = wish;
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc{} || end != text.data() + text.size() || threads == 0)
    throw InputError("LACUNA_THREADS is \"" + text + "\"; give a whole number from 1, or leave it empty for all cores");
  return threads;
}

void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t, unsigned)>& task) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](unsigned worker) {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i, worker);
    } catch (...) {
      next.store(count);
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min<std::size_t>(threads, count) - 1;
  for (std::size_t k = 0; k < wanted; ++k) helpers.emplace_back(work, static_cast<unsigned>(k + 1));
  work(0);
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lacuna::base
