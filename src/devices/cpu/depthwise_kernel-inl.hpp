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

/// What some rows of one plane need, all of it in registers while they are worked off.
template <unsigned kernel, unsigned stride>
struct DepthwisePlane {
  Vector weights[kernel * kernel];
  Vector bias, low, high;
  bool is_bounded;  ///< else NaN stays what it is
  std::size_t width, gap, source_row, destination_row;

  HWY_INLINE explicit DepthwisePlane(const Depthwise& shape)
      : low(hn::Set(Floats(), shape.low)), high(hn::Set(Floats(), shape.high)), is_bounded(shape.low >= -hwy::HighestValue<float>() || shape.high <= hwy::HighestValue<float>()), width(shape.width),
        gap(shape.gap), source_row(shape.source_row), destination_row(shape.destination_row) {}

  HWY_INLINE void set(const float* of_plane, float bias_of_plane) { set(of_plane, bias_of_plane, std::make_index_sequence<kernel * kernel>()); }

  HWY_INLINE Vector bounded(Vector sum) const { return is_bounded ? hn::Min(hn::Max(sum, low), high) : sum; }

 private:
  template <std::size_t... tap>
  HWY_INLINE void set(const float* of_plane, float bias_of_plane, std::index_sequence<tap...>) {
    ((weights[tap] = hn::Set(Floats(), of_plane[tap])), ...);
    bias = hn::Set(Floats(), bias_of_plane);
  }
};

/// `rows` output rows, one vector wide, of a window of `kernel` x `kernel` taps. Everything is unrolled by its types: numbers known to the compiler before it decides what stays in registers.
template <unsigned kernel, unsigned stride, unsigned rows>
class DepthwiseTile {
 public:
  using Plane = DepthwisePlane<kernel, stride>;

  HWY_INLINE DepthwiseTile(const Plane& plane, const float* HWY_RESTRICT source) { start(plane, source, std::make_index_sequence<rows>(), std::make_index_sequence<(rows - 1) * stride + kernel>()); }

  HWY_INLINE void store(const Plane& plane, float* HWY_RESTRICT destination) const {
    each_row(std::make_index_sequence<rows>(), [&](unsigned row) HWY_ATTR { hn::StoreU(plane.bounded(sum_[row]), Floats(), destination + row * plane.destination_row); });
  }

  /// The first `left` lanes, and zeros after them, as far as `written` of all.
  HWY_INLINE void store_last(const Plane& plane, float* HWY_RESTRICT destination, std::size_t left, std::size_t written) const {
    const Floats d;
    const auto pixels = hn::FirstN(d, left);
    if (written == hn::MaxLanes(Floats())) {
      each_row(std::make_index_sequence<rows>(), [&](unsigned row) HWY_ATTR { hn::StoreU(hn::IfThenElseZero(pixels, plane.bounded(sum_[row])), d, destination + row * plane.destination_row); });
    } else {
      const auto lanes = hn::FirstN(d, written);
      each_row(std::make_index_sequence<rows>(), [&](unsigned row) HWY_ATTR { hn::BlendedStore(hn::IfThenElseZero(pixels, plane.bounded(sum_[row])), lanes, d, destination + row * plane.destination_row); });
    }
  }

 private:
  template <std::size_t... row, typename Store>
  static HWY_INLINE void each_row(std::index_sequence<row...>, const Store& store) {
    (store(row), ...);
  }

  template <std::size_t... row, std::size_t... line>
  HWY_INLINE void start(const Plane& plane, const float* HWY_RESTRICT source, std::index_sequence<row...>, std::index_sequence<line...>) {
    ((sum_[row] = plane.bias), ...);
    (add_line<line>(plane, source + line * plane.source_row, std::make_index_sequence<rows>()), ...);
  }

  template <std::size_t line, std::size_t... row>
  HWY_INLINE void add_line(const Plane& plane, const float* HWY_RESTRICT source, std::index_sequence<row...>) {
    Vector taps[kernel];
    load_taps(source, taps, std::make_index_sequence<kernel>());
    (add_line_to<line, row>(plane, taps, std::make_index_sequence<kernel>()), ...);
  }

  template <std::size_t line, std::size_t row, std::size_t... x>
  HWY_INLINE void add_line_to(const Plane& plane, const Vector (&taps)[kernel], std::index_sequence<x...>) {
    if constexpr (line >= row * stride && line - row * stride < kernel) ((sum_[row] = hn::MulAdd(plane.weights[(line - row * stride) * kernel + x], taps[x], sum_[row])), ...);
  }

  /// taps[x] holds what the lanes' windows have in column x.
  template <std::size_t... x>
  static HWY_INLINE void load_taps(const float* HWY_RESTRICT source, Vector (&taps)[kernel], std::index_sequence<x...>) {
    if constexpr (stride == 1)
      ((taps[x] = hn::LoadU(Floats(), source + x)), ...);
    else
      load_every_second(source, taps);
    (keep_in_register(taps[x]), ...);
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
HWY_INLINE void run_depthwise_rows(const DepthwisePlane<kernel, stride>& plane, const float* HWY_RESTRICT source, float* HWY_RESTRICT destination) {
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  std::size_t x = 0;
  for (; x + lanes <= plane.width; x += lanes) DepthwiseTile<kernel, stride, rows>(plane, source + x * stride).store(plane, destination + x);
  const std::size_t left = plane.width - x, written = left == 0 ? 0 : std::min(left + plane.gap, lanes);
  if (left > 0) DepthwiseTile<kernel, stride, rows>(plane, source + x * stride).store_last(plane, destination + x, left, written);
  if (x + written < plane.width + plane.gap)
    for (unsigned row = 0; row < rows; ++row) std::fill_n(destination + row * plane.destination_row + x + written, plane.width + plane.gap - x - written, 0.0f);
}

template <unsigned kernel, unsigned stride>
void run_depthwise_planes(const Depthwise& shape, const float* weights, const float* bias, const float* source, float* destination, std::size_t begin, std::size_t end) {
  DepthwisePlane<kernel, stride> of_plane(shape);
  const std::size_t source_plane = shape.source_plane, destination_plane = shape.destination_plane, outputs = shape.outputs, after = shape.after;
  for (std::size_t plane = begin; plane < end; ++plane) {
    of_plane.set(weights + plane * kernel * kernel, bias[plane]);
    const float* from = source + (outputs == 1 ? plane : plane / outputs) * source_plane;
    float* to = destination + plane * destination_plane;
    std::uint32_t rows = shape.rows;
    const auto done = [&](unsigned together) {
      rows -= together;
      from += together * stride * of_plane.source_row;
      to += together * of_plane.destination_row;
    };
    if constexpr (HWY_TARGET == HWY_AVX3 && kernel == 3)  // 9 weights, 7 sums, 3 sources: and planes often have a multiple of 7 rows
      for (; rows >= 7; done(7)) run_depthwise_rows<kernel, stride, 7>(of_plane, from, to);
    for (; rows >= 4; done(4)) run_depthwise_rows<kernel, stride, 4>(of_plane, from, to);
    for (; rows >= 2; done(2)) run_depthwise_rows<kernel, stride, 2>(of_plane, from, to);
    for (; rows >= 1; done(1)) run_depthwise_rows<kernel, stride, 1>(of_plane, from, to);
    std::fill_n(to, after, 0.0f);
  }
}

void run_depthwise(const Depthwise& shape, const float* weights, const float* bias, const float* source, float* destination, std::size_t begin, std::size_t end) {
  const auto run = [&](auto planes) { planes(shape, weights, bias, source, destination, begin, end); };
  if (shape.kernel == 3) return run(shape.stride == 1 ? run_depthwise_planes<3, 1> : run_depthwise_planes<3, 2>);
  if (shape.kernel == 5) return run(shape.stride == 1 ? run_depthwise_planes<5, 1> : run_depthwise_planes<5, 2>);
  HWY_ABORT("depthwise kernel: %u taps", shape.kernel);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
