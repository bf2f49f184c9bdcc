#include "dense/pool.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace lacuna::tests {
namespace {

using Values = std::vector<float>;

std::byte* bytes(Values& values) { return reinterpret_cast<std::byte*>(values.data()); }

/// oneDNN turns such a row-major plane around in scratch memory first.
TEST(DensePool, ThreadsThatRunItAtOnceDoNotMeet) {
  const Shape in{{1, 256, 54, 54}}, out{{1, 256, 26, 26}};
  dense::use_threads(1);
  const dense::DensePool pool({dense::PoolShape::Kind::maximum, {3, 3}, {2, 2}, {0, 0}, {0, 0}}, dense::row_major(in), out);
  constexpr std::size_t images = 8, rounds = 40;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Values> inputs(images, Values(in.size())), expected(images, Values(pool.output().get_size() / sizeof(float)));
  for (std::size_t k = 0; k < images; ++k) {
    for (float& value : inputs[k]) value = normal(random);
    pool.run(bytes(inputs[k]), bytes(expected[k]));
  }
  std::vector<Values> computed = expected;
  const auto run_half = [&](std::size_t half) {
    dense::use_threads(1);
    for (std::size_t k = half; k < images; k += 2) pool.run(bytes(inputs[k]), bytes(computed[k]));
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Values& values : computed) std::fill(values.begin(), values.end(), 0.0f);
    std::thread other(run_half, 1);
    run_half(0);
    other.join();
    for (std::size_t k = 0; k < images; ++k) ASSERT_EQ(computed[k], expected[k]) << "image " << k << " in round " << round;
  }
}

}  // namespace
}  // namespace lacuna::tests
