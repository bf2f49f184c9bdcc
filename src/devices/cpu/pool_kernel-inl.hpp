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
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4  // one instruction that does just that
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Max(a, b); }
#else
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::IfThenElse(hn::Gt(a, b), a, b); }
#endif
  HWY_INLINE float operator()(float a, float b) const { return a > b ? a : b; }
};

struct Sum {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Add(a, b); }
  HWY_INLINE float operator()(float a, float b) const { return a + b; }
};

/// A window's lines, columns and stride: numbers that loops can be unrolled for, or what a PoolLines says.
template <std::size_t lines_, std::size_t columns_, std::size_t stride_>
struct KnownWindow {
  static constexpr std::size_t lines = lines_, columns = columns_, stride = stride_;
};
struct AnyWindow {
  std::size_t lines, columns, stride;
};

/// What the lines of a window give at some columns: from the lines themselves,
template <typename Combine, typename Window>
struct FromLines {
  const float* HWY_RESTRICT source;
  std::size_t pitch;
  Window window;

  HWY_INLINE Vector vector(std::size_t x) const {
    const Floats d;
    Vector value = hn::LoadU(d, source + x);
    for (std::size_t line = 1; line < window.lines; ++line) value = Combine()(value, hn::LoadU(d, source + line * pitch + x));
    return value;
  }
  HWY_INLINE float at(std::size_t x) const {
    float value = source[x];
    for (std::size_t line = 1; line < window.lines; ++line) value = Combine()(value, source[line * pitch + x]);
    return value;
  }
};

/// or from where it was kept: worth it for wide windows.
struct FromKept {
  const float* HWY_RESTRICT kept;

  HWY_INLINE Vector vector(std::size_t x) const { return hn::LoadU(Floats(), kept + x); }
  HWY_INLINE float at(std::size_t x) const { return kept[x]; }
};

/// Of windows x to x + a vector.
template <typename Combine, typename Window, typename Down>
HWY_INLINE Vector pool_vector(const Window& window, const Down& down, std::size_t x) {
  const Combine combine;
  if (window.stride == 1) {
    Vector value = down.vector(x);
    for (std::size_t column = 1; column < window.columns; ++column) value = combine(value, down.vector(x + column));
    return value;
  }
#if HWY_TARGET != HWY_SCALAR
  const Floats d;
  Vector value = hn::Zero(d);
  for (std::size_t column = 0; column < window.columns; column += 2) {
    const Vector low = down.vector(2 * x + column), high = down.vector(2 * x + column + hn::MaxLanes(Floats()));
    const Vector even = hn::ConcatEven(d, high, low);
    value = column == 0 ? even : combine(value, even);
    if (column + 1 < window.columns) value = combine(value, hn::ConcatOdd(d, high, low));
  }
  return value;
#else
  return down.vector(x);  // never asked for
#endif
}

template <typename Combine, typename Window, typename Down>
HWY_INLINE void pool_along(const Window& window, std::size_t count, const Down& down, float* HWY_RESTRICT target) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  std::size_t x = 0;
  if (window.stride == 1 || (window.stride == 2 && HWY_TARGET != HWY_SCALAR)) {
    for (; x + lanes <= count; x += lanes) hn::StoreU(pool_vector<Combine>(window, down, x), d, target + x);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2  // their masks touch nothing beyond
    if (x < count) hn::BlendedStore(pool_vector<Combine>(window, down, x), hn::FirstN(d, count - x), d, target + x);
    return;
#endif
  }
  for (; x < count; ++x) {
    float value = down.at(x * window.stride);
    for (std::size_t column = 1; column < window.columns; ++column) value = Combine()(value, down.at(x * window.stride + column));
    target[x] = value;
  }
}

template <typename Combine>
void pool_down(const PoolLines& shape, const float* HWY_RESTRICT source, float* HWY_RESTRICT best) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  for (std::size_t x = 0; x < shape.width; x += lanes) hn::StoreU(hn::LoadU(d, source + x), d, best + x);
  for (std::size_t line = 1; line < shape.lines; ++line)
    for (std::size_t x = 0; x < shape.width; x += lanes) hn::StoreU(Combine()(hn::LoadU(d, best + x), hn::LoadU(d, source + line * shape.pitch + x)), d, best + x);
}

template <typename Combine, typename Window>
void pool_narrow_rows(const PoolLines& shape, const Window& window, const float* source, float* target) {
  for (std::size_t row = 0; row < shape.rows; ++row, source += shape.source_step, target += shape.target_step)
    pool_along<Combine>(window, shape.count, FromLines<Combine, Window>{source, shape.pitch, window}, target);
}

template <typename Combine>
void pool_rows(const PoolLines& shape, const float* source, float* best, std::size_t first, float* target) {
  constexpr std::size_t few_columns = 3;
  const AnyWindow window{shape.lines, shape.columns, shape.stride};
  const auto is = [&](std::size_t size, std::size_t stride) { return shape.lines == size && shape.columns == size && shape.stride == stride; };
  if (is(2, 2)) return pool_narrow_rows<Combine>(shape, KnownWindow<2, 2, 2>(), source + first, target);
  if (is(3, 2)) return pool_narrow_rows<Combine>(shape, KnownWindow<3, 3, 2>(), source + first, target);
  if (shape.columns <= few_columns) return pool_narrow_rows<Combine>(shape, window, source + first, target);
  for (std::size_t row = 0; row < shape.rows; ++row, source += shape.source_step, target += shape.target_step) {
    pool_down<Combine>(shape, source, best);
    pool_along<Combine>(window, shape.count, FromKept{best + first}, target);
  }
}

void pool_lines(const PoolLines& shape, const float* source, float* best, std::size_t first, float* target) {
  shape.is_maximum ? pool_rows<Larger>(shape, source, best, first, target) : pool_rows<Sum>(shape, source, best, first, target);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
