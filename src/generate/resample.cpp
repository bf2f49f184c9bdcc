#include "generate/resample.hpp"

#include <algorithm>
#include <cstdlib>

namespace lacuna::generate {
namespace {

constexpr std::int64_t one = 4096;

/// Keys' kernel at distance n / d, times 2 d^3.
std::int64_t cubic(std::int64_t n, std::int64_t d) {
  n = std::abs(n);
  if (n < d) return 3 * n * n * n - 5 * n * n * d + 2 * d * d * d;
  if (n < 2 * d) return -n * n * n + 5 * n * n * d - 8 * n * d * d + 4 * d * d * d;
  return 0;
}

/// `sum` is a whole number of 1/4096.
int to_pixel(float sum) { return std::clamp((static_cast<int>(sum) + static_cast<int>(one / 2)) >> 12, 0, 255); }

}  // namespace

// The centre of result i lies at source coordinate (2 i + 1) from / (2 to); source j has its centre at (2 j + 1) / 2.
// Their distance, in units of the kernel (source pixels, or result pixels when shrinking), is the fraction below.
std::vector<Resampler::Taps> Resampler::make_taps(std::uint32_t from, std::uint32_t to) {
  const std::int64_t denominator = 2 * static_cast<std::int64_t>(std::max(from, to));
  std::vector<Taps> taps(to);
  std::vector<std::int64_t> exact(from);
  for (std::uint32_t i = 0; i < to; ++i) {
    std::int64_t sum = 0;
    for (std::uint32_t j = 0; j < from; ++j) {
      exact[j] = cubic((2 * std::int64_t{j} + 1) * to - (2 * std::int64_t{i} + 1) * from, denominator);
      sum += exact[j];
    }
    const auto used = [](std::int64_t weight) { return weight != 0; };
    const auto begin = std::find_if(exact.begin(), exact.end(), used);
    const auto end = std::find_if(exact.rbegin(), exact.rend(), used).base();
    taps[i].first = static_cast<std::uint32_t>(begin - exact.begin());
    std::int64_t rounded_sum = 0;
    for (auto weight = begin; weight != end; ++weight) {
      const std::int64_t scaled = *weight * 2 * one;
      const std::int64_t rounded = (scaled + (scaled < 0 ? -sum : sum)) / (2 * sum);
      rounded_sum += rounded;
      taps[i].weights.push_back(static_cast<float>(rounded));
    }
    *std::max_element(taps[i].weights.begin(), taps[i].weights.end()) += static_cast<float>(one - rounded_sum);
  }
  return taps;
}

Resampler::Resampler(std::uint32_t rows, std::uint32_t columns, std::uint32_t side)
    : rows_(rows), columns_(columns), side_(side), down_(make_taps(rows, side)), across_(make_taps(columns, side)) {}

void Resampler::apply(std::span<const std::uint8_t> image, std::span<std::uint8_t> result,
                      std::vector<float>& scratch) const {
  const std::size_t side = side_;  // a local: stores through uint8_t* could otherwise change it
  scratch.resize((rows_ + std::size_t{1}) * side);
  float* const sums = scratch.data() + rows_ * side;
  for (std::size_t y = 0; y < rows_; ++y) {
    const std::uint8_t* row = image.data() + y * columns_;
    for (std::size_t x = 0; x < side; ++x) {
      const std::uint8_t* pixel = row + across_[x].first;
      float sum = 0;
      for (const float weight : across_[x].weights) sum += weight * static_cast<float>(*pixel++);
      scratch[y * side + x] = static_cast<float>(to_pixel(sum));
    }
  }
  for (std::size_t y = 0; y < side; ++y) {
    std::fill_n(sums, side, 0.0f);
    const float* row = scratch.data() + down_[y].first * side;
    for (const float weight : down_[y].weights) {
      for (std::size_t x = 0; x < side; ++x) sums[x] += weight * row[x];
      row += side;
    }
    std::uint8_t* to = result.data() + y * side;
    for (std::size_t x = 0; x < side; ++x) to[x] = static_cast<std::uint8_t>(to_pixel(sums[x]));
  }
}

}  // namespace lacuna::generate
