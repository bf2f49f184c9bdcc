// The table kernel: y[row] = epilogue(bias + sum of weight * x[source]), lanes in SIMD registers.
//
// A row has V vectors of lanes in registers, its nonzeros are taken in order: each costs one broadcast and V loads that feed V multiply-adds.
// Where there are weights to stream, four rows are worked off together (decision 0006); their streams are interleaved:
//
//   nonzero 0 of rows 0 1 2 3, nonzero 1 of rows 0 1 2 3, ..., what is left of row 0, of row 1, 2, 3
//
// Rows are sorted by length, so most fours have nothing left over and the others little.
// A panel is exactly V vectors wide, so the source's address is index * V * vector size.
// Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_TABLE_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_TABLE_KERNEL_INL
#undef LACUNA_TABLE_KERNEL_INL
#else
#define LACUNA_TABLE_KERNEL_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "devices/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

/// 1 + e^-x, where the exponential does not overflow: 88 is beyond what changes a float's sigmoid. NaN stays NaN.
HWY_INLINE Vector one_and_exp(Vector x) {
  const Floats d;
  return hn::Add(hn::Set(d, 1.0f), hn::Exp(d, hn::Min(hn::Set(d, 88.0f), hn::Neg(x))));
}

HWY_INLINE Vector hard_sigmoid_of(Vector x, float slope, float middle) {
  const Floats d;
  return hn::Min(hn::Max(hn::MulAdd(x, hn::Set(d, slope), hn::Set(d, middle)), hn::Zero(d)), hn::Set(d, 1.0f));
}

HWY_INLINE Vector apply_smooth(Epilogue epilogue, float first, float second, Vector sum) {
  const Floats d;
  switch (epilogue) {
    case Epilogue::leaky_relu: return hn::IfThenElse(hn::Lt(sum, hn::Zero(d)), hn::Mul(sum, hn::Set(d, first)), sum);
    case Epilogue::sigmoid: return hn::Div(hn::Set(d, 1.0f), one_and_exp(sum));
    case Epilogue::tanh: return hn::Tanh(d, sum);
    case Epilogue::hard_sigmoid: return hard_sigmoid_of(sum, first, second);
    case Epilogue::hard_swish: return hn::Mul(sum, hard_sigmoid_of(sum, 1.0f / 6, 0.5f));
    case Epilogue::swish: return hn::Div(sum, one_and_exp(sum));
    case Epilogue::clip: break;
  }
  return sum;
}

/// Everything but clip, out of line: a second visit to a row that is still in L1.
HWY_NOINLINE void finish_smooth(const Table& table, float* row, std::size_t lanes) {
  const Floats d;
  for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
    hn::Store(apply_smooth(table.epilogue, table.low, table.high, hn::Load(d, row + lane)), d, row + lane);
}

/// What all rows of a table share, with a panel V vectors wide. `plain`: clip and no residuals, so that nothing is asked for each row. What
/// the table points to is kept here: a store might change the table itself, as far as the compiler knows.
template <unsigned V, bool plain>
struct Panel {
  Panel(const Table& described, float* memory)
      : table(described),
        arena(memory),
        inputs(memory + described.source_plane * lanes),
        outputs(memory + described.destination_plane * lanes),
        rows(described.rows),
        biases(described.bias),
        low(hn::Set(Floats(), described.low)),
        high(hn::Set(Floats(), described.high)) {}

  HWY_INLINE Vector bias(std::size_t position) const { return hn::Set(Floats(), biases == nullptr ? table.one_bias : biases[position]); }

  /// Residuals, epilogue, store.
  HWY_INLINE void finish(Vector (&sum)[V], std::size_t position) const {
    const Floats d;
    const std::size_t row = rows == nullptr ? position : rows[position];
    float* const output = outputs + row * lanes;
    if constexpr (!plain)
      for (std::uint32_t plane : table.residual_planes)
        for (unsigned v = 0; v < V; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, arena + (plane + row) * lanes + v * vector_lanes));
    if (plain || table.epilogue == Epilogue::clip) {
      for (unsigned v = 0; v < V; ++v) hn::Store(hn::Min(hn::Max(sum[v], low), high), d, output + v * vector_lanes);
    } else {
      for (unsigned v = 0; v < V; ++v) hn::Store(sum[v], d, output + v * vector_lanes);
      finish_smooth(table, output, lanes);
    }
  }

  static constexpr unsigned vectors = V;
  static constexpr std::size_t vector_lanes = hn::MaxLanes(Floats());
  static constexpr std::size_t lanes = V * vector_lanes;
  const Table& table;
  float* const arena;
  const float* const inputs;
  float* const outputs;
  const std::uint32_t* const rows;
  const float* const biases;
  const Vector low;
  const Vector high;
};

template <bool one_weight, typename Panel, typename Source>
HWY_INLINE void run_row(const Panel& panel, const Source* HWY_RESTRICT source, const float* HWY_RESTRICT weight, std::uint32_t length, std::size_t position) {
  constexpr unsigned V = Panel::vectors;
  const Floats d;
  const Vector bias = panel.bias(position);
  Vector sum[V];
  for (unsigned v = 0; v < V; ++v) sum[v] = one_weight ? hn::Zero(d) : bias;
  for (std::uint32_t e = 0; e < length; ++e) {
    const float* HWY_RESTRICT input = panel.inputs + source[e] * panel.lanes;
    if constexpr (one_weight) {
      for (unsigned v = 0; v < V; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, input + v * panel.vector_lanes));
    } else {
      const Vector w = hn::Set(d, weight[e]);
      for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, hn::Load(d, input + v * panel.vector_lanes), sum[v]);
    }
  }
  if constexpr (one_weight) {
    const Vector w = hn::Set(d, *weight);
    for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, sum[v], bias);
  }
  panel.finish(sum, position);
}

/// The sources of the next nonzero of each of four rows. 16-bit ones come with one load: loads are what the kernel has too many of.
template <typename Source>
struct FourSources {
  explicit FourSources(const Source* stream) : at(stream) {}
  template <unsigned k>
  HWY_INLINE std::size_t get() const {
    return at[k];
  }
  const Source* at;
};

template <>
struct FourSources<std::uint16_t> {
  explicit FourSources(const std::uint16_t* stream) { std::memcpy(&bits, stream, sizeof(bits)); }
  template <unsigned k>
  HWY_INLINE std::size_t get() const {
    return bits >> (16 * k) & 0xFFFF;
  }
  std::uint64_t bits;
};

/// Their weights, one load for all four where vectors have 128-bit blocks to pick them from.
struct FourWeights {
#if HWY_TARGET == HWY_SCALAR
  explicit FourWeights(const float* stream) : at(stream) {}
  template <unsigned k>
  HWY_INLINE Vector get() const {
    return hn::Set(Floats(), at[k]);
  }
  const float* at;
#else
  explicit FourWeights(const float* stream) : quad(hn::LoadDup128(Floats(), stream)) {}
  template <unsigned k>
  HWY_INLINE Vector get() const {
    return hn::Broadcast<k>(quad);
  }
  const Vector quad;
#endif
};

/// Brings Table::ahead into L2, a few lines with every step of `rows` rows.
class Fetch {
 public:
  Fetch(const Table& table, std::uint32_t rows) {
    if (table.ahead[0].empty()) return;
    std::size_t steps = 0;
    for (const RowClass& some : table.classes) steps += some.rows / rows;
    for (unsigned k = 0; k < 2; ++k) {
      at_[k] = table.ahead[k].data();
      end_[k] = at_[k] + table.ahead[k].size();
      stride_[k] = (table.ahead[k].size() / line / std::max<std::size_t>(steps, 1) + 1) * line;
    }
  }

  HWY_INLINE void step() {
    if (at_[0] == end_[0]) return;
    for (unsigned k = 0; k < 2; ++k) {
      const std::byte* const stop = at_[k] + std::min<std::ptrdiff_t>(stride_[k], end_[k] - at_[k]);
      for (const std::byte* at = at_[k]; at < stop; at += line) __builtin_prefetch(at, 0, 2);
      at_[k] = stop;
    }
  }

 private:
  static constexpr std::ptrdiff_t line = 64;
  const std::byte* at_[2] = {};
  const std::byte* end_[2] = {};
  std::ptrdiff_t stride_[2] = {};
};

// The next four work on row first + k and those after it. They are recursive because GCC 12 keeps sums in memory that a loop over rows indexes.

template <unsigned first, unsigned count, unsigned k, typename Panel>
HWY_INLINE void start_rows(const Panel& panel, std::size_t position, Vector (&sum)[count][Panel::vectors]) {
  const Vector bias = panel.bias(position + first + k);
  for (unsigned v = 0; v < Panel::vectors; ++v) sum[k][v] = bias;
  if constexpr (k + 1 < count) start_rows<first, count, k + 1>(panel, position, sum);
}

template <unsigned first, unsigned count, unsigned k, typename Panel>
HWY_INLINE void finish_rows(const Panel& panel, std::size_t position, Vector (&sum)[count][Panel::vectors]) {
  panel.finish(sum[k], position + first + k);
  if constexpr (k + 1 < count) finish_rows<first, count, k + 1>(panel, position, sum);
}

template <unsigned first, unsigned count, unsigned k, typename Panel, typename Source>
HWY_INLINE void add_nonzeros(const Panel& panel, const FourSources<Source>& sources, const FourWeights& weights, Vector (&sum)[count][Panel::vectors]) {
  const Floats d;
  const float* HWY_RESTRICT input = panel.inputs + sources.template get<first + k>() * panel.lanes;
  const Vector w = weights.template get<first + k>();
  for (unsigned v = 0; v < Panel::vectors; ++v) sum[k][v] = hn::MulAdd(w, hn::Load(d, input + v * panel.vector_lanes), sum[k][v]);
  if constexpr (k + 1 < count) add_nonzeros<first, count, k + 1>(panel, sources, weights, sum);
}

/// What the rows have beyond their common length; `source` and `weight` are at the first one's.
template <unsigned first, unsigned count, unsigned k, typename Panel, typename Source>
HWY_INLINE void add_more(const Panel& panel, const Source* source, const float* weight, const RowClass& rows, Vector (&sum)[count][Panel::vectors]) {
  const Floats d;
  const std::uint32_t more = rows.more[first + k];
  for (std::uint32_t e = 0; e < more; ++e) {
    const float* HWY_RESTRICT input = panel.inputs + source[e] * panel.lanes;
    const Vector w = hn::Set(d, weight[e]);
    for (unsigned v = 0; v < Panel::vectors; ++v) sum[k][v] = hn::MulAdd(w, hn::Load(d, input + v * panel.vector_lanes), sum[k][v]);
  }
  if constexpr (k + 1 < count) add_more<first, count, k + 1>(panel, source + more, weight + more, rows, sum);
}

/// `count` of four interleaved rows, from the row `first`: together they have enough sums under way to hide the latency of multiply-adds.
template <bool mixed, unsigned first, unsigned count, typename Panel, typename Source>
HWY_INLINE void run_some_of_four(const Panel& panel, const Source* HWY_RESTRICT source, const float* HWY_RESTRICT weight, const RowClass& rows,
                                 std::size_t position) {
  Vector sum[count][Panel::vectors];
  start_rows<first, count, 0>(panel, position, sum);
  const std::uint32_t length = rows.length;
  for (std::uint32_t e = 0; e < length; ++e, source += 4, weight += 4)
    add_nonzeros<first, count, 0>(panel, FourSources<Source>(source), FourWeights(weight), sum);
  if constexpr (mixed) {
    std::size_t before = 0;
    for (unsigned row = 0; row < first; ++row) before += rows.more[row];
    add_more<first, count, 0>(panel, source + before, weight + before, rows, sum);
  }
  finish_rows<first, count, 0>(panel, position, sum);
}

/// Four rows whose streams are interleaved: all at once as far as registers go, else in passes.
template <bool mixed, typename Panel, typename Source>
HWY_INLINE void run_four_rows(const Panel& panel, const Source* source, const float* weight, const RowClass& rows, std::size_t position) {
  constexpr unsigned sums = HWY_TARGET == HWY_AVX3 ? 24 : 12;  // of 32 or 16 registers
  if constexpr (Panel::vectors * 4 <= sums) {
    run_some_of_four<mixed, 0, 4>(panel, source, weight, rows, position);
  } else if constexpr (Panel::vectors * 2 <= sums) {
    run_some_of_four<mixed, 0, 2>(panel, source, weight, rows, position);
    run_some_of_four<mixed, 2, 2>(panel, source, weight, rows, position);
  } else {
    run_some_of_four<mixed, 0, 1>(panel, source, weight, rows, position);
    run_some_of_four<mixed, 1, 1>(panel, source, weight, rows, position);
    run_some_of_four<mixed, 2, 1>(panel, source, weight, rows, position);
    run_some_of_four<mixed, 3, 1>(panel, source, weight, rows, position);
  }
}

/// Out of line, so that the others keep the registers.
template <unsigned V, bool plain, typename Source>
HWY_NOINLINE void run_mixed_four(const Table& table, float* arena, const Source* source, const float* weight, const RowClass& rows, std::size_t position) {
  run_four_rows<true>(Panel<V, plain>(table, arena), source, weight, rows, position);
}

template <unsigned V, bool plain, bool one_weight, typename Source>
void run_table_rows(const Table& table, const Source* source, float* arena) {
  const Panel<V, plain> panel(table, arena);
  const float* weight = table.weights;
  Fetch fetch(table, table.in_fours ? 4 : 1);
  std::size_t position = 0;
  for (const RowClass& rows : table.classes) {
    const std::size_t end = position + rows.rows;
    const std::uint32_t length = rows.length;
    if constexpr (!one_weight) {
      if (rows.is_mixed()) {
        run_mixed_four<V, plain>(table, arena, source, weight, rows, position);
        source += rows.nnz_of_four();
        weight += rows.nnz_of_four();
        position = end;
      }
      if (table.in_fours)
        for (; position + 4 <= end; position += 4) {
          fetch.step();
          run_four_rows<false>(panel, source, weight, rows, position);
          source += std::size_t{4} * length;
          weight += std::size_t{4} * length;
        }
    }
    for (; position < end; ++position) {
      if constexpr (!one_weight) fetch.step();
      run_row<one_weight>(panel, source, weight, length, position);
      source += length;
      if constexpr (!one_weight) weight += length;
    }
  }
}

template <unsigned V, bool one_weight, typename Source>
void run_table_sources(const Table& table, const Source* source, float* arena) {
  if (table.epilogue == Epilogue::clip && table.residual_planes.empty()) return run_table_rows<V, true, one_weight>(table, source, arena);
  return run_table_rows<V, false, one_weight>(table, source, arena);
}

template <unsigned V>
void run_table_vectors(const Table& table, float* arena) {
  if (table.narrow_sources != nullptr) {
    if (table.one_weight) return run_table_sources<V, true>(table, table.narrow_sources, arena);
    return run_table_sources<V, false>(table, table.narrow_sources, arena);
  }
  if (table.one_weight) return run_table_sources<V, true>(table, table.wide_sources, arena);
  return run_table_sources<V, false>(table, table.wide_sources, arena);
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
