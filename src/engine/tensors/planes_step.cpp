// Operators straight on planes: pooling, sums, activations, products with a gate for each channel, concatenation of channels. All are plain loops
// along the lanes, which stand side by side.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/team.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/step.hpp"
#include "operators/attributes.hpp"

namespace lacuna::engine::tensors {
namespace {

using rows::Planes;

/// Calls work(image, channel, y) for every row of every plane, spread over the team, and zeroes the halo around. Each thread takes some rows of all planes, as convolutions
/// do, so that it finds in its own cache what it wrote; some planes where there are few rows. With lanes of the batch an "image" is all of them at once.
template <typename Work>
void for_each_row(const Planes& planes, float* memory, unsigned threads, const Work& work) {
  const std::size_t count = std::size_t{planes.plane_sets()} * planes.channels, height = planes.height;
  const bool by_rows = height >= threads;
  if (!by_rows) rows::zero_halo(planes, memory);
  base::run_team(threads, [&](unsigned worker) {
    const auto part = [&](std::size_t total) { return std::pair(total * worker / threads, total * (worker + 1) / threads); };
    const auto [first_plane, last_plane] = by_rows ? std::pair(std::size_t{0}, count) : part(count);
    const auto [first_row, last_row] = by_rows ? part(height) : std::pair(std::size_t{0}, height);
    if (by_rows) rows::zero_halo(planes, memory, first_row, last_row);
    for (std::size_t plane = first_plane; plane < last_plane; ++plane)
      for (std::size_t y = first_row; y < last_row; ++y) work(plane / planes.channels, plane % planes.channels, y);
  });
}

/// Lanes that stand side by side: pixels of a line, or the inputs of the batch at one pixel.
std::size_t lanes_of(const Planes& planes) { return !planes.lanes_are_inputs() ? planes.width : planes.batch; }
/// Runs of such lanes in a row.
std::size_t runs_of(const Planes& planes) { return !planes.lanes_are_inputs() ? 1 : planes.width; }

class PoolOnPlanes : public Step {
 public:
  PoolOnPlanes(dense::PoolShape pool, const Planes& from, std::size_t input, const Planes& to, std::size_t output, unsigned threads)
      : pool_(std::move(pool)), from_(from), to_(to), input_(input), output_(output), threads_(threads) {
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
      column_best.resize(from_.row_lanes());
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

  template <std::size_t stride, typename Combine>
  static void combine_columns(float* __restrict target, const float* __restrict source, std::size_t count, std::size_t columns, std::size_t any_stride, const Combine& combine) {
    const std::size_t step = stride == 0 ? any_stride : stride;  // a stride known here makes vector code
    for (std::size_t x = 0; x < count; ++x) target[x] = source[x * step];
    for (std::size_t column = 1; column < columns; ++column)
      for (std::size_t x = 0; x < count; ++x) target[x] = combine(target[x], source[x * step + column]);
  }

  template <typename Combine>
  void pool_whole(float* target, const float* column_best, const Whole& whole, const Combine& combine) const {
    const std::size_t stride = pool_.strides[1], columns = pool_.kernel[1], count = whole.end - whole.begin;
    const float* const source = column_best + whole.begin * stride - pool_.pads_begin[1];
    if (stride == 1) return combine_columns<1>(target + whole.begin, source, count, columns, stride, combine);
    if (stride == 2) return combine_columns<2>(target + whole.begin, source, count, columns, stride, combine);
    combine_columns<0>(target + whole.begin, source, count, columns, stride, combine);
  }

  /// First down the lines of the window, all lanes at once; then along the line.
  void pool_line(const float* input, float* output, std::size_t image, std::size_t channel, std::uint32_t y, std::vector<float>& column_best) const {
    const Reach lines = reach(y, 0, from_.height);
    const auto combine_all = [&](const auto& combine, float scale) {
      const float* const first = input + from_.at(image, channel, lines.begin, 0);
      std::copy_n(first, column_best.size(), column_best.begin());
      for (std::size_t line = lines.begin + 1; line < lines.end; ++line)
        combine_lanes(column_best.data(), input + from_.at(image, channel, line, 0), column_best.size(), combine);
      const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
      const auto pool_window = [&](std::uint32_t x) {
        const Reach columns = reach(x, 1, from_.width);
        float* const target = output + to_.at(image, channel, y, x);
        const float* const source = column_best.data() + columns.begin * from_.column;
        std::copy_n(source, lanes, target);
        for (std::size_t column = 1; column < columns.end - columns.begin; ++column) combine_lanes(target, source + column * from_.column, lanes, combine);
      };
      const Whole whole = whole_windows();
      for (std::uint32_t x = 0; x < whole.begin; ++x) pool_window(x);
      if (whole.begin < whole.end) pool_whole(output + to_.at(image, channel, y, 0), column_best.data(), whole, combine);
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
};

/// output = function(a, b) lane by lane; b may be one number for each image and channel.
template <typename Function>
class LanesStep : public Step {
 public:
  LanesStep(std::vector<Planes> from, std::vector<std::size_t> inputs, const Planes& to, std::size_t output, unsigned threads, Function function)
      : from_(std::move(from)), inputs_(std::move(inputs)), to_(to), output_(output), threads_(threads), function_(function) {}

  void run(const Frame& frame) const override {
    float* const output = frame.floats(output_);
    const float* const a = frame.floats(inputs_[0]);
    const float* const b = inputs_.size() > 1 ? frame.floats(inputs_[1]) : a;
    const Planes& from_b = from_.size() > 1 ? from_[1] : from_[0];
    const bool is_gate = from_b.height * from_b.width == 1 && to_.height * to_.width > 1;
    const std::size_t lanes = lanes_of(to_);
    for_each_row(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t row) {
      for (std::size_t run = 0; run < runs_of(to_); ++run) {
        float* const target = output + to_.at(image, channel, row, run);
        const float* const x = a + from_[0].at(image, channel, row, run);
        const float* const y = b + (is_gate ? from_b.at(image, channel, 0, 0) : from_b.at(image, channel, row, run));
        if (is_gate && !to_.lanes_are_inputs())
          for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = function_(x[lane], *y);
        else
          for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = function_(x[lane], y[lane]);
      }
    });
  }

 private:
  std::vector<Planes> from_;
  std::vector<std::size_t> inputs_;
  Planes to_;
  std::size_t output_;
  unsigned threads_;
  Function function_;
};

class ConcatOnPlanes : public Step {
 public:
  ConcatOnPlanes(std::vector<Planes> from, std::vector<std::size_t> inputs, const Planes& to, std::size_t output, unsigned threads)
      : from_(std::move(from)), inputs_(std::move(inputs)), to_(to), output_(output), threads_(threads) {}

  void run(const Frame& frame) const override {
    float* const output = frame.floats(output_);
    for_each_row(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t row) {
      std::size_t k = 0, first = 0;  // the input that has this channel, and its first one
      while (channel >= first + from_[k].channels) first += from_[k++].channels;
      const float* const input = frame.floats(inputs_[k]);
      for (std::size_t run = 0; run < runs_of(to_); ++run)
        std::memcpy(output + to_.at(image, channel, row, run), input + from_[k].at(image, channel - first, row, run), lanes_of(to_) * sizeof(float));
    });
  }

 private:
  std::vector<Planes> from_;
  std::vector<std::size_t> inputs_;
  Planes to_;
  std::size_t output_;
  unsigned threads_;
};

const Call* call_of(const Operator& op) { return std::get_if<Call>(&op.operation); }

bool is_gate_for(const Shape& gate, const Shape& of) {
  if (gate.extents.size() != of.extents.size() || gate.extents.size() < 3 || gate.extents[0] != of.extents[0] || gate.extents[1] != of.extents[1]) return false;
  return std::all_of(gate.extents.begin() + 2, gate.extents.end(), [](std::uint32_t extent) { return extent == 1; });
}

/// Element by element: all of the output's shape, or the second a gate.
bool fits_lanes(const Network& network, const Operator& op, std::size_t inputs) {
  if (op.inputs.size() != inputs) return false;
  const Shape& shape = network.value(op.output).shape;
  for (std::size_t k = 0; k < inputs; ++k) {
    const Value& value = network.value(op.inputs[k]);
    if (value.is_constant || value.type != ElementType::f32 || (value.shape != shape && !(k == 1 && is_gate_for(value.shape, shape)))) return false;
  }
  return true;
}

bool is_channel_concat(const Network& network, const Operator& op, const Call& call) {
  if (call.name != "Concat" || operators::integer_attribute(call, "axis", 0) != 1) return false;
  return std::none_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return network.value(id).is_constant; });
}

}  // namespace

bool can_run_on_planes(const Network& network, const Operator& op) {
  const Call* call = call_of(op);
  const Value& output = network.value(op.output);
  if (call == nullptr || output.type != ElementType::f32 || output.shape.extents.size() < 3 || output.shape.extents.size() > 4) return false;
  if (pool_shape(network, op)) return true;
  if (call->name == "Add" || call->name == "Mul") return fits_lanes(network, op, 2);
  if (call->name == "Relu" || call->name == "Sigmoid" || call->name == "HardSwish") return fits_lanes(network, op, 1);
  return is_channel_concat(network, op, *call);
}

StepPointer planes_step(const Network& network, const Operator& op, const std::vector<Planes>& places, const std::vector<std::size_t>& inputs, const Planes& place,
                        std::size_t output, unsigned threads) {
  if (auto pool = pool_shape(network, op)) return std::make_unique<PoolOnPlanes>(*std::move(pool), places[0], inputs[0], place, output, threads);
  const std::string& name = call_of(op)->name;
  const auto lanes = [&]<typename Function>(Function function) -> StepPointer {
    return std::make_unique<LanesStep<Function>>(places, inputs, place, output, threads, function);
  };
  if (name == "Add") return lanes([](float a, float b) { return a + b; });
  if (name == "Mul") return lanes([](float a, float b) { return a * b; });
  if (name == "Relu") return lanes([](float a, float) { return a > 0 ? a : 0.0f; });
  if (name == "Sigmoid") return lanes([](float a, float) { return 1 / (1 + std::exp(-a)); });
  if (name == "HardSwish") return lanes([](float a, float) { return a * std::clamp(a / 6 + 0.5f, 0.0f, 1.0f); });
  return std::make_unique<ConcatOnPlanes>(places, inputs, place, output, threads);
}

}  // namespace lacuna::engine::tensors
