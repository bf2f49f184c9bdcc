// Pooling windows side by side: first down the lines of the windows, then along. See PoolLines in kernels.hpp. Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_POOL_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_POOL_KERNEL_INL
#undef LACUNA_POOL_KERNEL_INL
#else
#define LACUNA_POOL_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "devices/cpu/kernels.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// Like a > b ? a : b for every lane, so that what is no number goes the same way everywhere.
struct Larger {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::IfThenElse(hn::Gt(a, b), a, b); }
  HWY_INLINE float operator()(float a, float b) const { return a > b ? a : b; }
};

struct Sum {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Add(a, b); }
  HWY_INLINE float operator()(float a, float b) const { return a + b; }
};

/// Line after line, as they stand in memory: the CPU then fetches ahead.
template <typename Combine>
void pool_down(const PoolLines& shape, const float* HWY_RESTRICT source, float* HWY_RESTRICT best, Combine combine) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  for (std::size_t x = 0; x < shape.width; x += lanes) hn::StoreU(hn::LoadU(d, source + x), d, best + x);
  for (std::size_t line = 1; line < shape.lines; ++line)
    for (std::size_t x = 0; x < shape.width; x += lanes) hn::StoreU(combine(hn::LoadU(d, best + x), hn::LoadU(d, source + line * shape.pitch + x)), d, best + x);
}

/// Of windows x to x + a vector.
template <typename Combine>
HWY_INLINE Vector pool_vector(const PoolLines& shape, const float* HWY_RESTRICT best, Combine combine) {
  const Floats d;
  if (shape.stride == 1) {
    Vector value = hn::LoadU(d, best);
    for (std::size_t column = 1; column < shape.columns; ++column) value = combine(value, hn::LoadU(d, best + column));
    return value;
  }
#if HWY_TARGET != HWY_SCALAR
  Vector value = hn::Zero(d);
  for (std::size_t column = 0; column < shape.columns; column += 2) {
    const Vector low = hn::LoadU(d, best + column), high = hn::LoadU(d, best + column + hn::MaxLanes(Floats()));
    const Vector even = hn::ConcatEven(d, high, low);
    value = column == 0 ? even : combine(value, even);
    if (column + 1 < shape.columns) value = combine(value, hn::ConcatOdd(d, high, low));
  }
  return value;
#else
  return hn::LoadU(d, best);  // never asked for
#endif
}

template <typename Combine>
void pool_along(const PoolLines& shape, const float* HWY_RESTRICT best, float* HWY_RESTRICT target, Combine combine) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  std::size_t x = 0;
  if (shape.stride == 1 || (shape.stride == 2 && HWY_TARGET != HWY_SCALAR)) {
    for (; x + lanes <= shape.count; x += lanes) hn::StoreU(pool_vector(shape, best + x * shape.stride, combine), d, target + x);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2  // their masks touch nothing beyond
    if (x < shape.count) hn::BlendedStore(pool_vector(shape, best + x * shape.stride, combine), hn::FirstN(d, shape.count - x), d, target + x);
    return;
#endif
  }
  for (; x < shape.count; ++x) {
    float value = best[x * shape.stride];
    for (std::size_t column = 1; column < shape.columns; ++column) value = combine(value, best[x * shape.stride + column]);
    target[x] = value;
  }
}

void pool_lines(const PoolLines& shape, const float* source, float* best, std::size_t first, float* target) {
  const auto pool = [&](auto combine) {
    pool_down(shape, source, best, combine);
    pool_along(shape, best + first, target, combine);
  };
  shape.is_maximum ? pool(Larger()) : pool(Sum());
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
