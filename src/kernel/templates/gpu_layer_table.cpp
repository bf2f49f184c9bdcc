#include "kernel/templates/gpu_layer_table.hpp"

#include <array>
#include <vector>

#include "kernel/templates/activation.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

constexpr std::uint32_t pieces = tile_lanes / piece_lanes / threads_of_row;  // of a thread
constexpr std::uint32_t slice_bytes = rows_of_warp * 16;                     // four offsets, or four weights, of each row

using Four = std::array<Register, 4>;
using Lanes = std::array<Four, pieces>;  // of a thread; its pieces lie apart, so that the threads of a row ask for whole sectors

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
    const Register lane = b_.multiply(b_.bit_and(thread, threads_of_row - 1), piece_lanes);
    lanes_ = lane_address(b_, at_, control_word(b_, at_, control_half), tile, lane, layer_.tiles);
    if (may_overflow(layer_.tiles, layer_.activation)) first_lane_ = b_.multiply_add(tile, tile_lanes, lane);
    const Register of_block = b_.multiply(rounds_, layer_.rows_at_once());
    const Register first = b_.multiply_add(b_.special(Special::block_x), of_block, b_.compute(Arithmetic::divide, {thread, threads_of_row}));
    const Register end = b_.minimum(b_.multiply(b_.add(b_.special(Special::block_x), 1u), of_block), rows_);
    layer_table_ = b_.advance(table_, rows_at_, 16);
    const Register row = b_.advance(layer_table_, first, 16);
    b_.count(first, end, layer_.rows_at_once(), [&](Register) {
      write_row(row);
      b_.advance_into(row, row, 1u, 16 * layer_.rows_at_once());
    });
    return b_.finish(layer_.threads, 64);
  }

 private:
  static Four four_of(ThreadBuilder& b, Type type) { return {b.variable(type), b.variable(type), b.variable(type), b.variable(type)}; }

  Lanes load_lanes(Register address) {
    Lanes x;
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      x[piece] = four_of(b_, Type::f32);
      b_.load(GpuSpace::global, layer_.tiles.value, {x[piece].begin(), x[piece].end()}, address, piece * threads_of_row * layer_.tiles.piece_bytes());
    }
    return x;
  }

  void write_row(Register row) {
    const Four header = four_of(b_, Type::u32);
    b_.load(GpuSpace::global, Element::u32, {header.begin(), header.end()}, row, 0, true);
    const auto [begin, edges, plane, bias_bits] = header;
    const Register bias = b_.compute(Arithmetic::as_float, {bias_bits});
    for (Four& sums : sums_) sums = four_of(b_, Type::f32);
    walk_edges(b_.advance(layer_table_, begin, 16), edges, bias);
    if (layer_.one_weight) for_each_sum([&](Register sum, unsigned, unsigned) { b_.compute_into(sum, Arithmetic::multiply_add, {sum, weight_, bias}); });
    for (Register distance : residuals_) {
      const Lanes x = load_lanes(b_.advance(lanes_, b_.add(plane, distance), 1));
      for_each_sum([&](Register sum, unsigned piece, unsigned k) { b_.compute_into(sum, Arithmetic::add, {sum, x[piece][k]}); });
    }
    for_each_sum([&](Register sum, unsigned, unsigned) { apply_activation(b_, layer_.activation, sum); });
    const Register target = b_.advance(lanes_, plane, 1);
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      if (may_overflow(layer_.tiles, layer_.activation)) note_overflow(b_, at_, b_.add(first_lane_, piece * threads_of_row * piece_lanes), sums_[piece]);
      b_.store(GpuSpace::global, layer_.tiles.value, target, piece * threads_of_row * layer_.tiles.piece_bytes(), {sums_[piece].begin(), sums_[piece].end()});
    }
  }

  /// Every row has four edges, with which its sums begin.
  void walk_edges(Register edge, Register left, Register bias) {
    const Source start = layer_.one_weight ? Source(0.0f) : Source(bias);
    take_edges(edge, 0, &start);
    b_.compute_into(left, Arithmetic::subtract, {left, edges_together});
    b_.when(b_.compare(Comparison::greater, left, 0u), [&] {
      b_.loop([&] {
        take_edges(edge, bytes_together());
        b_.advance_into(edge, edge, 1u, bytes_together());
        b_.compute_into(left, Arithmetic::subtract, {left, edges_together});
        b_.break_if(b_.compare(Comparison::equal, left, 0u));
      });
    });
  }

  std::uint32_t bytes_together() const { return layer_.one_weight ? slice_bytes : 2 * slice_bytes; }

  /// Four edges. Everything is loaded before anything is used: loads from afar then wait for each other's time only once.
  /// `start`: what the sums begin with, if they begin here.
  void take_edges(Register edge, std::uint32_t at, const Source* start = nullptr) {
    const Four offsets = load_words(edge, Type::u32, at);
    const Four weights = layer_.one_weight ? Four{weight_, weight_, weight_, weight_} : load_words(edge, Type::f32, at + slice_bytes);
    std::vector<Lanes> sources;
    for (Register offset : offsets) sources.push_back(load_lanes(b_.advance(lanes_, offset, 1)));
    for (std::uint32_t k = 0; k < edges_together; ++k) take(sources[k], weights[k], k == 0 ? start : nullptr);
  }

  Four load_words(Register edge, Type type, std::uint32_t offset) {
    const Four words = four_of(b_, type);
    b_.load(GpuSpace::global, type == Type::f32 ? Element::f32 : Element::u32, {words.begin(), words.end()}, edge, offset, true);
    return words;
  }

  void take(const Lanes& x, Register weight, const Source* start) {
    for_each_sum([&](Register sum, unsigned piece, unsigned k) {
      const Source before = start != nullptr ? *start : Source(sum);
      if (layer_.one_weight)
        b_.compute_into(sum, Arithmetic::add, {before, x[piece][k]});
      else
        b_.compute_into(sum, Arithmetic::multiply_add, {weight, x[piece][k], before});
    });
  }

  template <typename Do>
  void for_each_sum(Do act) {
    for (unsigned piece = 0; piece < pieces; ++piece)
      for (unsigned k = 0; k < piece_lanes; ++k) act(sums_[piece][k], piece, k);
  }

  const LayerTable& layer_;
  ThreadBuilder b_;
  TileParameters at_;
  Register table_, rows_at_, rows_, rounds_, weight_, layer_table_{}, lanes_{}, first_lane_{};
  std::vector<Register> residuals_;
  Lanes sums_{};
};

}  // namespace

std::uint32_t LayerTable::rows_at_once() const { return threads / threads_of_row; }

ThreadProgram build(const LayerTable& layer, const std::string& name) { return Writer(layer, name).write(); }

}  // namespace lacuna::kernel
