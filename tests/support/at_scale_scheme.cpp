#include "support/at_scale_scheme.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "kernel/thread_builder.hpp"

namespace lacuna::tests::at_scale {

using namespace kernel;

ThreadProgram build() {
  ThreadBuilder b("at_scale", "the published scheme: staged sources, sliced ELL");
  const Register in = b.address_parameter("in", true, false), out = b.address_parameter("out", false, true);
  const Register categories = b.address_parameter("categories", true, false), active = b.u32_parameter("active");
  const Register stages = b.address_parameter("stages", true, false), map_begin = b.address_parameter("map_begin", true, false);
  const Register map = b.address_parameter("map", true, false), slot_begin = b.address_parameter("slot_begin", true, false);
  const Register index = b.address_parameter("index", true, false), value = b.address_parameter("value", true, false), flags = b.address_parameter("flags");
  const Register neurons = b.u32_parameter("neurons"), bias = b.f32_parameter("bias");
  const std::uint32_t buffer = b.shared(stage_sources * minibatch * 4);

  const Register thread = b.special(Special::thread), lane = b.bit_and(thread, 31u), warp = b.shift_right(thread, 5u);
  const Register block = b.special(Special::block_x), first = b.multiply(b.special(Special::block_y), minibatch);
  std::array<Register, minibatch> sums, rows;
  for (std::uint32_t f = 0; f < minibatch; ++f) {
    sums[f] = b.variable(0.0f);
    const Register row = b.minimum(b.add(first, f), b.subtract(active, 1u));
    rows[f] = b.advance(in, b.multiply(b.load_u32(b.advance(categories, row, 4)), neurons), 4);
  }
  const Register stage_at = b.advance(stages, block, 4);
  b.count(b.load_u32(stage_at), b.load_u32(stage_at, 4), 1, [&](Register stage) {
    const Register range = b.advance(map_begin, stage, 4);
    const Register begin = b.load_u32(range), sources = b.subtract(b.load_u32(range, 4), begin);
    b.count(thread, sources, block_outputs, [&](Register n) {
      const Register source = b.load_u32(b.advance(map, b.add(begin, n), 4));
      const Register place = b.shift_left(n, 2u);
      for (std::uint32_t f = 0; f < minibatch; ++f)
        b.store(GpuSpace::shared, Element::f32, place, buffer + f * stage_sources * 4, {b.load_f32(b.advance(rows[f], source, 4))});
    });
    b.barrier();
    const Register slots = b.advance(slot_begin, b.multiply_add(stage, block_outputs / 32, warp), 4);
    const Register slot = b.load_u32(slots), count = b.subtract(b.load_u32(slots, 4), slot);
    const Register element = b.multiply_add(slot, 32u, lane);
    const Register index_at = b.advance(index, element, 2), value_at = b.advance(value, element, 4);
    b.count(0u, count, 1, [&](Register) {
      const Register source = b.variable(Type::u32);
      b.load(GpuSpace::global, Element::u16, {source}, index_at);
      const Register weight = b.load_f32(value_at), place = b.shift_left(source, 2u);
      for (std::uint32_t f = 0; f < minibatch; ++f) {
        const Register x = b.variable(Type::f32);
        b.load(GpuSpace::shared, Element::f32, {x}, place, buffer + f * stage_sources * 4);
        b.compute_into(sums[f], Arithmetic::multiply_add, {x, weight, sums[f]});
      }
      b.advance_into(index_at, index_at, 1u, 64);
      b.advance_into(value_at, value_at, 1u, 128);
    });
    b.barrier();
  });
  const Register neuron = b.multiply_add(block, block_outputs, thread);
  for (std::uint32_t f = 0; f < minibatch; ++f)
    b.when(b.compare(Comparison::less, b.add(first, f), active), [&] {
      const Register row = b.add(first, f);
      const Register y = b.minimum(b.maximum(b.add(sums[f], bias), 0.0f), 32.0f);
      b.store_f32(b.advance(out, b.multiply_add(row, neurons, neuron), 4), 0, y);
      b.when(b.compare(Comparison::greater, y, 0.0f), [&] { b.atomic(Atomic::add, GpuSpace::global, b.advance(flags, row, 4), 0, 1u); });
    });
  return b.finish(block_outputs);
}

Layer pack(const SparseMatrix& weights) {
  Layer layer;
  layer.edges = weights.nnz();
  layer.stages = {0};
  layer.map_begin = {0};
  layer.slot_begin = {0};
  for (std::uint32_t first = 0; first < weights.rows; first += block_outputs) {
    std::map<std::uint32_t, std::uint32_t> footprint;  // source -> number in the block
    for (std::size_t e = weights.row_begin[first]; e < weights.row_begin[first + block_outputs]; ++e) footprint[weights.column(e)] = 0;
    std::uint32_t number = 0;
    for (auto& [source, place] : footprint) {
      place = number++;
      layer.map.push_back(source);
    }
    for (std::uint32_t begin = 0; begin < number; begin += stage_sources) {
      for (std::uint32_t warp = first; warp < first + block_outputs; warp += 32) {
        std::vector<std::vector<std::pair<std::uint16_t, float>>> lanes(32);
        std::size_t longest = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          for (std::size_t e = weights.row_begin[warp + lane]; e < weights.row_begin[warp + lane + 1]; ++e) {
            const std::uint32_t place = footprint[weights.column(e)];
            if (place >= begin && place < begin + stage_sources) lanes[lane].emplace_back(static_cast<std::uint16_t>(place - begin), weights.value(e));
          }
          longest = std::max(longest, lanes[lane].size());
        }
        for (std::size_t slot = 0; slot < longest; ++slot)
          for (const auto& lane : lanes) {
            layer.index.push_back(slot < lane.size() ? lane[slot].first : std::uint16_t{0});
            layer.value.push_back(slot < lane.size() ? lane[slot].second : 0.0f);
          }
        layer.slot_begin.push_back(static_cast<std::uint32_t>(layer.index.size() / 32));
      }
      layer.map_begin.push_back(layer.map_begin.back() + std::min(stage_sources, number - begin));
    }
    layer.stages.push_back(static_cast<std::uint32_t>(layer.map_begin.size() - 1));
  }
  return layer;
}

}  // namespace lacuna::tests::at_scale
