// The table kernel: y[row] = epilogue(bias + sum of weight * x[source]), lanes in SIMD registers.
//
// One row at a time, V vectors of lanes in registers (V accumulators), nonzeros of a row in order: each costs one broadcast,
// V loads that feed V multiply-adds. A panel is exactly V vectors wide, so the source's address is index * V * vector size.
// Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_TABLE_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_TABLE_KERNEL_INL
#undef LACUNA_TABLE_KERNEL_INL
#else
#define LACUNA_TABLE_KERNEL_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstddef>

#include "devices/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector apply_smooth(Epilogue epilogue, float slope, Vector sum) {
  const Floats d;
  switch (epilogue) {
    case Epilogue::leaky_relu: return hn::IfThenElse(hn::Lt(sum, hn::Zero(d)), hn::Mul(sum, hn::Set(d, slope)), sum);
    case Epilogue::sigmoid: {
      const Vector one = hn::Set(d, 1.0f);
      return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(sum))));
    }
    case Epilogue::tanh: return hn::Tanh(d, sum);
    case Epilogue::clip: break;
  }
  return sum;
}

/// Everything but clip, out of line: a second visit to a row that is still in L1.
HWY_NOINLINE void finish_smooth(const Table& table, float* row, std::size_t lanes) {
  const Floats d;
  for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
    hn::Store(apply_smooth(table.epilogue, table.low, hn::Load(d, row + lane)), d, row + lane);
}

template <unsigned V, typename Source, bool one_weight>
void run_table_width(const Table& table, const Source* source, float* arena) {
  const Floats d;
  const std::size_t vector_lanes = hn::Lanes(d);
  const std::size_t lanes = V * vector_lanes;
  const float* const inputs = arena + table.source_plane * lanes;
  float* const outputs = arena + table.destination_plane * lanes;
  const float* weight = table.weights;
  const Vector low = hn::Set(d, table.low);
  const Vector high = hn::Set(d, table.high);
  const bool clips = table.epilogue == Epilogue::clip;
  std::size_t position = 0;

  for (const RowClass& rows : table.classes) {
    const std::uint32_t length = rows.length;
    for (std::uint32_t k = 0; k < rows.rows; ++k, ++position) {
      const std::size_t row = table.rows == nullptr ? position : table.rows[position];
      const Vector bias = hn::Set(d, table.bias == nullptr ? table.one_bias : table.bias[row]);
      Vector sum[V];
      for (unsigned v = 0; v < V; ++v) sum[v] = one_weight ? hn::Zero(d) : bias;
      for (std::uint32_t e = 0; e < length; ++e) {
        const float* HWY_RESTRICT input = inputs + source[e] * lanes;
        if constexpr (one_weight) {
          for (unsigned v = 0; v < V; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, input + v * vector_lanes));
        } else {
          const Vector w = hn::Set(d, weight[e]);
          for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, hn::Load(d, input + v * vector_lanes), sum[v]);
        }
      }
      source += length;
      if constexpr (one_weight) {
        const Vector w = hn::Set(d, *weight);
        for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, sum[v], bias);
      } else {
        weight += length;
      }
      for (std::uint32_t plane : table.residual_planes)
        for (unsigned v = 0; v < V; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, arena + (plane + row) * lanes + v * vector_lanes));

      float* const output = outputs + row * lanes;
      if (clips) {
        for (unsigned v = 0; v < V; ++v) hn::Store(hn::Min(hn::Max(sum[v], low), high), d, output + v * vector_lanes);
      } else {
        for (unsigned v = 0; v < V; ++v) hn::Store(sum[v], d, output + v * vector_lanes);
        finish_smooth(table, output, lanes);
      }
    }
  }
}

template <unsigned V>
void run_table_vectors(const Table& table, float* arena) {
  if (table.narrow_sources != nullptr) {
    if (table.one_weight) return run_table_width<V, std::uint16_t, true>(table, table.narrow_sources, arena);
    return run_table_width<V, std::uint16_t, false>(table, table.narrow_sources, arena);
  }
  if (table.one_weight) return run_table_width<V, std::uint32_t, true>(table, table.wide_sources, arena);
  return run_table_width<V, std::uint32_t, false>(table, table.wide_sources, arena);
}

void run_table(const Table& table, unsigned lanes, float* arena) {
  switch (lanes / hn::Lanes(Floats())) {
    case 1: return run_table_vectors<1>(table, arena);
    case 2: return run_table_vectors<2>(table, arena);
    case 3: return run_table_vectors<3>(table, arena);
    case 4: return run_table_vectors<4>(table, arena);
    case 6: return run_table_vectors<6>(table, arena);
    case 8: return run_table_vectors<8>(table, arena);
    default: HWY_ABORT("table kernel: %u lanes", lanes);
  }
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
