// Pooling windows side by side, on every instruction set, against plain loops: the same bits.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "devices/cpu/kernels.hpp"
#include "support/all_isas.hpp"

namespace lacuna::tests {
namespace {

class Pooling : public testing::TestWithParam<std::string> {};

/// One row of windows, and that the float after it was left alone.
void expect_pooled(const cpu::PoolLines& shape, const float* source, std::size_t first, const float* target) {
  const auto combine = [&](float a, float b) { return shape.is_maximum ? (a > b ? a : b) : a + b; };
  std::vector<float> down(source, source + shape.width);
  for (std::size_t line = 1; line < shape.lines; ++line)
    for (std::size_t x = 0; x < shape.width; ++x) down[x] = combine(down[x], source[line * shape.pitch + x]);
  for (std::size_t k = 0; k < shape.count; ++k) {
    float expected = down[first + k * shape.stride];
    for (std::size_t column = 1; column < shape.columns; ++column) expected = combine(expected, down[first + k * shape.stride + column]);
    const bool agree = target[k] == expected || (std::isnan(target[k]) && std::isnan(expected));
    ASSERT_TRUE(agree) << target[k] << ", not " << expected << ": window " << k << " of " << shape.count << ", stride " << shape.stride << ", " << shape.columns << " columns, maximum " << shape.is_maximum;
  }
  ASSERT_EQ(target[shape.count], 777.0f) << "written beyond the last window";
}

TEST_P(Pooling, LinesAgreeWithPlainLoopsAndNothingElseIsWritten) {
  const cpu::Kernels& kernels = cpu::kernels_for(cpu::choose_isa(GetParam()));
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::size_t stride : {1u, 2u, 3u})
    for (std::size_t columns : {1u, 2u, 3u, 5u})
      for (std::size_t count : {1u, 7u, 14u, 16u, 33u, 130u})
        for (bool is_maximum : {true, false}) {
          const std::size_t first = count % 3, lines = 1 + count % 4, width = first + (count - 1) * stride + columns, pitch = width + 3, rows = 1 + count % 3;
          const cpu::PoolLines shape{lines, pitch, width, columns, stride, count, is_maximum, rows, 2 * pitch, count + 1};
          std::vector<float> source((lines + 2 * (rows - 1)) * pitch + 2 * kernels.vector_lanes), best(width + 2 * kernels.vector_lanes + columns), target(rows * (count + 1), 777.0f);
          for (float& value : source) value = uniform(random);
          source[width / 2] = std::numeric_limits<float>::quiet_NaN();
          kernels.pool_lines(shape, source.data(), best.data(), first, target.data());
          for (std::size_t row = 0; row < rows; ++row) expect_pooled(shape, source.data() + row * 2 * pitch, first, target.data() + row * (count + 1));
        }
}

INSTANTIATE_TEST_SUITE_P(Isas, Pooling, testing::ValuesIn(all_isas()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lacuna::tests
