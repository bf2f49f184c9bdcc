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
    for_each_row(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t y) {
      thread_local std::vector<float> column_best;
      column_best.resize(from_.row_lanes() + 2 * std::size_t{kernels_.vector_lanes} + pool_.kernel[1]);
      pool_line(input, output, image, channel, static_cast<std::uint32_t>(y), column_best);
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

  template <typename Combine>
  static void combine_lanes(float* target, const float* source, std::size_t lanes, const Combine& combine) {
    for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = combine(target[lane], source[lane]);
  }

  /// Outputs [begin, end) of a line whose windows are whole, where lanes are pixels: column after column of the window, all outputs at once.
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

  /// First down the lines of the window, all lanes at once; then along the line.
  void pool_line(const float* input, float* output, std::size_t image, std::size_t channel, std::uint32_t y, std::vector<float>& column_best) const {
    const Reach lines = reach(y, 0, from_.height);
    const auto combine_all = [&](const auto& combine, float scale) {
      const Whole whole = whole_windows();
      const cpu::PoolLines shape{std::max(lines.end, lines.begin + 1) - lines.begin, from_.row, from_.row_lanes(), pool_.kernel[1], pool_.strides[1], whole.end - whole.begin, pool_.kind == Kind::maximum};
      kernels_.pool_lines(shape, input + from_.at(image, channel, lines.begin, 0), column_best.data(), whole.begin * pool_.strides[1] - (whole.begin < whole.end ? pool_.pads_begin[1] : 0),
                          output + to_.at(image, channel, y, 0) + whole.begin);
      const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
      const auto pool_window = [&](std::uint32_t x) {
        const Reach columns = reach(x, 1, from_.width);
        float* const target = output + to_.at(image, channel, y, x);
        const float* const source = column_best.data() + columns.begin * from_.column;
        std::copy_n(source, lanes, target);
        for (std::size_t column = 1; column < columns.end - columns.begin; ++column) combine_lanes(target, source + column * from_.column, lanes, combine);
      };
      for (std::uint32_t x = 0; x < whole.begin; ++x) pool_window(x);
      for (std::uint32_t x = whole.end; x < to_.width; ++x) pool_window(x);
      if (pool_.kind == Kind::maximum) return;
      for (std::uint32_t x = 0; x < to_.width; ++x) {
        const Reach columns = reach(x, 1, from_.width);
        const float seen = scale > 0 ? scale : static_cast<float>((lines.end - lines.begin) * (columns.end - columns.begin));
        float* const target = output + to_.at(image, channel, y, x);
        for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] /= seen;
      }
    };
    const auto window = static_cast<float>(pool_.kernel[0] * pool_.kernel[1]);
    if (pool_.kind == Kind::maximum)
      combine_all([](float a, float b) { return a > b ? a : b; }, 0);
    else
      combine_all([](float a, float b) { return a + b; }, pool_.kind == Kind::average_with_padding ? window : 0.0f);
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
