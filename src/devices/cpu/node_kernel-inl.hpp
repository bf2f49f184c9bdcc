// The node kernel: rows of a neuron graph one after the other, the lanes of a panel in V vectors. A row's edges are taken in order: each costs one
// broadcast and V loads that feed V multiply-adds, as in the table kernel; a row may read the planes of any row before it.
//
// Rows of a run differ in nothing but their weights, so loops are predicted. Bounds and the most common functions are applied in registers, others to a few
// rows at a time, whose planes stand side by side and are still in L1. Included once for each instruction set (node_kernels.cpp).
#if defined(LACUNA_NODE_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_NODE_KERNEL_INL
#undef LACUNA_NODE_KERNEL_INL
#else
#define LACUNA_NODE_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "devices/cpu/node_functions-inl.hpp"
#include "devices/cpu/node_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// A panel of V vectors of D's lanes.
template <class D, unsigned V>
struct NodePanel {
  using Vec = hn::Vec<D>;
  static constexpr std::size_t vector_lanes = hn::MaxLanes(D());
  static constexpr std::size_t lanes = V * vector_lanes;

  /// `rows` rows of sums, with what of their function is done in registers.
  template <Ending ending>
  static HWY_INLINE void sum_rows(const NodeEdge<float>* edge, std::uint32_t rows, std::uint32_t length, const float* bias, const FloatFunction& function,
                                  const float* before, float* after) {
    const D d;
    constexpr bool is_smooth = ending == Ending::logistic || ending == Ending::tanh;
    const Vec low = hn::Set(d, is_smooth ? -function.limit : function.low), high = hn::Set(d, is_smooth ? function.limit : function.high);
    const Vec gain = hn::Set(d, function.gain), offset = hn::Set(d, function.offset);
    for (std::uint32_t row = 0; row < rows; ++row, after += lanes) {
      Vec sum[V];
      for (unsigned v = 0; v < V; ++v) sum[v] = hn::Set(d, bias[row]);
      for (const NodeEdge<float>* const end = edge + length; edge != end; ++edge) {
        const float* const source = before + edge->plane * lanes;
        const Vec weight = hn::Set(d, edge->weight);
        for (unsigned v = 0; v < V; ++v) sum[v] = hn::MulAdd(weight, hn::Load(d, source + v * vector_lanes), sum[v]);
      }
      for (unsigned v = 0; v < V; ++v) {
        Vec y = hn::Min(hn::Max(sum[v], low), high);
        if constexpr (ending == Ending::logistic) y = hn::MulAdd(logistic(d, y), gain, offset);
        if constexpr (ending == Ending::tanh) y = hn::MulAdd(tanh(d, y), gain, offset);
        hn::Store(y, d, after + v * vector_lanes);
      }
    }
  }

  /// The middle of `length` terms, lane by lane of one vector.
  static HWY_NOINLINE Vec median(const NodeEdge<float>* edges, std::uint32_t length, const float* before) {
    const D d;
    std::vector<float> sorted(length * vector_lanes);  // each lane's terms so far in ascending order
    float* const at = sorted.data();
    for (std::uint32_t e = 0; e < length; ++e) {
      Vec term = hn::Mul(hn::Set(d, edges[e].weight), hn::Load(d, before + edges[e].plane * lanes));
      for (std::uint32_t k = 0; k < e; ++k) {
        const Vec other = hn::LoadU(d, at + k * vector_lanes);
        hn::StoreU(hn::Min(other, term), d, at + k * vector_lanes);
        term = hn::Max(other, term);
      }
      hn::StoreU(term, d, at + e * vector_lanes);
    }
    const Vec upper = hn::LoadU(d, at + length / 2 * vector_lanes);
    if (length % 2 == 1) return upper;
    return hn::Mul(hn::Add(hn::LoadU(d, at + (length / 2 - 1) * vector_lanes), upper), hn::Set(d, 0.5f));
  }

  static HWY_INLINE Vec combine(Aggregation aggregation, Vec so_far, Vec term) {
    switch (aggregation) {
      case Aggregation::product: return hn::Mul(so_far, term);
      case Aggregation::max: return hn::Max(so_far, term);
      case Aggregation::min: return hn::Min(so_far, term);
      default: return hn::IfThenElse(hn::Gt(hn::Abs(term), hn::Abs(so_far)), term, so_far);  // maxabs keeps the sign
    }
  }

  static HWY_INLINE Vec aggregate(Aggregation aggregation, const NodeEdge<float>* edges, std::uint32_t length, const float* before) {
    const D d;
    if (length == 0) return hn::Set(d, aggregation == Aggregation::product ? 1.0f : 0.0f);
    if (aggregation == Aggregation::median) return median(edges, length, before);
    const auto term = [&](std::uint32_t e) HWY_ATTR { return hn::Mul(hn::Set(d, edges[e].weight), hn::Load(d, before + edges[e].plane * lanes)); };
    Vec so_far = term(0);
    for (std::uint32_t e = 1; e < length; ++e) so_far = combine(aggregation, so_far, term(e));
    return so_far;
  }

  /// `rows` rows of any aggregation but sums, bounded.
  static HWY_NOINLINE void aggregate_rows(const NodeRun& run, const NodeEdge<float>* edges, std::uint32_t rows, const float* bias, const float* scale,
                                          const FloatFunction& function, const float* before, float* after) {
    const D d;
    const Vec low = hn::Set(d, function.low), high = hn::Set(d, function.high);
    for (std::uint32_t row = 0; row < rows; ++row, edges += run.length, after += lanes)
      for (unsigned v = 0; v < V; ++v) {
        const Vec aggregated = aggregate(run.aggregation, edges, run.length, before + v * vector_lanes);
        const Vec u = hn::MulAdd(aggregated, hn::Set(d, scale[row]), hn::Set(d, bias[row]));
        hn::Store(hn::Min(hn::Max(u, low), high), d, after + v * vector_lanes);
      }
  }

  /// y = decay * y before + (1 - decay) * y
  static HWY_NOINLINE void blend_rows(std::uint32_t rows, const float* decay, const float* before, float* after) {
    const D d;
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::size_t at = row * lanes; at < (row + std::size_t{1}) * lanes; at += vector_lanes) {
        const Vec value = hn::Load(d, after + at);
        hn::Store(hn::MulAdd(hn::Set(d, decay[row]), hn::Sub(hn::Load(d, before + at), value), value), d, after + at);
      }
  }

  static void run(const FloatNodes& nodes, const float* before, float* after) {
    constexpr std::uint32_t rows_at_once = std::max<std::size_t>(1, 1024 / lanes);  // 4 KiB: still in L1 when the function comes to it
    const NodeEdge<float>* edges = nodes.edges;
    std::size_t row = 0;
    for (const NodeRun& run : nodes.runs) {
      const FloatFunction& function = nodes.functions[run.function];
      const bool is_sum = run.aggregation == Aggregation::sum;
      const bool ends_in_registers = function.ending == Ending::bounds || (is_sum && function.ending != Ending::other);
      const bool is_plain = ends_in_registers && nodes.decay == nullptr;
      for (std::uint32_t left = run.rows; left > 0;) {
        const std::uint32_t rows = is_plain ? left : std::min(left, rows_at_once);
        const std::size_t place = (nodes.plane + row) * lanes;
        if (!is_sum)
          aggregate_rows(run, edges, rows, nodes.bias + row, nodes.scale + row, function, before, after + place);
        else if (function.ending == Ending::logistic)
          sum_rows<Ending::logistic>(edges, rows, run.length, nodes.bias + row, function, before, after + place);
        else if (function.ending == Ending::tanh)
          sum_rows<Ending::tanh>(edges, rows, run.length, nodes.bias + row, function, before, after + place);
        else
          sum_rows<Ending::bounds>(edges, rows, run.length, nodes.bias + row, function, before, after + place);
        if (!ends_in_registers) apply_function(function, after + place, rows * lanes);
        if (nodes.decay != nullptr) blend_rows(rows, nodes.decay + row, before + place, after + place);
        edges += std::size_t{rows} * run.length;
        row += rows;
        left -= rows;
      }
    }
  }
};

void run_nodes(const FloatNodes& nodes, unsigned lanes, const float* before, float* after) {
  using Floats = hn::ScalableTag<float>;
  constexpr auto vector_lanes = static_cast<unsigned>(hn::MaxLanes(Floats()));
  if (lanes == 8 * vector_lanes) return NodePanel<Floats, 8>::run(nodes, before, after);
  if (lanes == 4 * vector_lanes) return NodePanel<Floats, 4>::run(nodes, before, after);
  if (lanes == 2 * vector_lanes) return NodePanel<Floats, 2>::run(nodes, before, after);
  if (lanes == vector_lanes) return NodePanel<Floats, 1>::run(nodes, before, after);
  return NodePanel<hn::CappedTag<float, 1>, 1>::run(nodes, before, after);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
