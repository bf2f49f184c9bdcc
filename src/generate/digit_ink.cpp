// How much ink a digit has: it decides what survives the challenge's networks.
#include <array>

#include "generate/image_source.hpp"
#include "generate/random.hpp"

namespace lacuna::generate {

std::uint32_t digit_ink(std::uint64_t seed, std::uint32_t input) {
  // Quantiles 0, 1/32, ..., 1 of the share of ones in the 10,000 MNIST test images at 32 x 32, in 1/65536; the last one
  // lowered so that the long tail keeps its mean, and all drawn 5% towards the middle, which gives clothes and strokes
  // about as many survivors as digits.
  static constexpr std::array<std::uint32_t, 33> quantiles{
      512,  2641, 3245, 3612, 3917, 4160, 4403, 4646, 4826, 5007, 5256, 5436, 5617, 5797,  5984,  6165, 6345,
      6588, 6775, 6955, 7136, 7379, 7565, 7808, 8113, 8412, 8717, 9085, 9570, 9994, 10722, 12005, 15149};
  constexpr std::uint64_t ink_stream = 0x696e6b;  // apart from the streams that draw the images
  Random random(seed ^ (ink_stream << 40), input);
  const std::uint32_t position = random.below(32u << 16);
  const std::uint32_t low = quantiles[position >> 16];
  const std::uint32_t high = quantiles[(position >> 16) + 1];
  return low + static_cast<std::uint32_t>((std::uint64_t{high - low} * (position & 0xffff)) >> 16);
}

}  // namespace lacuna::generate
