// The kernels of sparse convolutions by table; see ConvTable in kernels.hpp. A row has V vectors of pixels in registers; each of its nonzeros
// costs one load of offset and weight and V loads that feed V multiply-adds. Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_CONV_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_CONV_KERNEL_INL
#undef LACUNA_CONV_KERNEL_INL
#else
#define LACUNA_CONV_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "devices/cpu/kernels.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// Row `row` on a tile of V vectors.
template <unsigned V>
HWY_INLINE void run_conv_tile(const ConvTable& table, std::size_t row, const ConvMemory& memory, const ConvTile& tile, float* HWY_RESTRICT partial) {
  const Floats d;
  constexpr std::size_t vector_lanes = hn::MaxLanes(Floats());
  Vector sum[V];
  if (table.is_first) {
    const Vector bias = hn::Set(d, table.bias[row]);
    for (unsigned v = 0; v < V; ++v) sum[v] = bias;
  } else {
    for (unsigned v = 0; v < V; ++v) sum[v] = hn::Load(d, partial + v * vector_lanes);
  }
  const float* HWY_RESTRICT source = memory.source + tile.source;
  const ConvNonzero* HWY_RESTRICT nonzero = table.nonzeros + table.row_begin[row];
  const ConvNonzero* const end = table.nonzeros + table.row_begin[row + 1];
  for (; nonzero != end; ++nonzero) {
    const float* HWY_RESTRICT input = source + nonzero->offset;
    const Vector w = hn::Set(d, nonzero->weight);
    for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, hn::LoadU(d, input + v * vector_lanes), sum[v]);
  }
  if (!table.is_last) {
    for (unsigned v = 0; v < V; ++v) hn::Store(sum[v], d, partial + v * vector_lanes);
    return;
  }
  if (memory.skip != nullptr) {
    const float* const skip = memory.skip + tile.skip + table.skips[row];
    for (unsigned v = 0; v < V; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, skip + v * vector_lanes));
  }
  float* const destination = memory.destination + tile.destination + table.destinations[row];
  if (table.low < -hwy::HighestValue<float>() && table.high > hwy::HighestValue<float>()) {  // no bounds: NaN stays what it is
    for (unsigned v = 0; v < V; ++v) hn::StoreU(sum[v], d, destination + v * vector_lanes);
    return;
  }
  const Vector low = hn::Set(d, table.low), high = hn::Set(d, table.high);
  for (unsigned v = 0; v < V; ++v) hn::StoreU(hn::Min(hn::Max(sum[v], low), high), d, destination + v * vector_lanes);
}

void run_conv_table(const ConvTable& table, const ConvMemory& memory, const ConvTile* tiles, std::size_t count) {
  constexpr std::size_t vector_lanes = hn::MaxLanes(Floats());
  float* partial = memory.partial;
  for (std::size_t row = 0; row < table.rows; ++row)
    for (std::size_t k = 0; k < count; ++k) {
      switch (tiles[k].vectors) {
        case 1: run_conv_tile<1>(table, row, memory, tiles[k], partial); break;
        case 2: run_conv_tile<2>(table, row, memory, tiles[k], partial); break;
        case 3: run_conv_tile<3>(table, row, memory, tiles[k], partial); break;
        case 4: run_conv_tile<4>(table, row, memory, tiles[k], partial); break;
        case 5: run_conv_tile<5>(table, row, memory, tiles[k], partial); break;
        case 6: run_conv_tile<6>(table, row, memory, tiles[k], partial); break;
        case 7: run_conv_tile<7>(table, row, memory, tiles[k], partial); break;
        case 8: run_conv_tile<8>(table, row, memory, tiles[k], partial); break;
        default: HWY_ABORT("conv kernel: %u vectors", tiles[k].vectors);
      }
      partial += tiles[k].vectors * vector_lanes;
    }
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

void take_every_second(const float* from, std::size_t count, float* to) {
  const Floats d;
  const std::size_t step = hn::Lanes(d);
  const auto take = [&](std::size_t k) {
    Vector even, odd;
    hn::LoadInterleaved2(d, from + 2 * k, even, odd);
    hn::StoreU(even, d, to + k);
  };
  if (count <= step) {
    for (std::size_t k = 0; k < count; ++k) to[k] = from[2 * k];
    return;
  }
  std::size_t k = 0;
  for (; k + step < count; k += step) take(k);
  take(count - step - 1);  // the neighbour of the very last one may not exist
  to[count - 1] = from[2 * (count - 1)];
}

/// One vector of rows at once, each lane gathering its own sources; then what the longer of them have left.
void run_gather(const GatherTable& table, const ConvMemory& memory, std::size_t begin, std::size_t end) {
  const Floats d;
  const hn::RebindToSigned<Floats> indices;
  constexpr std::size_t lanes = hn::MaxLanes(Floats());
  for (std::size_t block = begin; block < end; ++block) {
    Vector sum = hn::LoadU(d, table.bias + block * lanes);
    const std::size_t at = table.block_begin[block];
    const std::size_t together = table.together[block];
    for (std::size_t k = 0; k < together; ++k)
      sum = hn::MulAdd(hn::LoadU(d, table.weights + at + k * lanes), hn::GatherIndex(d, memory.source, hn::LoadU(indices, table.offsets + at + k * lanes)), sum);
    HWY_ALIGN float sums[lanes];
    hn::Store(sum, d, sums);
    std::size_t rest = at + together * lanes;
    for (std::size_t lane = 0; lane < lanes && block * lanes + lane < table.rows; ++lane) {
      const std::size_t row = block * lanes + lane;
      for (std::uint32_t k = 0; k < table.rest[row]; ++k, ++rest) sums[lane] = __builtin_fmaf(table.weights[rest], memory.source[table.offsets[rest]], sums[lane]);
      float value = sums[lane];
      if (memory.skip != nullptr) value += memory.skip[table.skips[row]];
      value = value > table.low ? value : table.low;
      memory.destination[table.destinations[row]] = value < table.high ? value : table.high;
    }
  }
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
