#include "kernel/templates/gpu_row_block.hpp"

#include <array>
#include <vector>

#include <lacuna/error.hpp>

#include "kernel/templates/activation.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

using Four = std::array<Register, lanes_of_thread>;

class Writer {
 public:
  Writer(const Kernel& kernel, const Activation& activation, std::uint32_t planes, const std::string& name)
      : kernel_(kernel), activation_(activation), planes_(planes), b_(name, "row block: " + kernel.name), at_(b_) {}

  ThreadProgram write() {
    const Register thread = b_.special(Special::thread);
    const Register tile = b_.multiply_add(b_.special(Special::block_y), row_block_tiles, b_.compute(Arithmetic::divide, {thread, threads_of_row}));
    leave_unused_tiles(b_, tile, control_word(b_, at_, control_lanes));
    const Register lane = b_.multiply(b_.bit_and(thread, threads_of_row - 1), lanes_of_thread);
    lanes_ = lane_address(b_, at_, control_word(b_, at_, control_half), tile, lane, planes_);
    for (unsigned row = 0; row < kernel_.rows; ++row) sums_.push_back(new_four());
    for (const Step& step : kernel_.steps) write_step(step);
    return b_.finish(row_block_tiles * threads_of_row, 4 * kernel_.rows + 64);
  }

 private:
  Four new_four() {
    Four four;
    for (Register& value : four) value = b_.variable(Type::f32);
    return four;
  }

  Source constant(const Step& step) const { return kernel_.constants.at(step.index); }

  /// What stands in x: four loaded values, or a constant.
  Source x(unsigned lane) const { return x_is_constant_ ? x_constant_ : Source(x_[lane]); }

  void write_step(const Step& step) {
    if (step.space != Space::memory) throw InternalError("a row block for a GPU with spaces apart");
    const auto offset = static_cast<std::uint32_t>(step.offset);
    Four* const sums = sums_.data() + step.row;
    switch (step.op) {
      case Op::load:
        x_ = new_four();
        x_is_constant_ = false;
        b_.load(GpuSpace::global, Element::f32, {x_[0], x_[1], x_[2], x_[3]}, lanes_, offset);
        return;
      case Op::take:
        x_is_constant_ = true;
        x_constant_ = constant(step);
        return;
      case Op::store:
        for (Register sum : *sums)
          if (is_smooth()) apply_activation(b_, activation_, sum);
        b_.store(GpuSpace::global, Element::f32, lanes_, offset, {(*sums)[0], (*sums)[1], (*sums)[2], (*sums)[3]});
        return;
      case Op::resume: throw InternalError("a row block for a GPU that resumes");
      default:
        for (unsigned lane = 0; lane < lanes_of_thread; ++lane) write_lane(step, (*sums)[lane], lane);
    }
  }

  void write_lane(const Step& step, Register sum, unsigned lane) {
    switch (step.op) {
      case Op::clear: return b_.set(sum, 0.0f);
      case Op::set: return b_.set(sum, constant(step));
      case Op::multiply_add: return b_.compute_into(sum, Arithmetic::multiply_add, {x(lane), constant(step), sum});
      case Op::add: return b_.compute_into(sum, Arithmetic::add, {sum, x(lane)});
      case Op::scale: return b_.compute_into(sum, Arithmetic::multiply_add, {sum, x(lane), constant(step)});
      case Op::maximum: return b_.compute_into(sum, Arithmetic::maximum, {sum, x(lane)});
      case Op::minimum: return b_.compute_into(sum, Arithmetic::minimum, {sum, x(lane)});
      default: throw InternalError("a kernel step of no known kind");
    }
  }

  /// Clips are steps of the kernel.
  bool is_smooth() const {
    return activation_.kind != ActivationKind::identity && activation_.kind != ActivationKind::relu && activation_.kind != ActivationKind::clip;
  }

  const Kernel& kernel_;
  const Activation& activation_;
  const std::uint32_t planes_;
  ThreadBuilder b_;
  TileParameters at_;
  Register lanes_{};
  std::vector<Four> sums_;
  Four x_{};
  bool x_is_constant_ = false;
  Source x_constant_ = Source(0.0f);
};

}  // namespace

ThreadProgram build_gpu_row_block(const Kernel& kernel, const Activation& activation, std::uint32_t planes, const std::string& name) {
  return Writer(kernel, activation, planes, name).write();
}

}  // namespace lacuna::kernel
