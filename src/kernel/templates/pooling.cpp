#include "kernel/templates/pooling.hpp"

#include <fmt/format.h>

#include <limits>

#include "kernel/templates/strided_map.hpp"

namespace lacuna::kernel {
namespace {

class PoolBuilder {
 public:
  explicit PoolBuilder(const Pooling& pool)
      : pool_(pool), b_(pool.name, fmt::format("pooling: {}, {} planes of {}x{}, window {}x{}", pool.kind == Pooling::Kind::maximum ? "largest" : "average", pool.images * pool.channels,
                                               pool.input_height, pool.input_width, pool.kernel_y, pool.kernel_x)) {}

  ThreadProgram build() {
    input_ = b_.address_parameter("input", true, false);
    output_ = b_.address_parameter("output", false, true);
    best_ = b_.variable(is_maximum() ? -std::numeric_limits<float>::infinity() : 0.0f);
    pool_.is_whole() ? pool_plane() : pool_window();
    return b_.finish(pool_.block_threads, 48);
  }

 private:
  bool is_maximum() const { return pool_.kind == Pooling::Kind::maximum; }
  void combine(Register value) { b_.compute_into(best_, is_maximum() ? Arithmetic::maximum : Arithmetic::add, {best_, value}); }

  static StridedOperand planes_of(const PixelView& view, std::uint32_t images, std::uint32_t channels, std::uint32_t height, std::uint32_t width) {
    return {{images, channels, height, width}, {view.image, view.channel, view.row, view.column}, view.origin};
  }

  /// First and one past the last element of an axis that a window has.
  struct Reach {
    Register begin, end;
  };
  Reach reach(Register at, std::uint32_t stride, std::uint32_t kernel, std::uint32_t pad, std::uint32_t extent) {
    const Register first = b_.multiply(at, stride);  // in padded coordinates
    return {b_.subtract(b_.maximum(first, pad), pad), b_.subtract(b_.minimum(b_.add(first, kernel), extent + pad), pad)};
  }

  void pool_window() {
    const Register k = b_.multiply_add(b_.special(Special::block_x), pool_.block_threads, b_.special(Special::thread));
    b_.return_if(b_.compare(Comparison::greater_equal, k, pool_.elements()));
    const Register line = b_.compute(Arithmetic::divide, {k, pool_.width}), plane = b_.compute(Arithmetic::divide, {line, pool_.height});
    const Register x = b_.subtract(k, b_.multiply(line, pool_.width)), y = b_.subtract(line, b_.multiply(plane, pool_.height));
    const Reach rows = reach(y, pool_.stride_y, pool_.kernel_y, pool_.pad_y, pool_.input_height);
    const Reach columns = reach(x, pool_.stride_x, pool_.kernel_x, pool_.pad_x, pool_.input_width);
    const Register base = operand_address(b_, input_, planes_of(pool_.input, pool_.images, pool_.channels, 1, 1), plane);
    b_.count(rows.begin, rows.end, 1, [&](Register row) {
      const Register at = b_.advance(base, b_.multiply_add(row, pool_.input.row, b_.multiply(columns.begin, pool_.input.column)), 4);
      b_.count(columns.begin, columns.end, 1, [&](Register) {
        combine(b_.load_f32(at));
        b_.advance_into(at, at, pool_.input.column, 4);
      });
    });
    if (!is_maximum()) {
      const Register seen = b_.multiply(b_.subtract(rows.end, rows.begin), b_.subtract(columns.end, columns.begin));
      const Source count = pool_.kind == Pooling::Kind::average ? Source(b_.compute(Arithmetic::to_float, {seen})) : Source(static_cast<float>(pool_.kernel_y * pool_.kernel_x));
      b_.compute_into(best_, Arithmetic::divide, {best_, count});
    }
    b_.store_f32(operand_address(b_, output_, planes_of(pool_.output, pool_.images, pool_.channels, pool_.height, pool_.width), k), 0, best_);
  }

  /// Threads take every block_threads-th pixel; then halves of the block are added to the other halves.
  void pool_plane() {
    const Register plane = b_.special(Special::block_x), thread = b_.special(Special::thread);
    const Register base = operand_address(b_, input_, planes_of(pool_.input, pool_.images, pool_.channels, 1, 1), plane);
    b_.count(thread, pool_.input_height * pool_.input_width, pool_.block_threads, [&](Register pixel) {
      const Register y = b_.compute(Arithmetic::divide, {pixel, pool_.input_width}), x = b_.subtract(pixel, b_.multiply(y, pool_.input_width));
      combine(b_.load_f32(b_.advance(base, b_.multiply_add(y, pool_.input.row, b_.multiply(x, pool_.input.column)), 4)));
    });
    const std::uint32_t place = b_.shared(pool_.block_threads * 4);
    const Register at = b_.shift_left(thread, 2u);
    for (std::uint32_t half = pool_.block_threads / 2; half > 0; half /= 2) {
      b_.store(GpuSpace::shared, Element::f32, at, place, {best_});
      b_.barrier();
      const Register other = b_.variable(0.0f);
      const Register is_first_half = b_.compare(Comparison::less, thread, half);
      b_.when(is_first_half, [&] {
        b_.load(GpuSpace::shared, Element::f32, {other}, at, place + half * 4);
        combine(other);
      });
      b_.barrier();
    }
    b_.return_if(b_.compare(Comparison::greater, thread, 0u));
    if (!is_maximum()) b_.compute_into(best_, Arithmetic::divide, {best_, static_cast<float>(pool_.kernel_y * pool_.kernel_x)});
    b_.store_f32(operand_address(b_, output_, planes_of(pool_.output, pool_.images, pool_.channels, 1, 1), plane), 0, best_);
  }

  const Pooling& pool_;
  ThreadBuilder b_;
  Register input_{}, output_{}, best_{};
};

}  // namespace

ThreadProgram build(const Pooling& pooling) { return PoolBuilder(pooling).build(); }

}  // namespace lacuna::kernel
