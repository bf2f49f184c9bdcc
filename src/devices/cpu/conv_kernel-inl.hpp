// The kernels of sparse convolutions by table; see ConvTable in kernels.hpp. A row has V vectors of pixels in registers; each of its nonzeros
// costs one load of offset and weight and V loads that feed V multiply-adds. Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_CONV_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_CONV_KERNEL_INL
#undef LACUNA_CONV_KERNEL_INL
#else
#define LACUNA_CONV_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "devices/cpu/kernels.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// A row of a ConvTable on a tile of V vectors, its sums in registers. The sources of neighbouring lanes are `step` floats apart.
template <unsigned V, unsigned step>
class ConvRow {
 public:
  HWY_INLINE void begin(const ConvTable& table, std::size_t row, const float* partial) {
    const Floats d;
    if (table.is_first) {
      const Vector bias = hn::Set(d, table.bias[row]);
      for (unsigned v = 0; v < V; ++v) sum_[v] = bias;
    } else {
      for (unsigned v = 0; v < V; ++v) sum_[v] = hn::Load(d, partial + v * vector_lanes);
    }
  }

  HWY_INLINE void add(const ConvNonzero& nonzero, const float* HWY_RESTRICT source) {
    const Floats d;
    const float* HWY_RESTRICT input = source + nonzero.offset;
    const Vector w = hn::Set(d, nonzero.weight);
    for (unsigned v = 0; v < V; ++v) sum_[v] = hn::MulAdd(w, load(input + v * vector_lanes * step), sum_[v]);
  }

  HWY_INLINE void finish(const ConvTable& table, std::size_t row, const ConvMemory& memory, const ConvTile& tile, float* HWY_RESTRICT partial) {
    const Floats d;
    if (!table.is_last) {
      for (unsigned v = 0; v < V; ++v) hn::Store(sum_[v], d, partial + v * vector_lanes);
      return;
    }
    if (memory.skip != nullptr) {
      const float* const skip = memory.skip + tile.skip + table.skips[row];
      for (unsigned v = 0; v < V; ++v) sum_[v] = hn::Add(sum_[v], hn::LoadU(d, skip + v * vector_lanes));
    }
    float* const destination = memory.destination + tile.destination + table.destinations[row];
    if (table.low < -hwy::HighestValue<float>() && table.high > hwy::HighestValue<float>()) {  // no bounds: NaN stays what it is
      for (unsigned v = 0; v < V; ++v) hn::StoreU(blank(sum_[v], tile.wanted[v]), d, destination + v * vector_lanes);
      return;
    }
    const Vector low = hn::Set(d, table.low), high = hn::Set(d, table.high);
    for (unsigned v = 0; v < V; ++v) hn::StoreU(blank(hn::Min(hn::Max(sum_[v], low), high), tile.wanted[v]), d, destination + v * vector_lanes);
  }

 private:
  static HWY_INLINE Vector blank(Vector value, [[maybe_unused]] std::uint16_t wanted) {
#if HWY_TARGET == HWY_AVX3
    return hn::IfThenElseZero(hn::LoadMaskBits(Floats(), reinterpret_cast<const std::uint8_t*>(&wanted)), value);
#else
    return value;
#endif
  }

  static HWY_INLINE Vector load(const float* input) {
    const Floats d;
    if constexpr (step == 1) return hn::LoadU(d, input);
    Vector even, odd;
    hn::LoadInterleaved2(d, input, even, odd);
    return even;
  }

  static_assert(step == 1 || step == 2);
  static constexpr std::size_t vector_lanes = hn::MaxLanes(Floats());
  Vector sum_[V];
};

constexpr unsigned most_sums = HWY_TARGET == HWY_AVX3 ? 8 : 6;  // of rows in turn, in registers

/// Rows [row, row + R) in turn, nonzero by nonzero: few vectors have too few sums under way to hide the latency of multiply-adds. The sums of a row, where it is not finished, are `stride` floats after
/// those of the row before. Tables are asked for ahead of time: the CPU does not run ahead of several streams.
template <unsigned V, unsigned step, unsigned R>
HWY_INLINE void run_conv_rows(const ConvTable& table, std::size_t row, const ConvMemory& memory, const ConvTile& tile, float* partial, std::size_t stride) {
  constexpr std::ptrdiff_t line = 64 / sizeof(ConvNonzero), ahead = 32 * line;
  ConvRow<V, step> sums[R];
  const ConvNonzero* HWY_RESTRICT nonzero[R];
  const float* const source = memory.source + tile.source;
  std::ptrdiff_t all = std::numeric_limits<std::ptrdiff_t>::max();
  for (unsigned r = 0; r < R; ++r) {
    sums[r].begin(table, row + r, partial + r * stride);
    nonzero[r] = table.nonzeros + table.row_begin[row + r];
    all = std::min<std::ptrdiff_t>(all, table.row_begin[row + r + 1] - table.row_begin[row + r]);
  }
  for (; all >= line; all -= line) {
    for (unsigned r = 0; r < R; ++r) __builtin_prefetch(nonzero[r] + ahead);
    for (std::ptrdiff_t k = 0; k < line; ++k)
      for (unsigned r = 0; r < R; ++r) sums[r].add(*nonzero[r]++, source);
  }
  for (unsigned r = 0; r < R; ++r) {
    for (const ConvNonzero* const end = table.nonzeros + table.row_begin[row + r + 1]; nonzero[r] != end; ++nonzero[r]) sums[r].add(*nonzero[r], source);
    sums[r].finish(table, row + r, memory, tile, partial + r * stride);
  }
}

/// Rows [row, row + R) on each tile.
template <unsigned step, unsigned R>
HWY_INLINE void run_conv_tiles(const ConvTable& table, std::size_t row, const ConvMemory& memory, const ConvTile* tiles, std::size_t count, std::size_t stride) {
  float* partial = memory.partial + row * stride;
  for (std::size_t k = 0; k < count; ++k) {
    const auto run = [&]<unsigned V>() {
      if constexpr (R == 1 || R * V <= most_sums) run_conv_rows<V, step, R>(table, row, memory, tiles[k], partial, stride);
    };
    switch (tiles[k].vectors) {
      case 1: run.template operator()<1>(); break;
      case 2: run.template operator()<2>(); break;
      case 3: run.template operator()<3>(); break;
      case 4: run.template operator()<4>(); break;
      case 5: run.template operator()<5>(); break;
      case 6: run.template operator()<6>(); break;
      case 7: run.template operator()<7>(); break;
      case 8: run.template operator()<8>(); break;
      default: HWY_ABORT("conv kernel: %u vectors", tiles[k].vectors);
    }
    partial += tiles[k].vectors * hn::MaxLanes(Floats());
  }
}

template <unsigned step>
void run_conv_rows_in_turn(const ConvTable& table, const ConvMemory& memory, const ConvTile* tiles, std::size_t count) {
  unsigned widest = 0;
  std::size_t stride = 0;
  for (std::size_t k = 0; k < count; ++k) {
    widest = std::max(widest, tiles[k].vectors);
    stride += tiles[k].vectors * hn::MaxLanes(Floats());
  }
  std::size_t row = 0;
  if (widest == 1)
    for (; row + 4 <= table.rows; row += 4) run_conv_tiles<step, 4>(table, row, memory, tiles, count, stride);
  if (2 * widest <= most_sums)
    for (; row + 2 <= table.rows; row += 2) run_conv_tiles<step, 2>(table, row, memory, tiles, count, stride);
  for (; row < table.rows; ++row) run_conv_tiles<step, 1>(table, row, memory, tiles, count, stride);
}

void run_conv_table(const ConvTable& table, const ConvMemory& memory, const ConvTile* tiles, std::size_t count) {
  if (table.by_twos) return run_conv_rows_in_turn<2>(table, memory, tiles, count);
  run_conv_rows_in_turn<1>(table, memory, tiles, count);
}

/// Everything but clip: a second visit while the values are in the cache.
void run_activation(Epilogue epilogue, float first, float second, float* values, std::size_t count) {
  const Floats d;
  const std::size_t step = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + step <= count; k += step) hn::StoreU(apply_smooth(epilogue, first, second, hn::LoadU(d, values + k)), d, values + k);
  if (k == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(Floats())] = {};
  for (std::size_t lane = 0; k + lane < count; ++lane) rest[lane] = values[k + lane];
  hn::Store(apply_smooth(epilogue, first, second, hn::Load(d, rest)), d, rest);
  for (std::size_t lane = 0; k + lane < count; ++lane) values[k + lane] = rest[lane];
}

void part_rows(const float* from, std::size_t from_pitch, std::size_t rows, std::size_t count, float* even, float* odd, std::size_t to_pitch) {
  [[maybe_unused]] const std::size_t floats = 2 * count - (odd == nullptr ? 1 : 0);  // of a row; what stands after them may not exist
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2  // their masks touch nothing beyond
  const Floats of_rest;
  const std::size_t rest = floats % (2 * hn::MaxLanes(of_rest));
  const auto in_low = hn::FirstN(of_rest, rest), in_high = hn::FirstN(of_rest, rest - std::min(rest, hn::MaxLanes(of_rest))), in_part = hn::FirstN(of_rest, (rest + 1) / 2);
#endif
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    const Floats d;
    constexpr std::size_t lanes = hn::MaxLanes(Floats());
    const auto take = [&](Vector low, Vector high, auto store) {
      store(hn::ConcatEven(d, high, low), even + k);
      if (odd != nullptr) store(hn::ConcatOdd(d, high, low), odd + k);
    };
    for (; 2 * (k + lanes) <= floats; k += lanes) take(hn::LoadU(d, from + 2 * k), hn::LoadU(d, from + 2 * k + lanes), [&](Vector v, float* to) { hn::StoreU(v, d, to); });
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
    if (k < count) take(hn::MaskedLoad(in_low, d, from + 2 * k), rest > lanes ? hn::MaskedLoad(in_high, d, from + 2 * k + lanes) : hn::Zero(d), [&](Vector v, float* to) { hn::BlendedStore(v, in_part, d, to); });
#else
    for (; k < count; ++k) {
      even[k] = from[2 * k];
      if (odd != nullptr) odd[k] = from[2 * k + 1];
    }
#endif
    from += from_pitch;
    even += to_pitch;
    if (odd != nullptr) odd += to_pitch;
  }
}

template <std::size_t terms>
void combine_some_lines(const float* const* lines, const float* factors, std::size_t count, float* HWY_RESTRICT target) {
  const Floats d;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  for (std::size_t k = 0; k < count; k += lanes) {
    Vector sum = hn::Mul(hn::Set(d, factors[0]), hn::LoadU(d, lines[0] + k));
    for (std::size_t i = 1; i < terms; ++i) sum = hn::MulAdd(hn::Set(d, factors[i]), hn::LoadU(d, lines[i] + k), sum);
    hn::StoreU(sum, d, target + k);
  }
}

void combine_lines(const float* const* lines, const float* factors, std::size_t terms, std::size_t count, float* target) {
  switch (terms) {
    case 1: return combine_some_lines<1>(lines, factors, count, target);
    case 2: return combine_some_lines<2>(lines, factors, count, target);
    case 3: return combine_some_lines<3>(lines, factors, count, target);
    case 4: return combine_some_lines<4>(lines, factors, count, target);
    default: return combine_some_lines<5>(lines, factors, count, target);
  }
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
