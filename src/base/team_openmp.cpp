// A Team on OpenMP. Compiled only where OpenMP is at hand; team_threads.cpp stands in for it elsewhere.
#include <omp.h>

#include "base/team.hpp"

namespace lacuna::base {

void run_team(unsigned threads, const std::function<void(unsigned)>& work) {
  if (threads <= 1) return work(0);
#pragma omp parallel num_threads(static_cast<int>(threads))
  {
    // A smaller team than asked for still does all the work.
    const auto team = static_cast<unsigned>(omp_get_num_threads());
    for (auto worker = static_cast<unsigned>(omp_get_thread_num()); worker < threads; worker += team) work(worker);
  }
}

}  // namespace lacuna::base
