#include "engine/tensors/pool_on_planes.hpp"

#include <algorithm>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "engine/tensors/each_row.hpp"

namespace lacuna::engine::tensors {
namespace {

using rows::Planes;

class PoolOnPlanes : public Step {
 public:
  PoolOnPlanes(dense::PoolShape pool, const Planes& from, std::size_t input, const Planes& to, std::size_t output, cpu::Isa isa, unsigned threads)
      : pool_(std::move(pool)), from_(from), to_(to), input_(input), output_(output), threads_(threads), kernels_(cpu::kernels_for(isa)) {
    if (pool_.kernel.size() == 1)  // 1-D: a plane of height 1
      for (auto* numbers : {&pool_.kernel, &pool_.strides}) numbers->insert(numbers->begin(), 1);
    if (pool_.pads_begin.size() == 1)
      for (auto* numbers : {&pool_.pads_begin, &pool_.pads_end}) numbers->insert(numbers->begin(), 0);
  }

  void run(const Frame& frame) const override {
    const float* const input = frame.floats(input_);
    float* const output = frame.floats(output_);
    if (is_global()) return pool_planes(input, output);
    const Whole whole = whole_windows();
    for_each_part(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t first_row, std::size_t last_row) {
      thread_local std::vector<float> best;
      best.resize(from_.row_lanes() + 2 * std::size_t{kernels_.vector_lanes} + pool_.kernel[1]);
      for (auto y = static_cast<std::uint32_t>(first_row); y < last_row;) {
        const std::uint32_t end = end_of_alike(y, static_cast<std::uint32_t>(last_row));
        const Rows rows{reach(y, 0, from_.height), y, end, input + from_.at(image, channel, 0, 0), output + to_.at(image, channel, 0, 0)};
        pool_.kind == Kind::maximum ? pool_rows(rows, whole, [](float a, float b) { return a > b ? a : b; }, best) : pool_rows(rows, whole, [](float a, float b) { return a + b; }, best);
        y = end;
      }
    });
  }

 private:
  using Kind = dense::PoolShape::Kind;

  /// The part of a window that is on the plane.
  struct Reach {
    std::size_t begin, end;
  };
  Reach reach(std::uint32_t at, std::size_t axis, std::uint32_t extent) const {
    const std::int64_t first = std::int64_t{at} * pool_.strides[axis] - pool_.pads_begin[axis];
    return {static_cast<std::size_t>(std::max<std::int64_t>(first, 0)), static_cast<std::size_t>(std::min<std::int64_t>(first + pool_.kernel[axis], extent))};
  }

  /// Whether every window is a whole plane, and lanes are pixels.
  bool is_global() const {
    const auto none = [](const auto& pads) { return std::all_of(pads.begin(), pads.end(), [](std::uint32_t pad) { return pad == 0; }); };
    return !from_.lanes_are_inputs() && !to_.lanes_are_inputs() && to_.height == 1 && to_.width == 1 && pool_.kernel[0] == from_.height && pool_.kernel[1] == from_.width && none(pool_.pads_begin) &&
           none(pool_.pads_end);
  }

  /// Some planes at a time, so that additions do not wait for each other.
  void pool_planes(const float* input, float* output) const {
    constexpr std::size_t together = 8;
    rows::zero_halo(to_, output);
    const std::size_t sets = (to_.channels + together - 1) / together, pixels = std::size_t{from_.height} * from_.width;
    base::run_team(threads_, [&](unsigned worker) {
      for (std::size_t image = 0; image < to_.batch; ++image)
        for (std::size_t set = sets * worker / threads_; set < sets * (worker + 1) / threads_; ++set) {
          const std::size_t first = set * together, count = std::min<std::size_t>(together, to_.channels - first);
          float pooled[together];
          if (count == together)
            pool_some<together>(input + from_.at(image, first, 0, 0), pooled);
          else
            for (std::size_t k = 0; k < count; ++k) pool_some<1>(input + from_.at(image, first + k, 0, 0), pooled + k);
          for (std::size_t k = 0; k < count; ++k) output[to_.at(image, first + k, 0, 0)] = pool_.kind == Kind::maximum ? pooled[k] : pooled[k] / static_cast<float>(pixels);
        }
    });
  }

  template <std::size_t planes>
  void pool_some(const float* plane, float* pooled) const {
    float best[planes];
    for (std::size_t k = 0; k < planes; ++k) best[k] = plane[k * from_.channel];
    for (std::size_t y = 0; y < from_.height; ++y)
      for (std::size_t x = y == 0 ? 1 : 0; x < from_.width; ++x)
        for (std::size_t k = 0; k < planes; ++k) {
          const float value = plane[k * from_.channel + y * from_.row + x];
          best[k] = pool_.kind == Kind::maximum ? (best[k] > value ? best[k] : value) : best[k] + value;
        }
    std::copy_n(best, planes, pooled);
  }

  /// Outputs [begin, end) of a line whose windows are whole, where lanes are pixels: all of them are pooled at once.
  struct Whole {
    std::uint32_t begin, end;
  };
  Whole whole_windows() const {
    if (to_.lanes_are_inputs()) return {0, 0};
    const std::int64_t stride = pool_.strides[1], pad = pool_.pads_begin[1], beyond = std::int64_t{from_.width} + pad - pool_.kernel[1];
    const auto begin = static_cast<std::uint32_t>(std::min<std::int64_t>((pad + stride - 1) / stride, to_.width));
    const auto end = static_cast<std::uint32_t>(beyond < 0 ? 0 : std::min<std::int64_t>(beyond / stride + 1, to_.width));
    return {begin, std::max(begin, end)};
  }

  /// Rows [begin, end) of outputs of one plane, whose windows have as many lines.
  struct Rows {
    Reach lines;  ///< of the first
    std::uint32_t begin, end;
    const float* input;
    float* output;
  };

  std::uint32_t end_of_alike(std::uint32_t begin, std::uint32_t end) const {
    const Reach first = reach(begin, 0, from_.height);
    std::uint32_t y = begin + 1;
    for (Reach before = first; y < end; ++y) {
      const Reach here = reach(y, 0, from_.height);
      if (here.end - here.begin != first.end - first.begin || here.begin != before.begin + pool_.strides[0]) break;
      before = here;
    }
    return y;
  }

  template <typename Combine>
  void pool_rows(const Rows& rows, Whole whole, const Combine& combine, std::vector<float>& best) const {
    const std::size_t lines = std::max(rows.lines.end, rows.lines.begin + 1) - rows.lines.begin;
    const float* const input = rows.input + rows.lines.begin * from_.row;
    float* const output = rows.output + rows.begin * to_.row;
    const cpu::PoolLines shape{lines, from_.row, from_.row_lanes(), pool_.kernel[1], pool_.strides[1], whole.end - whole.begin, pool_.kind == Kind::maximum,
                               rows.end - rows.begin, pool_.strides[0] * from_.row, to_.row};
    if (whole.begin < whole.end) kernels_.pool_lines(shape, input, best.data(), whole.begin * pool_.strides[1] - pool_.pads_begin[1], output + whole.begin);
    for (std::uint32_t row = 0; row < rows.end - rows.begin; ++row) {
      const auto pool_at = [&](std::uint32_t x) { pool_window(input + row * shape.source_step, lines, x, output + row * to_.row + x * to_.column, combine, best.data()); };
      for (std::uint32_t x = 0; x < whole.begin; ++x) pool_at(x);
      for (std::uint32_t x = whole.end; x < to_.width; ++x) pool_at(x);
      if (pool_.kind != Kind::maximum) divide(rows.lines.end - rows.lines.begin, output + row * to_.row);
    }
  }

  /// One window, of all lanes: down its lines, then along, as the others.
  template <typename Combine>
  void pool_window(const float* input, std::size_t lines, std::uint32_t x, float* target, const Combine& combine, float* best) const {
    const Reach columns = reach(x, 1, from_.width);
    const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
    for (std::size_t column = 0; column < std::max(columns.end, columns.begin + 1) - columns.begin; ++column) {
      float* const down = column == 0 ? target : best;
      const float* const source = input + (columns.begin + column) * from_.column;
      std::copy_n(source, lanes, down);
      for (std::size_t line = 1; line < lines; ++line) combine_lanes(down, source + line * from_.row, lanes, combine);
      if (column > 0) combine_lanes(target, best, lanes, combine);
    }
  }

  template <typename Combine>
  static void combine_lanes(float* target, const float* source, std::size_t lanes, const Combine& combine) {
    for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = combine(target[lane], source[lane]);
  }

  /// Sums of a row by what their windows have.
  void divide(std::size_t lines, float* output) const {
    const auto window = static_cast<float>(pool_.kernel[0] * pool_.kernel[1]);
    const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
    for (std::uint32_t x = 0; x < to_.width; ++x) {
      const Reach columns = reach(x, 1, from_.width);
      const float seen = pool_.kind == Kind::average_with_padding ? window : static_cast<float>(lines * (columns.end - columns.begin));
      for (std::size_t lane = 0; lane < lanes; ++lane) output[x * to_.column + lane] /= seen;
    }
  }

  dense::PoolShape pool_;
  Planes from_, to_;
  std::size_t input_, output_;
  unsigned threads_;
  const cpu::Kernels& kernels_;
};

}  // namespace

StepPointer pool_on_planes(dense::PoolShape pool, const Planes& from, std::size_t input, const Planes& to, std::size_t output, cpu::Isa isa, unsigned threads) {
  return std::make_unique<PoolOnPlanes>(std::move(pool), from, input, to, output, isa, threads);
}

}  // namespace lacuna::engine::tensors
