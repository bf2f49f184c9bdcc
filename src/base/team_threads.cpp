// A Team without OpenMP: for the thread sanitizer, which cannot see into OpenMP's own synchronisation, and for compilers that lack it.
#include "base/parallel.hpp"
#include "base/team.hpp"

namespace lacuna::base {

void run_team(unsigned threads, const std::function<void(unsigned)>& work) {
  parallel_for(threads, threads, [&](std::size_t worker, unsigned) { work(static_cast<unsigned>(worker)); });
}

}  // namespace lacuna::base
