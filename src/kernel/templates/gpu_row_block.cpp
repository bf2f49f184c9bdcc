#include "kernel/templates/gpu_row_block.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "kernel/templates/activation.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

constexpr std::uint32_t threads_of_plane = tile_lanes / piece_lanes;

using Four = std::array<Register, piece_lanes>;

Four new_four(ThreadBuilder& b) { return {b.variable(Type::f32), b.variable(Type::f32), b.variable(Type::f32), b.variable(Type::f32)}; }

/// The steps of one row block.
class BlockWriter {
 public:
  /// `lanes`: the address of the thread's lanes; `first_lane`: the number of their first input.
  BlockWriter(ThreadBuilder& builder, const TileParameters& at, const TileLayout& tiles, const Kernel& kernel, const Activation& activation, Register lanes, Register first_lane)
      : b_(builder), at_(at), tiles_(tiles), kernel_(kernel), activation_(activation), lanes_(lanes), first_lane_(first_lane), sums_(kernel.rows) {}

  void write() {
    for (const Step& step : kernel_.steps) write(step);
  }

 private:
  /// A sum begins with its first edge, which takes `start` as addend: no instruction only sets it.
  struct Sum {
    Four lanes{};
    float start = 0;
    bool has_begun = false;
  };

  float constant(const Step& step) const { return kernel_.constants.at(step.index); }

  /// What stands in x: four loaded values, or a constant.
  Source x(unsigned lane) const { return x_is_constant_ ? x_constant_ : Source(x_[lane]); }

  void write(const Step& step) {
    if (step.space != Space::memory) throw InternalError("a row block for a GPU with spaces apart");
    const auto offset = static_cast<std::uint32_t>(step.offset);
    Sum* const sum = sums_.data() + step.row;
    switch (step.op) {
      case Op::clear: sum->start = 0; return;
      case Op::set: sum->start = constant(step); return;
      case Op::load:
        x_ = new_four(b_);
        x_is_constant_ = false;
        b_.load(GpuSpace::global, tiles_.value, {x_.begin(), x_.end()}, lanes_, offset);
        return;
      case Op::take:
        x_is_constant_ = true;
        x_constant_ = constant(step);
        return;
      case Op::multiply_add: return add_to(*sum, [&](Register to, Source before, unsigned k) { b_.compute_into(to, Arithmetic::multiply_add, {x(k), constant(step), before}); });
      case Op::add: return add_to(*sum, [&](Register to, Source before, unsigned k) { b_.compute_into(to, Arithmetic::add, {before, x(k)}); });
      case Op::scale: return change(*sum, [&](Register of, unsigned k) { b_.compute_into(of, Arithmetic::multiply_add, {of, x(k), constant(step)}); });
      case Op::maximum: return change(*sum, [&](Register of, unsigned k) { b_.compute_into(of, Arithmetic::maximum, {of, x(k)}); });
      case Op::minimum: return change(*sum, [&](Register of, unsigned k) { b_.compute_into(of, Arithmetic::minimum, {of, x(k)}); });
      case Op::store:
        change(*sum, [&](Register of, unsigned) {
          if (is_smooth()) apply_activation(b_, activation_, of);
        });
        if (may_overflow(tiles_, activation_)) note_overflow(b_, at_, first_lane_, sum->lanes);
        return b_.store(GpuSpace::global, tiles_.value, lanes_, offset, {sum->lanes.begin(), sum->lanes.end()});
      case Op::resume: throw InternalError("a row block for a GPU that resumes");
      case Op::blank: throw InternalError("a row block for a GPU with lanes that are not wanted");
      case Op::hold: throw InternalError("a row block for a GPU that holds a sum");
    }
  }

  /// act(lane of the sum, what it was before, number of the lane)
  template <typename Act>
  void add_to(Sum& sum, Act act) {
    const bool begins = !sum.has_begun;
    const Source start = begins ? bias(sum.start) : Source(0.0f);
    if (begins) sum.lanes = new_four(b_);
    for (unsigned k = 0; k < piece_lanes; ++k) act(sum.lanes[k], begins ? start : Source(sum.lanes[k]), k);
    sum.has_begun = true;
  }

  /// act(lane of the sum, number of the lane). A row without edges begins here.
  template <typename Act>
  void change(Sum& sum, Act act) {
    if (!sum.has_begun) add_to(sum, [&](Register to, Source start, unsigned) { b_.set(to, start); });
    for (unsigned k = 0; k < piece_lanes; ++k) act(sum.lanes[k], k);
  }

  /// Made where a sum begins: an instruction has room for one constant, and that is the weight. A sum that begins next with the same value takes the same register.
  Source bias(float value) {
    if (std::bit_cast<std::uint32_t>(value) == 0) return 0.0f;  // GPUs have a register for it
    if (!has_bias_ || std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(bias_value_)) {
      bias_ = b_.variable(Source(value));
      bias_value_ = value;
      has_bias_ = true;
    }
    return bias_;
  }

  /// Clips are steps of the kernel.
  bool is_smooth() const {
    return activation_.kind != ActivationKind::identity && activation_.kind != ActivationKind::relu && activation_.kind != ActivationKind::clip;
  }

  ThreadBuilder& b_;
  const TileParameters& at_;
  const TileLayout& tiles_;
  const Kernel& kernel_;
  const Activation& activation_;
  const Register lanes_, first_lane_;
  std::vector<Sum> sums_;
  Register bias_{};
  float bias_value_ = 0;
  bool has_bias_ = false;
  Four x_{};
  bool x_is_constant_ = false;
  Source x_constant_ = Source(0.0f);
};

class Writer {
 public:
  Writer(std::span<const Kernel> blocks, const Activation& activation, const TileLayout& tiles, const std::string& name)
      : blocks_(blocks), activation_(activation), tiles_(tiles), b_(name, fmt::format("{} row blocks, {} to {}", blocks.size(), blocks.front().name, blocks.back().name)), at_(b_), first_tile_(b_.u32_parameter("first_tile")) {}

  ThreadProgram write() {
    const Register thread = b_.special(Special::thread);
    const Register of_block = b_.compute(Arithmetic::divide, {thread, threads_of_plane});
    const Register tile = b_.add(first_tile_, b_.multiply_add(b_.special(Special::block_y), row_block_tiles, of_block));
    leave_unused_tiles(b_, tile, control_word(b_, at_, control_lanes));
    const Register lane = b_.multiply(b_.bit_and(thread, threads_of_plane - 1), piece_lanes);
    lanes_ = lane_address(b_, at_, control_word(b_, at_, control_half), tile, lane, tiles_);
    if (may_overflow(tiles_, activation_)) first_lane_ = b_.multiply_add(tile, tile_lanes, lane);
    number_ = b_.special(Special::block_x);
    dispatch(0, blocks_.size());
    // No promise of registers: where ptxas is given a limit it loads ahead until it spills, and without one it takes about 150 for 24 rows.
    return b_.finish(row_block_tiles * threads_of_plane);
  }

 private:
  /// The row blocks [begin, end), by halving.
  void dispatch(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return BlockWriter(b_, at_, tiles_, blocks_[begin], activation_, lanes_, first_lane_).write();
    const std::size_t middle = std::midpoint(begin, end);
    b_.when(b_.compare(Comparison::less, number_, static_cast<std::uint32_t>(middle)), [&] { dispatch(begin, middle); }, [&] { dispatch(middle, end); });
  }

  std::span<const Kernel> blocks_;
  const Activation& activation_;
  const TileLayout tiles_;
  ThreadBuilder b_;
  TileParameters at_;
  Register first_tile_, lanes_{}, first_lane_{}, number_{};
};

}  // namespace

ThreadProgram build_gpu_row_blocks(std::span<const Kernel> blocks, const Activation& activation, const TileLayout& tiles, const std::string& name) {
  return Writer(blocks, activation, tiles, name).write();
}

}  // namespace lacuna::kernel
