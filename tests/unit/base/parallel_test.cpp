#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include <lacuna/error.hpp>

namespace lacuna::base {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    std::vector<std::atomic<int>> runs(1000);
    parallel_for(threads, runs.size(), [&](std::size_t k, unsigned worker) {
      EXPECT_LT(worker, threads);
      ++runs[k];
    });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, ThrowsTheFirstExceptionAndStopsHandingOut) {
  std::atomic<int> ran{0};
  EXPECT_THROW(parallel_for(2, 100000,
                            [&](std::size_t k, unsigned) {
                              ++ran;
                              if (k == 10) throw InputError("ten");
                            }),
               InputError);
  EXPECT_LT(ran, 100000);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> ran{0};
  parallel_for(2, 4, [&](std::size_t, unsigned) { parallel_for(2, 4, [&](std::size_t, unsigned) { ++ran; }); });
  EXPECT_EQ(ran, 16);
}

TEST(ThreadCount, TakesTheRequestThenTheEnvironmentThenAllCores) {
  setenv("LACUNA_THREADS", "3", 1);
  EXPECT_EQ(thread_count(7), 7u);
  EXPECT_EQ(thread_count(0), 3u);
  setenv("LACUNA_THREADS", "0", 1);
  EXPECT_THROW(thread_count(0), InputError);
  setenv("LACUNA_THREADS", "two", 1);
  EXPECT_THROW(thread_count(0), InputError);
  unsetenv("LACUNA_THREADS");
  EXPECT_EQ(thread_count(0), available_cores());
}

}  // namespace
}  // namespace lacuna::base
