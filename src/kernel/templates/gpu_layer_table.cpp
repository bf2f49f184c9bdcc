#include "kernel/templates/gpu_layer_table.hpp"

#include <array>
#include <vector>

#include "kernel/templates/activation.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

using Four = std::array<Register, lanes_of_thread>;

class Writer {
 public:
  Writer(const LayerTable& layer, const std::string& name)
      : layer_(layer),
        b_(name, "layer table: " + std::string(layer.one_weight ? "one weight" : "a weight for each edge") + ", activation " + to_string(layer.activation)),
        at_(b_),
        table_(b_.address_parameter("table", true, false)),
        rows_at_(b_.u32_parameter("rows_at")),
        rows_(b_.u32_parameter("rows")),
        rounds_(b_.u32_parameter("rounds")),
        weight_(b_.f32_parameter("weight")) {
    for (unsigned k = 0; k < layer.residuals; ++k) residuals_.push_back(b_.u32_parameter("residual_" + std::to_string(k)));
  }

  ThreadProgram write() {
    const Register tile = b_.special(Special::block_y);
    leave_unused_tiles(b_, tile, control_word(b_, at_, control_lanes));
    const Register thread = b_.special(Special::thread);
    const Register lane = b_.multiply(b_.bit_and(thread, threads_of_row - 1), lanes_of_thread);
    lanes_ = lane_address(b_, at_, control_word(b_, at_, control_half), tile, lane, layer_.planes);
    const Register of_block = b_.multiply(rounds_, layer_.rows_at_once());
    const Register first = b_.multiply_add(b_.special(Special::block_x), of_block, b_.compute(Arithmetic::divide, {thread, threads_of_row}));
    const Register end = b_.minimum(b_.multiply(b_.add(b_.special(Special::block_x), 1u), of_block), rows_);
    const Register row = b_.advance(b_.advance(table_, rows_at_, 16), first, 16);
    b_.count(first, end, layer_.rows_at_once(), [&](Register) {
      write_row(row);
      b_.advance_into(row, row, 1u, 16 * layer_.rows_at_once());
    });
    return b_.finish(layer_.threads, layer_.threads > 512 ? 64 : 96);
  }

 private:
  Four load_four(Register address) {
    Four x;
    for (Register& value : x) value = b_.variable(Type::f32);
    b_.load(GpuSpace::global, Element::f32, {x[0], x[1], x[2], x[3]}, address);
    return x;
  }

  void write_row(Register row) {
    const Register begin = b_.variable(Type::u32), edges = b_.variable(Type::u32), plane = b_.variable(Type::u32), bias_bits = b_.variable(Type::u32);
    b_.load(GpuSpace::global, Element::u32, {begin, edges, plane, bias_bits}, row, 0, true);
    const Register bias = b_.compute(Arithmetic::as_float, {bias_bits});
    for (Register& sum : sums_) sum = b_.variable(Type::f32);
    walk_edges(b_.advance(table_, begin, 16), edges, bias);
    const Register target = b_.advance(lanes_, plane, 1);
    if (layer_.one_weight)
      for (Register sum : sums_) b_.compute_into(sum, Arithmetic::multiply_add, {sum, weight_, bias});
    for (Register distance : residuals_) {
      const Four x = load_four(b_.advance(lanes_, b_.add(plane, distance), 1));
      for (unsigned k = 0; k < lanes_of_thread; ++k) b_.compute_into(sums_[k], Arithmetic::add, {sums_[k], x[k]});
    }
    for (Register sum : sums_) apply_activation(b_, layer_.activation, sum);
    b_.store(GpuSpace::global, Element::f32, target, 0, {sums_[0], sums_[1], sums_[2], sums_[3]});
  }

  /// Every row has four edges; then eight at a time while there are eight, then four.
  void walk_edges(Register edge, Register left, Register bias) {
    const Source start = layer_.one_weight ? Source(0.0f) : Source(bias);
    take_edges(edge, 0, 4, &start);
    b_.compute_into(left, Arithmetic::subtract, {left, 4u});
    b_.when(b_.compare(Comparison::greater_equal, left, 8u), [&] {
      b_.loop([&] {
        take_edges(edge, 4, 8);
        b_.advance_into(edge, edge, 1u, 8 * edge_bytes());
        b_.compute_into(left, Arithmetic::subtract, {left, 8u});
        b_.break_if(b_.compare(Comparison::less, left, 8u));
      });
    });
    b_.when(b_.compare(Comparison::greater, left, 0u), [&] { take_edges(edge, 4, 4); });
  }

  std::uint32_t edge_bytes() const { return layer_.one_weight ? 4 : 8; }

  /// Edges [first, first + count) from `edge` on. Everything is loaded before anything is used: loads from afar then wait for each other's time only once.
  /// `start`: what the sums begin with, if they begin here.
  void take_edges(Register edge, std::uint32_t first, std::uint32_t count, const Source* start = nullptr) {
    std::vector<Register> offsets, weights;
    for (std::uint32_t four = 0; four < count; four += 4) {
      const std::uint32_t at = (first + four) * edge_bytes();
      for (Register offset : load_words(edge, Type::u32, at)) offsets.push_back(offset);
      for (Register weight : layer_.one_weight ? Four{weight_, weight_, weight_, weight_} : load_words(edge, Type::f32, at + 16)) weights.push_back(weight);
    }
    std::vector<Four> sources;
    for (Register offset : offsets) sources.push_back(load_four(b_.advance(lanes_, offset, 1)));
    for (std::uint32_t k = 0; k < count; ++k) take(sources[k], weights[k], k == 0 ? start : nullptr);
  }

  Four load_words(Register edge, Type type, std::uint32_t offset) {
    Four words;
    for (Register& word : words) word = b_.variable(type);
    b_.load(GpuSpace::global, type == Type::f32 ? Element::f32 : Element::u32, {words[0], words[1], words[2], words[3]}, edge, offset, true);
    return words;
  }

  void take(const Four& x, Register weight, const Source* start) {
    for (unsigned k = 0; k < lanes_of_thread; ++k) {
      const Source before = start != nullptr ? *start : Source(sums_[k]);
      if (layer_.one_weight)
        b_.compute_into(sums_[k], Arithmetic::add, {before, x[k]});
      else
        b_.compute_into(sums_[k], Arithmetic::multiply_add, {weight, x[k], before});
    }
  }

  const LayerTable& layer_;
  ThreadBuilder b_;
  TileParameters at_;
  Register table_, rows_at_, rows_, rounds_, weight_, lanes_{};
  std::vector<Register> residuals_;
  Four sums_{};
};

}  // namespace

std::uint32_t LayerTable::rows_at_once() const { return threads / threads_of_row; }

ThreadProgram build(const LayerTable& layer, const std::string& name) { return Writer(layer, name).write(); }

}  // namespace lacuna::kernel
