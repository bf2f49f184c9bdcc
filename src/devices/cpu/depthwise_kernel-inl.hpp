// Depthwise convolutions: some rows of an output plane at once, whose sums stay in registers while the input's rows pass by; every vector of the input is loaded once for all rows that
// read it. See Depthwise in kernels.hpp. Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_DEPTHWISE_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_DEPTHWISE_KERNEL_INL
#undef LACUNA_DEPTHWISE_KERNEL_INL
#else
#define LACUNA_DEPTHWISE_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "devices/cpu/kernels.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// `rows` output rows, one vector wide, of a window of `kernel` x `kernel` taps.
template <unsigned kernel, unsigned stride, unsigned rows>
class DepthwiseTile {
 public:
  HWY_INLINE explicit DepthwiseTile(Vector bias) {
    for (unsigned row = 0; row < rows; ++row) sum_[row] = bias;
  }

  HWY_INLINE void add_all(const Vector (&weights)[kernel * kernel], const float* HWY_RESTRICT source, std::size_t pitch) {
    add_lines(weights, source, pitch, std::make_index_sequence<(rows - 1) * stride + kernel>());
  }

  HWY_INLINE Vector sum(unsigned row) const { return sum_[row]; }

 private:
  template <std::size_t... line>
  HWY_INLINE void add_lines(const Vector (&weights)[kernel * kernel], const float* HWY_RESTRICT source, std::size_t pitch, std::index_sequence<line...>) {
    (add_line<line>(weights, source + line * pitch, std::make_index_sequence<rows>()), ...);
  }

  template <std::size_t line, std::size_t... row>
  HWY_INLINE void add_line(const Vector (&weights)[kernel * kernel], const float* HWY_RESTRICT source, std::index_sequence<row...>) {
    Vector taps[kernel];
    load_taps(source, taps);
    for (unsigned x = 0; x < kernel; ++x) keep_in_register(taps[x]);
    (add_line_to<line, row>(weights, taps), ...);
  }

  template <std::size_t line, std::size_t row>
  HWY_INLINE void add_line_to(const Vector (&weights)[kernel * kernel], const Vector (&taps)[kernel]) {
    if constexpr (line >= row * stride && line - row * stride < kernel)
      for (unsigned x = 0; x < kernel; ++x) sum_[row] = hn::MulAdd(weights[(line - row * stride) * kernel + x], taps[x], sum_[row]);
  }

  /// taps[x] holds what the lanes' windows have in column x.
  static HWY_INLINE void load_taps(const float* HWY_RESTRICT source, Vector (&taps)[kernel]) {
    if constexpr (stride == 1)
      for (unsigned x = 0; x < kernel; ++x) taps[x] = hn::LoadU(Floats(), source + x);
    else
      load_every_second(source, taps);
  }

  static HWY_INLINE void load_every_second(const float* HWY_RESTRICT source, Vector (&taps)[kernel]) {
    const Floats d;
#if HWY_TARGET == HWY_AVX3  // three loads; the later taps are the first ones, moved on by a lane
    Vector part[3];
    for (unsigned k = 0; k < 3; ++k) {
      part[k] = hn::LoadU(d, source + k * hn::MaxLanes(Floats()));
      keep_in_register(part[k]);
    }
    const auto moved = [](Vector next, Vector first, auto lanes) {
      return Vector{_mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(next.raw), _mm512_castps_si512(first.raw), decltype(lanes)::value))};
    };
    const Vector even = hn::ConcatEven(d, part[1], part[0]), odd = hn::ConcatOdd(d, part[1], part[0]), next_even = hn::ConcatEven(d, part[2], part[2]), next_odd = hn::ConcatOdd(d, part[2], part[2]);
    taps[0] = even;
    taps[1] = odd;
    taps[2] = moved(kernel == 3 ? part[2] : next_even, even, std::integral_constant<int, 1>());
    if constexpr (kernel == 5) {
      taps[3] = moved(next_odd, odd, std::integral_constant<int, 1>());
      taps[4] = moved(next_even, even, std::integral_constant<int, 2>());
    }
#else
    for (unsigned x = 0; x < kernel; x += 2) {
      Vector odd;
      hn::LoadInterleaved2(d, source + x, taps[x], odd);
      if (x + 1 < kernel) taps[x + 1] = odd;
    }
#endif
  }

  /// Else the compiler loads it once more for each multiply-add that reads it.
  static HWY_INLINE void keep_in_register([[maybe_unused]] Vector& value) {
#if HWY_TARGET == HWY_AVX3
    asm("" : "+v"(value.raw));
#elif HWY_TARGET == HWY_AVX2
    asm("" : "+x"(value.raw));
#endif
  }

  static_assert(stride == 1 || stride == 2);
  Vector sum_[rows];
};

template <unsigned kernel, unsigned stride, unsigned rows>
void run_depthwise_rows(const Depthwise& shape, const Vector (&weights)[kernel * kernel], float bias, const float* HWY_RESTRICT source, float* HWY_RESTRICT destination) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  const bool is_bounded = shape.low >= -hwy::HighestValue<float>() || shape.high <= hwy::HighestValue<float>();  // else NaN stays what it is
  const Vector low = hn::Set(d, shape.low), high = hn::Set(d, shape.high), start = hn::Set(d, bias);
  std::size_t x = 0;
  const auto sums_of = [&](auto store) {
    DepthwiseTile<kernel, stride, rows> tile(start);
    tile.add_all(weights, source + x * stride, shape.source_row);
    for (unsigned row = 0; row < rows; ++row) {
      const Vector sum = tile.sum(row);
      store(is_bounded ? hn::Min(hn::Max(sum, low), high) : sum, destination + row * shape.destination_row + x);
    }
  };
  for (; x + lanes <= shape.width; x += lanes) sums_of([&](Vector sum, float* to) { hn::StoreU(sum, d, to); });
  const std::size_t left = shape.width - x, with_gap = left == 0 ? 0 : std::min<std::size_t>(left + shape.gap, lanes);
  if (left > 0) {
    const auto pixels = hn::FirstN(d, left), written = hn::FirstN(d, with_gap);
    sums_of([&](Vector sum, float* to) { hn::BlendedStore(hn::IfThenElseZero(pixels, sum), written, d, to); });
  }
  for (unsigned row = 0; row < rows; ++row)
    for (std::size_t k = x + with_gap; k < std::size_t{shape.width} + shape.gap; ++k) destination[row * shape.destination_row + k] = 0;
}

template <unsigned kernel, unsigned stride>
void run_depthwise_plane(const Depthwise& shape, const float* weights, float bias, const float* source, float* destination, std::uint32_t rows) {
  const Floats d;
  Vector spread[kernel * kernel];
  for (unsigned k = 0; k < kernel * kernel; ++k) spread[k] = hn::Set(d, weights[k]);
  const auto work_off = [&]<unsigned together>() {
    for (; rows >= together; rows -= together) {
      run_depthwise_rows<kernel, stride, together>(shape, spread, bias, source, destination);
      source += together * stride * shape.source_row;
      destination += together * shape.destination_row;
    }
  };
  if constexpr (HWY_TARGET == HWY_AVX3 && kernel == 3) work_off.template operator()<7>();  // 9 weights, 7 sums, 3 sources: and planes often have a multiple of 7 rows
  work_off.template operator()<4>();
  work_off.template operator()<2>();
  work_off.template operator()<1>();
}

void run_depthwise(const Depthwise& shape, const float* weights, float bias, const float* source, float* destination, std::uint32_t rows) {
  const auto run = [&](auto plane) { plane(shape, weights, bias, source, destination, rows); };
  if (shape.kernel == 3) return run(shape.stride == 1 ? run_depthwise_plane<3, 1> : run_depthwise_plane<3, 2>);
  if (shape.kernel == 5) return run(shape.stride == 1 ? run_depthwise_plane<5, 1> : run_depthwise_plane<5, 2>);
  HWY_ABORT("depthwise kernel: %u taps", shape.kernel);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
