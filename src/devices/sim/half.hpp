// IEEE half and bfloat16 as bits, without branches, so that loops over lanes become vector code.
#pragma once

#include <bit>
#include <cstdint>

namespace lacuna::sim {

inline float half_to_float(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;  // moves the exponent; exact, also for subnormals
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(scaled);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  return std::bit_cast<float>((magnitude >= 0x7c00u ? special : finite) | sign);
}

/// Rounded to nearest, ties to even.
inline std::uint32_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;  // the sum rounds to multiples of 2^-24
  const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const std::uint32_t clipped = magnitude >= 0x47800000u ? 0x7c00u : finite;
  return (magnitude > 0x7f800000u ? 0x7fffu : clipped) | sign;
}

inline float bfloat_to_float(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

inline std::uint32_t float_to_bfloat(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
}

}  // namespace lacuna::sim
