#include "plan/measure.hpp"

#include <time.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace lacuna::plan {

namespace {

/// Time this thread has been on a core: what others take from it does not count.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& rival, unsigned times) {
  const double start = thread_seconds();
  for (unsigned k = 0; k < times; ++k) rival();
  return thread_seconds() - start;
}

/// How often to call a rival so that the clock's own steps do not show; this also warms the caches.
unsigned times_for(const std::function<void()>& rival) {
  constexpr double visible_seconds = 20e-6;
  unsigned times = 1;
  while (seconds_of(rival, times) < visible_seconds && times < 1u << 12) times *= 2;
  return times;
}

/// Rounds until enough time was spent; measure(k) gives what rival k took.
template <typename Measure>
std::vector<double> fewest_of_rounds(std::size_t rivals, double enough_seconds, const Measure& measure) {
  std::vector<double> fewest(rivals, std::numeric_limits<double>::infinity());
  double spent = 0;
  for (int round = 0; round < 2 || spent < enough_seconds || (round < 5 && spent < 4 * enough_seconds); ++round)
    for (std::size_t k = 0; k < rivals; ++k) {
      const auto [seconds, times] = measure(k);
      spent += seconds;
      fewest[k] = std::min(fewest[k], seconds / times);
    }
  return fewest;
}

}  // namespace

std::vector<double> fewest_seconds(const std::vector<std::function<void()>>& rivals, double enough_seconds) {
  std::vector<unsigned> times;
  for (const auto& rival : rivals) times.push_back(times_for(rival));
  return fewest_of_rounds(rivals.size(), enough_seconds, [&](std::size_t k) { return std::pair(seconds_of(rivals[k], times[k]), times[k]); });
}

std::vector<double> fewest_seconds_after(const std::function<void()>& forget, const std::vector<std::function<void()>>& rivals, double enough_seconds) {
  for (const auto& rival : rivals) rival();  // pages are touched, threads are there
  return fewest_of_rounds(rivals.size(), enough_seconds, [&](std::size_t k) {
    forget();
    return std::pair(seconds_of(rivals[k], 1), 1u);
  });
}

}  // namespace lacuna::plan
