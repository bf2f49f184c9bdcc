// Bicubic resizing of small grey images (Keys' kernel, a = -1/2, widened when shrinking), in exact arithmetic: weights
// are multiples of 1/4096 and pixels are bytes, so float sums are exact and every machine gives the same pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna::generate {

class Resampler {
 public:
  /// From rows x columns to side x side.
  Resampler(std::uint32_t rows, std::uint32_t columns, std::uint32_t side);

  /// `image` and `result` are row-major. `scratch` is reused between calls, one for each thread.
  void apply(std::span<const std::uint8_t> image, std::span<std::uint8_t> result, std::vector<float>& scratch) const;

 private:
  struct Taps {
    std::uint32_t first;         ///< source position of the first weight
    std::vector<float> weights;  ///< in 1/4096; their sum is 4096
  };
  static std::vector<Taps> make_taps(std::uint32_t from, std::uint32_t to);

  std::uint32_t rows_;
  std::uint32_t columns_;
  std::uint32_t side_;
  std::vector<Taps> down_;
  std::vector<Taps> across_;
};

}  // namespace lacuna::generate
