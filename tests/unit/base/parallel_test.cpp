#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <lacuna/error.hpp>

#include "base/parallel_in_order.hpp"

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
  for (unsigned threads : {1u, 2u}) {
    std::atomic<int> ran{0};
    EXPECT_THROW(parallel_for(threads, 100000,
                              [&](std::size_t k, unsigned) {
                                ++ran;
                                if (k == 10) throw InputError("ten");
                                // All of them would take 100 seconds: none but a lost signal lets the other thread reach the end.
                                if (k > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                              }),
                 InputError);
    EXPECT_LT(ran, 100000);
    EXPECT_TRUE(threads > 1 || ran == 11) << ran;
  }
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

TEST(ParallelInOrder, FinishesInOrderWithFewPreparedAtATime) {
  for (unsigned threads : {1u, 2u, 5u}) {
    std::vector<std::size_t> finished;
    std::atomic<int> prepared{0};
    parallel_in_order(
        threads, 300,
        [&](std::size_t k) {
          EXPECT_LE(static_cast<unsigned>(++prepared), threads);
          return k * 2;
        },
        [&](std::size_t k, std::size_t doubled) {
          EXPECT_EQ(doubled, k * 2);
          finished.push_back(k);
          --prepared;
        });
    ASSERT_EQ(finished.size(), 300u);
    EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
  }
}

TEST(ParallelInOrder, AnExceptionOfEitherPartEndsTheWork) {
  for (const bool in_first_part : {true, false}) {
    std::size_t finished = 0;
    const auto fail_at_ten = [](std::size_t k, bool here) {
      if (k == 10 && here) throw InputError("ten");
      return k;
    };
    EXPECT_THROW(parallel_in_order(
                     3, 1000, [&](std::size_t k) { return fail_at_ten(k, in_first_part); },
                     [&](std::size_t k, std::size_t) {
                       fail_at_ten(k, !in_first_part);
                       ++finished;
                     }),
                 InputError);
    EXPECT_LE(finished, 10u);
  }
}

}  // namespace
}  // namespace lacuna::base
