// Matrix-vector products: lanes are output rows, each of which gathers its own sources; see GatherTable in kernels.hpp. Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_GATHER_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_GATHER_KERNEL_INL
#undef LACUNA_GATHER_KERNEL_INL
#else
#define LACUNA_GATHER_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "devices/cpu/kernels.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// Four floats from anywhere. The CPU's own gathers take twice as long on some (24 cycles for sixteen floats on Zen 4), and are slowed down for safety on others.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
using FourFloats = hn::Vec<hn::FixedTag<float, 4>>;

HWY_INLINE FourFloats gather_four(const float* HWY_RESTRICT source, std::size_t a, std::size_t b, std::size_t c, std::size_t e) {
  __m128 four = _mm_load_ss(source + a);
  four = _mm_insert_ps(four, _mm_load_ss(source + b), 0x10);
  four = _mm_insert_ps(four, _mm_load_ss(source + c), 0x20);
  return FourFloats{_mm_insert_ps(four, _mm_load_ss(source + e), 0x30)};
}
HWY_INLINE FourFloats gather_four(const float* HWY_RESTRICT source, const std::uint16_t* offsets) {
  std::uint64_t all;  // one load for four of them
  std::memcpy(&all, offsets, sizeof all);
  return gather_four(source, all & 0xFFFF, all >> 16 & 0xFFFF, all >> 32 & 0xFFFF, all >> 48);
}
HWY_INLINE FourFloats gather_four(const float* HWY_RESTRICT source, const std::int32_t* offsets) {
  const auto at = [&](unsigned k) { return static_cast<std::size_t>(offsets[k]); };  // from the lowest
  return gather_four(source, at(0), at(1), at(2), at(3));
}
#endif

/// sums[lane] += weights * sources, for as many of each lane.
template <typename Offset>
HWY_INLINE void add_gathered(const Offset* HWY_RESTRICT offsets, const float* HWY_RESTRICT weights, const float* HWY_RESTRICT source, std::size_t count, float* sums) {
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  constexpr std::size_t ahead = 32;  // vectors: the CPU alone does not fetch tables from memory in time
  const hn::FixedTag<float, 4> d;
  FourFloats sum[lanes / 4];
  for (std::size_t part = 0; part < lanes / 4; ++part) sum[part] = hn::Load(d, sums + 4 * part);
  for (std::size_t k = 0; k < count * lanes; k += lanes) {
    __builtin_prefetch(weights + k + ahead * lanes);
    __builtin_prefetch(offsets + k + ahead * lanes);
    for (std::size_t part = 0; part < lanes / 4; ++part) sum[part] = hn::MulAdd(hn::LoadU(d, weights + k + 4 * part), gather_four(source, offsets + k + 4 * part), sum[part]);
  }
  for (std::size_t part = 0; part < lanes / 4; ++part) hn::Store(sum[part], d, sums + 4 * part);
#else
  for (std::size_t k = 0; k < count * lanes; ++k) sums[k % lanes] = __builtin_fmaf(weights[k], source[offsets[k]], sums[k % lanes]);
#endif
}

/// One vector of rows at once, each lane gathering its own sources; then what the longer of them have left.
template <typename Offset>
void run_gather_from(const Offset* HWY_RESTRICT offsets, const GatherTable& table, const ConvMemory& memory, std::size_t begin, std::size_t end) {
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  const float* HWY_RESTRICT source = memory.source + table.lowest;
  for (std::size_t block = begin; block < end; ++block) {
    const std::size_t at = table.block_begin[block];
    const std::size_t together = table.together[block];
    HWY_ALIGN float sums[lanes];
    std::copy_n(table.bias + block * lanes, lanes, sums);
    add_gathered(offsets + at, table.weights + at, source, together, sums);
    std::size_t rest = at + together * lanes;
    for (std::size_t lane = 0; lane < lanes && block * lanes + lane < table.rows; ++lane) {
      const std::size_t row = block * lanes + lane;
      for (std::uint32_t k = 0; k < table.rest[row]; ++k, ++rest) sums[lane] = __builtin_fmaf(table.weights[rest], source[offsets[rest]], sums[lane]);
      float value = sums[lane];
      if (memory.skip != nullptr) value += memory.skip[table.skips[row]];
      value = value > table.low ? value : table.low;
      memory.destination[table.destinations[row]] = value < table.high ? value : table.high;
    }
  }
}

void run_gather(const GatherTable& table, const ConvMemory& memory, std::size_t begin, std::size_t end) {
  if (table.near_offsets != nullptr) return run_gather_from(table.near_offsets, table, memory, begin, end);
  run_gather_from(table.offsets, table, memory, begin, end);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
