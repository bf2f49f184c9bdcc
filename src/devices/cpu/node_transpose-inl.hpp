// Rows of a batch to planes and back: four columns at a time, in registers. Included once for each instruction set (node_kernels.cpp).
#if defined(LACUNA_NODE_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_NODE_TRANSPOSE_INL
#undef LACUNA_NODE_TRANSPOSE_INL
#else
#define LACUNA_NODE_TRANSPOSE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Four vectors whose 128-bit blocks hold the columns of 4 x 4 squares -> the squares' rows.
template <class D, class Vec = hn::Vec<D>>
HWY_INLINE void transpose_blocks(D d, Vec (&v)[4]) {
  const hn::RepartitionToWide<D> wide;
  const auto pairs = [&](Vec x) HWY_ATTR { return hn::BitCast(wide, x); };
  const auto low01 = pairs(hn::InterleaveLower(d, v[0], v[1])), low23 = pairs(hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = pairs(hn::InterleaveUpper(d, v[0], v[1])), high23 = pairs(hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

/// Each block of four to a place of its own, `stride` floats apart.
template <class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, float* to, std::size_t stride) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, stride);
    store_blocks(half, hn::UpperHalf(half, v), to + hn::MaxLanes(half) / 4 * stride, stride);
  }
}

/// Four planes to four neighbouring columns of as many rows as fill whole vectors; returns how many.
template <class D>
HWY_INLINE std::size_t four_columns(D d, const float* const (&planes)[4], std::size_t count, float* rows, std::size_t width) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  std::size_t lane = 0;
  for (; lane + lanes <= count; lane += lanes) {
    hn::Vec<D> v[4] = {hn::LoadU(d, planes[0] + lane), hn::LoadU(d, planes[1] + lane), hn::LoadU(d, planes[2] + lane), hn::LoadU(d, planes[3] + lane)};
    transpose_blocks(d, v);
    for (std::size_t k = 0; k < 4; ++k) store_blocks(d, v[k], rows + (lane + k) * width, 4 * width);
  }
  return lane;
}

/// Four rows at a time to four planes; returns how many rows were taken.
HWY_INLINE std::size_t four_planes(const float* rows, std::size_t count, std::size_t width, float* planes, std::size_t lanes) {
  const hn::CappedTag<float, 4> d;
  std::size_t lane = 0;
  for (; lane + 4 <= count; lane += 4) {
    hn::Vec<decltype(d)> v[4] = {hn::LoadU(d, rows + lane * width), hn::LoadU(d, rows + (lane + 1) * width), hn::LoadU(d, rows + (lane + 2) * width),
                                 hn::LoadU(d, rows + (lane + 3) * width)};
    transpose_blocks(d, v);
    for (std::size_t k = 0; k < 4; ++k) hn::StoreU(v[k], d, planes + k * lanes + lane);
  }
  return lane;
}

#endif

void rows_to_planes(const float* rows, std::size_t count, std::uint32_t width, unsigned lanes, float* planes) {
  std::uint32_t column = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; column + 4 <= width; column += 4) {
    const std::size_t done = four_planes(rows + column, count, width, planes + std::size_t{column} * lanes, lanes);
    for (std::size_t lane = done; lane < count; ++lane)
      for (std::uint32_t k = column; k < column + 4; ++k) planes[std::size_t{k} * lanes + lane] = rows[lane * width + k];
  }
#endif
  for (; column < width; ++column)
    for (std::size_t lane = 0; lane < count; ++lane) planes[std::size_t{column} * lanes + lane] = rows[lane * width + column];
  if (count == lanes) return;
  for (std::uint32_t k = 0; k < width; ++k) std::fill(planes + std::size_t{k} * lanes + count, planes + (k + std::size_t{1}) * lanes, 0.0f);
}

void planes_to_rows(const float* arena, const std::uint32_t* planes, std::size_t width, unsigned lanes, std::size_t count, float* rows) {
  const auto plane = [&](std::size_t column) { return arena + std::size_t{planes[column]} * lanes; };
  std::size_t column = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; column + 4 <= width; column += 4) {
    const float* const four[4] = {plane(column), plane(column + 1), plane(column + 2), plane(column + 3)};
    const std::size_t done = four_columns(hn::ScalableTag<float>(), four, count, rows + column, width);
    for (std::size_t lane = done; lane < count; ++lane)
      for (std::size_t k = 0; k < 4; ++k) rows[lane * width + column + k] = four[k][lane];
  }
#endif
  for (; column < width; ++column) {
    const float* const from = plane(column);
    if (width == 1) {
      std::copy_n(from, count, rows);
    } else {
      for (std::size_t lane = 0; lane < count; ++lane) rows[lane * width + column] = from[lane];
    }
  }
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
