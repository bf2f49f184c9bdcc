// Counting kernels: the first layer of inputs that are on or off, 256 of them at once in planes of bits.
//
// A row's sum is a count of the sources that are on. Counts are kept vertically, one vector for each binary digit, and sources are added eight
// at a time by carry-save adders (five logical operations add three bits of 256 inputs). Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_BIT_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_BIT_KERNELS_INL
#undef LACUNA_BIT_KERNELS_INL
#else
#define LACUNA_BIT_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "devices/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

using Words = hwy::HWY_NAMESPACE::CappedTag<std::uint64_t, bit_plane_bytes / sizeof(std::uint64_t)>;
using WordVector = hwy::HWY_NAMESPACE::Vec<Words>;

/// sum + 2 * carry = sum + a + b, digit by digit.
HWY_INLINE void add_three(WordVector& carry, WordVector& sum, WordVector a, WordVector b) {
  namespace hn = hwy::HWY_NAMESPACE;
  const WordVector half = hn::Xor(sum, a);
  carry = hn::Or(hn::And(sum, a), hn::And(half, b));
  sum = hn::Xor(half, b);
}

/// Digits 0, 1, 2 of the count and `Upper` more.
template <unsigned Upper>
struct Digits {
  WordVector ones, twos, fours;
  WordVector upper[Upper];
};

/// Adds eight planes to the count.
template <unsigned Upper>
HWY_INLINE void add_eight(Digits<Upper>& digits, const std::uint64_t* planes, const std::uint32_t* sources) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr Words d;
  const auto plane = [&](unsigned k) HWY_ATTR { return hn::Load(d, planes + std::size_t{sources[k]} * (bit_plane_bytes / sizeof(std::uint64_t))); };
  WordVector twos_a, twos_b, fours_a, fours_b, carry;
  add_three(twos_a, digits.ones, plane(0), plane(1));
  add_three(twos_b, digits.ones, plane(2), plane(3));
  add_three(fours_a, digits.twos, twos_a, twos_b);
  add_three(twos_a, digits.ones, plane(4), plane(5));
  add_three(twos_b, digits.ones, plane(6), plane(7));
  add_three(fours_b, digits.twos, twos_a, twos_b);
  add_three(carry, digits.fours, fours_a, fours_b);
  for (unsigned k = 0; k < Upper; ++k) {
    const WordVector before = digits.upper[k];
    digits.upper[k] = hn::Xor(before, carry);
    carry = hn::And(before, carry);
  }
}

/// Writes the counts of Lanes(d) * 64 inputs as bytes.
template <unsigned Upper>
HWY_INLINE void store_counts(const Digits<Upper>& digits, std::uint8_t* counts) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr Words d;
  constexpr unsigned digit_count = Upper + 3;
  const std::size_t words = hn::Lanes(d);
  std::uint64_t stored[digit_count][bit_plane_bytes / sizeof(std::uint64_t) + 1];  // one more: read four bytes at a time below
  hn::StoreU(digits.ones, d, stored[0]);
  hn::StoreU(digits.twos, d, stored[1]);
  hn::StoreU(digits.fours, d, stored[2]);
  for (unsigned k = 0; k < Upper; ++k) hn::StoreU(digits.upper[k], d, stored[3 + k]);
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t lane = 0; lane < words * 64; ++lane) {
    unsigned count = 0;
    for (unsigned k = 0; k < digit_count; ++k) count |= static_cast<unsigned>(stored[k][lane / 64] >> (lane % 64) & 1) << k;
    counts[lane] = static_cast<std::uint8_t>(count);
  }
#else
  constexpr hn::CappedTag<std::uint8_t, 32> bytes;
  const hn::Repartition<std::uint32_t, decltype(bytes)> dwords;
  const std::size_t step = hn::Lanes(bytes);
  HWY_ALIGN static constexpr std::uint8_t byte_of_lane[32] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
  const auto spread = hn::Load(bytes, byte_of_lane);
  const auto bit_of_lane = hn::BitCast(bytes, hn::Set(hn::Repartition<std::uint64_t, decltype(bytes)>(), 0x8040201008040201u));
  for (std::size_t lane = 0; lane < words * 64; lane += step) {
    auto count = hn::Zero(bytes);
    for (unsigned k = digit_count; k-- > 0;) {
      std::uint32_t part;
      std::memcpy(&part, reinterpret_cast<const std::uint8_t*>(stored[k]) + lane / 8, sizeof(part));
      const auto lanes_bits = hn::And(hn::TableLookupBytes(hn::BitCast(bytes, hn::Set(dwords, part)), spread), bit_of_lane);
      const auto on = hn::VecFromMask(bytes, hn::Eq(lanes_bits, bit_of_lane));  // 255 is -1
      count = hn::Sub(hn::Add(count, count), on);
    }
    hn::StoreU(count, bytes, counts + lane);
  }
#endif
}

template <unsigned Upper>
void count_bits_digits(const CountTable& table, const std::uint8_t* planes, std::uint32_t rows, std::uint8_t* counts) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr Words d;
  const std::size_t words = hn::Lanes(d);
  for (std::size_t word = 0; word < bit_plane_bytes / sizeof(std::uint64_t); word += words) {
    const auto* part = reinterpret_cast<const std::uint64_t*>(planes) + word;
    for (std::uint32_t row = 0; row < rows; ++row) {
      Digits<Upper> digits;
      digits.ones = digits.twos = digits.fours = hn::Zero(d);
      for (unsigned k = 0; k < Upper; ++k) digits.upper[k] = hn::Zero(d);
      for (std::size_t block = table.blocks[row]; block < table.blocks[row + std::size_t{1}]; ++block)
        add_eight<Upper>(digits, part, table.sources + block * 8);
      store_counts<Upper>(digits, counts + std::size_t{row} * bit_lanes + word * 64);
    }
  }
}

void count_bits(const CountTable& table, const std::uint8_t* planes, std::uint32_t rows, std::uint8_t* counts) {
  if (table.counts_above_63) return count_bits_digits<5>(table, planes, rows, counts);
  return count_bits_digits<3>(table, planes, rows, counts);
}

void counts_to_planes(const CountEpilogue& epilogue, const std::uint8_t* counts, std::uint32_t rows, unsigned lanes, float* planes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  const auto input = hn::Set(d, epilogue.input);
  const auto weight = hn::Set(d, epilogue.weight);
  const auto low = hn::Set(d, epilogue.low);
  const auto high = hn::Set(d, epilogue.high);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto bias = hn::Set(d, epilogue.bias == nullptr ? epilogue.one_bias : epilogue.bias[row]);
    const std::uint8_t* const from = counts + std::size_t{row} * bit_lanes;
    float* const to = planes + std::size_t{row} * lanes;
    for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
      const auto sum = hn::Mul(hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(bytes, from + lane))), input);
      hn::Store(hn::Min(hn::Max(hn::MulAdd(weight, sum, bias), low), high), d, to + lane);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

void interleave_slices(const std::uint8_t* slices, std::size_t stride, std::size_t count, std::uint8_t* planes) {
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t s = 0; s < bit_plane_bytes; ++s) planes[p * bit_plane_bytes + s] = slices[s * stride + p];
}

void transpose_bits(const std::uint8_t* rows, std::size_t stride, std::size_t bytes, std::uint8_t* words) {
  for (std::size_t c = 0; c < bytes * 8; ++c) {
    std::uint32_t word = 0;
    for (unsigned r = 0; r < 32; ++r) word |= static_cast<std::uint32_t>(rows[r * stride + c / 8] >> c % 8 & 1) << r;
    std::memcpy(words + c * bit_plane_bytes, &word, sizeof(word));
  }
}

#else

using Bytes16 = hwy::HWY_NAMESPACE::FixedTag<std::uint8_t, 16>;

/// Byte k of row s goes to byte s of row k: four rounds of interleaving rows k and k + 8.
HWY_INLINE void transpose_bytes(hwy::HWY_NAMESPACE::Vec<Bytes16> (&rows)[16]) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr Bytes16 d;
  for (int round = 0; round < 4; ++round) {
    hn::Vec<Bytes16> mixed[16];
    for (std::size_t k = 0; k < 8; ++k) {
      mixed[2 * k] = hn::InterleaveLower(d, rows[k], rows[k + 8]);
      mixed[2 * k + 1] = hn::InterleaveUpper(d, rows[k], rows[k + 8]);
    }
    for (std::size_t k = 0; k < 16; ++k) rows[k] = mixed[k];
  }
}

HWY_INLINE void load_and_transpose(const std::uint8_t* bytes, std::size_t stride, hwy::HWY_NAMESPACE::Vec<Bytes16> (&rows)[16]) {
  for (std::size_t s = 0; s < 16; ++s) rows[s] = hwy::HWY_NAMESPACE::LoadU(Bytes16(), bytes + s * stride);
  transpose_bytes(rows);
}

void interleave_slices(const std::uint8_t* slices, std::size_t stride, std::size_t count, std::uint8_t* planes) {
  for (std::size_t p = 0; p < count; p += 16) {
    for (std::size_t half = 0; half < bit_plane_bytes; half += 16) {
      hwy::HWY_NAMESPACE::Vec<Bytes16> rows[16];
      load_and_transpose(slices + half * stride + p, stride, rows);
      for (std::size_t k = 0; k < 16; ++k) hwy::HWY_NAMESPACE::StoreU(rows[k], Bytes16(), planes + (p + k) * bit_plane_bytes + half);
    }
  }
}

void transpose_bits(const std::uint8_t* rows, std::size_t stride, std::size_t bytes, std::uint8_t* words) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr hn::CappedTag<std::int8_t, 32> d;
  const hn::RebindToUnsigned<decltype(d)> unsigned_bytes;
  const std::size_t step = hn::Lanes(d);
  HWY_ALIGN std::uint8_t columns[16][32];  // byte b of all 32 rows, side by side
  for (std::size_t b = 0; b < bytes; b += 16) {
    for (std::size_t half = 0; half < 2; ++half) {
      hn::Vec<Bytes16> part[16];
      load_and_transpose(rows + half * 16 * stride + b, stride, part);
      for (std::size_t k = 0; k < 16; ++k) hn::Store(part[k], Bytes16(), columns[k] + half * 16);
    }
    for (std::size_t k = 0; k < 16; ++k) {
      std::uint8_t* const plane = words + (b + k) * 8 * bit_plane_bytes;
      for (std::size_t r = 0; r < 32; r += step) {
        auto bits = hn::BitCast(d, hn::Load(unsigned_bytes, columns[k] + r));
        for (std::size_t bit = 8; bit-- > 0;) {  // the highest bit of every byte, then the next
          hn::StoreMaskBits(d, hn::MaskFromVec(bits), plane + bit * bit_plane_bytes + r / 8);  // x86 reads the sign bits alone
          bits = hn::Add(bits, bits);
        }
      }
    }
  }
}

#endif

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
