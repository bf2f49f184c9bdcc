// The kernels over bits and lanes, on every instruction set, against the obvious loops.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/kernels.hpp"

namespace lacuna::cpu {
namespace {

struct alignas(bit_plane_bytes) Plane {
  std::uint8_t bytes[bit_plane_bytes];
};

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

bool bit_of(const Plane& plane, unsigned lane) { return (plane.bytes[lane / 8] >> lane % 8 & 1) != 0; }

TEST(InterleaveSlices, PutsByteBOfSliceSIntoByteSOfPlaneB) {
  for (Isa isa : available_isas()) {
    const auto slices = random_bytes(32 * 50, 1);
    std::vector<Plane> planes(48);
    kernels_for(isa).interleave_slices(slices.data(), 50, 48, planes[0].bytes);
    for (std::size_t p = 0; p < 48; ++p)
      for (std::size_t s = 0; s < 32; ++s) ASSERT_EQ(planes[p].bytes[s], slices[s * 50 + p]) << name(isa);
  }
}

TEST(TransposeBits, PutsBitCOfRowRIntoBitROfPlaneC) {
  for (Isa isa : available_isas()) {
    const auto rows = random_bytes(32 * 40, 2);
    std::vector<Plane> planes(256, Plane{});
    kernels_for(isa).transpose_bits(rows.data(), 40, 32, planes[0].bytes + 8);
    for (std::size_t c = 0; c < 256; ++c)
      for (unsigned lane = 0; lane < bit_lanes; ++lane) {
        const bool inside = lane >= 64 && lane < 96;  // the third word of a plane
        const bool expected = inside && (rows[(lane - 64) * 40 + c / 8] >> c % 8 & 1) != 0;
        ASSERT_EQ(bit_of(planes[c], lane), expected) << name(isa) << " plane " << c << " lane " << lane;
      }
  }
}

TEST(CountBits, CountsTheSourcesThatAreOn) {
  for (Isa isa : available_isas())
    for (const std::uint32_t longest : {1u, 8u, 32u, 63u, 64u, 255u}) {
      std::mt19937 random(longest);
      constexpr std::uint32_t width = 300;
      std::vector<Plane> planes(width + 1, Plane{});
      for (std::uint32_t p = 0; p < width; ++p)
        for (std::uint8_t& byte : planes[p].bytes) byte = static_cast<std::uint8_t>(p % 5 == 0 ? 255 : random());  // some always on: high counts
      std::vector<std::uint32_t> blocks{0};
      std::vector<std::uint32_t> sources;
      for (const std::uint32_t length : {0u, 1u, longest / 2, longest}) {
        for (std::uint32_t e = 0; e < length; ++e) sources.push_back(length == longest ? e * 5 % width : static_cast<std::uint32_t>(random() % width));
        while (sources.size() % 8 != 0) sources.push_back(width);
        blocks.push_back(static_cast<std::uint32_t>(sources.size() / 8));
      }
      const auto rows = static_cast<std::uint32_t>(blocks.size() - 1);
      std::vector<std::uint8_t> counts(std::size_t{rows} * bit_lanes);
      kernels_for(isa).count_bits({blocks.data(), sources.data(), longest > 63}, planes[0].bytes, rows, counts.data());
      for (std::uint32_t row = 0; row < rows; ++row)
        for (unsigned lane = 0; lane < bit_lanes; ++lane) {
          unsigned expected = 0;
          for (std::size_t e = blocks[row] * std::size_t{8}; e < blocks[row + 1] * std::size_t{8}; ++e) expected += bit_of(planes[sources[e]], lane);
          ASSERT_EQ(counts[row * bit_lanes + lane], expected) << name(isa) << " longest " << longest << " row " << row << " lane " << lane;
        }
    }
}

TEST(CountsToPlanes, WeighsShiftsAndClips) {
  for (Isa isa : available_isas()) {
    const unsigned lanes = kernels_for(isa).vector_lanes * 3;
    auto counts = random_bytes(std::size_t{5} * bit_lanes, 3);
    base::AlignedFloats planes(std::size_t{5} * lanes);
    const std::vector<float> bias{-1, 0, 0.5f, 100, -300};
    CountEpilogue epilogue{2, 0.0625f, bias.data(), 0, 0, 16};
    kernels_for(isa).counts_to_planes(epilogue, counts.data(), 5, lanes, planes.data());
    for (std::size_t row = 0; row < 5; ++row)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const float sum = 0.125f * static_cast<float>(counts[row * bit_lanes + lane]) + bias[row];
        ASSERT_EQ(planes.data()[row * lanes + lane], std::min(std::max(sum, 0.0f), 16.0f)) << name(isa);
      }
  }
}

TEST(PackLanes, KeepsTheFlaggedLanesInOrder) {
  for (Isa isa : available_isas())
    for (const unsigned vectors : {1u, 3u, 8u}) {
      const unsigned lanes = kernels_for(isa).vector_lanes * vectors;
      base::AlignedFloats planes(std::size_t{4} * lanes);
      for (std::size_t k = 0; k < planes.size(); ++k) planes.data()[k] = static_cast<float>(k);
      for (const unsigned every : {1u, 2u, 7u, 200u}) {
        std::vector<std::uint8_t> stays(lanes, 0);
        for (unsigned lane = every - 1; lane < lanes; lane += every) stays[lane] = 1;
        const std::size_t stride = lanes + 16;
        std::vector<float> packed(4 * stride + 16, -1);
        kernels_for(isa).pack_lanes(planes.data(), 4, lanes, stays.data(), packed.data(), stride);
        for (std::size_t plane = 0; plane < 4; ++plane) {
          std::size_t k = 0;
          for (unsigned lane = every - 1; lane < lanes; lane += every, ++k)
            ASSERT_EQ(packed[plane * stride + k], static_cast<float>(plane * lanes + lane)) << name(isa) << " every " << every;
        }
      }
    }
}

}  // namespace
}  // namespace lacuna::cpu
