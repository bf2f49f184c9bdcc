#include "kernel/templates/sparse_dot.hpp"

#include <fmt/format.h>

#include "kernel/templates/activation.hpp"

namespace lacuna::kernel {
namespace {

class DotBuilder {
 public:
  explicit DotBuilder(const DotLayer& layer)
      : layer_(layer), b_(layer.name, fmt::format("sparse dot: {} rows, {} inputs of {}x{}, {} of a thread, {} threads of a row, {}", layer.rows, layer.inputs, layer.height, layer.width, layer.images, layer.parts,
                                                  to_string(layer.activation))) {}

  ThreadProgram build() {
    const Register source = b_.address_parameter("source", true, false);
    const Register skip = layer_.has_skip ? b_.address_parameter("skip", true, false) : source;
    const Register output = b_.address_parameter("output", false, true);
    const Register rows = b_.address_parameter("rows", true, false);
    const Register edges = b_.address_parameter("edges", true, false);
    const Register thread = b_.special(Special::thread), lane = b_.bit_and(thread, DotLayer::slice_rows - 1), part = b_.shift_right(thread, 5u);
    const Register row = b_.multiply_add(b_.special(Special::block_x), DotLayer::slice_rows, lane);
    const Register first = b_.variable(Type::u32), count = b_.variable(Type::u32), channel = b_.variable(Type::u32), bias = b_.variable(Type::u32);
    b_.load(GpuSpace::global, Element::u32, {first, count, channel, bias}, b_.advance(rows, row, 16), 0, true);
    locate();
    for (std::uint32_t k = 0; k < layer_.images; ++k) sums_.push_back(b_.variable(0.0f));
    add_edges(at_input(source, layer_.source), b_.advance(edges, b_.multiply_add(part, DotLayer::slice_rows, first), 8), part, count);
    const std::uint32_t block_threads = DotLayer::slice_rows * layer_.parts;
    add_parts(thread, block_threads);
    b_.return_if(b_.compare(Comparison::greater_equal, thread, DotLayer::slice_rows));
    b_.return_if(b_.compare(Comparison::equal, channel, DotLayer::no_channel));
    finish(channel, b_.compute(Arithmetic::as_float, {bias}), layer_.has_skip ? at_input(skip, layer_.skip) : source, at_input(output, layer_.output));
    return b_.finish(block_threads, 64);
  }

 private:
  /// block_y counts pixels of groups of inputs. The last inputs begin earlier rather than end later.
  void locate() {
    Register rest = b_.special(Special::block_y);
    const auto split_off = [&](std::uint32_t count) -> Source {
      if (count == 1) return 0u;
      const Register quotient = b_.compute(Arithmetic::divide, {rest, count});
      const Register digit = b_.subtract(rest, b_.multiply(quotient, count));
      rest = quotient;
      return digit;
    };
    x_ = split_off(layer_.width);
    y_ = split_off(layer_.height);
    image_ = b_.minimum(b_.multiply(rest, layer_.images), layer_.inputs - layer_.images);
  }

  Register at_input(Register base, const PixelView& view) {
    Register index = b_.multiply_add(image_, view.image, view.origin);
    if (!y_.is_constant) index = b_.multiply_add(y_, view.row, index);
    if (!x_.is_constant) index = b_.multiply_add(x_, view.column, index);
    return b_.advance(base, index, 4);
  }

  void add_edges(Register source, Register edge, Register part, Register count) {
    b_.count(part, count, layer_.parts, [&](Register) {
      const Register offset = b_.variable(Type::u32), bits = b_.variable(Type::u32);
      b_.load(GpuSpace::global, Element::u32, {offset, bits}, edge, 0, true);
      const Register weight = b_.compute(Arithmetic::as_float, {bits}), at = b_.advance(source, offset, 4);
      for (std::uint32_t k = 0; k < layer_.images; ++k)
        b_.compute_into(sums_[k], Arithmetic::multiply_add, {b_.load_f32(at, k * layer_.source.image * 4), weight, sums_[k]});
      b_.advance_into(edge, edge, layer_.parts * DotLayer::slice_rows, 8);
    });
  }

  /// The sums of the threads of a row, in the order of their parts, into the first of them.
  void add_parts(Register thread, std::uint32_t block_threads) {
    if (layer_.parts == 1) return;
    const std::uint32_t place = b_.shared(block_threads * layer_.images * 4);
    const Register at = b_.shift_left(thread, 2u);
    for (std::uint32_t k = 0; k < layer_.images; ++k) b_.store(GpuSpace::shared, Element::f32, at, place + k * block_threads * 4, {sums_[k]});
    b_.barrier();
    b_.when(b_.compare(Comparison::less, thread, DotLayer::slice_rows), [&] {
      for (std::uint32_t part = 1; part < layer_.parts; ++part)
        for (std::uint32_t k = 0; k < layer_.images; ++k) {
          const Register other = b_.variable(Type::f32);
          b_.load(GpuSpace::shared, Element::f32, {other}, at, place + (k * block_threads + part * DotLayer::slice_rows) * 4);
          b_.compute_into(sums_[k], Arithmetic::add, {sums_[k], other});
        }
    });
  }

  void finish(Register channel, Register bias, Register skip, Register output) {
    const Register skip_at = layer_.has_skip ? b_.advance(skip, channel, layer_.skip.channel * 4) : skip;
    const Register output_at = b_.advance(output, channel, layer_.output.channel * 4);
    for (std::uint32_t k = 0; k < layer_.images; ++k) {
      b_.compute_into(sums_[k], Arithmetic::add, {sums_[k], bias});
      if (layer_.has_skip) b_.compute_into(sums_[k], Arithmetic::add, {sums_[k], b_.load_f32(skip_at, k * layer_.skip.image * 4)});
      apply_activation(b_, layer_.activation, sums_[k]);
      b_.store_f32(output_at, k * layer_.output.image * 4, sums_[k]);
    }
  }

  const DotLayer& layer_;
  ThreadBuilder b_;
  Register image_{};
  Source y_ = 0u, x_ = 0u;
  std::vector<Register> sums_;
};

}  // namespace

ThreadProgram build(const DotLayer& layer) { return DotBuilder(layer).build(); }

}  // namespace lacuna::kernel
