#include "engine/tensors/pool_on_planes.hpp"

#include <algorithm>

#include "engine/tensors/each_row.hpp"
#include "engine/tensors/pool_rows.hpp"

namespace lacuna::engine::tensors {
namespace {

using rows::Planes;

class PoolOnPlanes : public Step {
 public:
  PoolOnPlanes(dense::PoolShape pool, const Planes& from, std::size_t input, const Planes& to, std::size_t output, cpu::Isa isa, unsigned threads)
      : rows_(std::move(pool), from, to, isa), from_(from), to_(to), input_(input), output_(output), threads_(threads) {}

  void run(const Frame& frame) const override {
    const float* const input = frame.floats(input_);
    float* const output = frame.floats(output_);
    if (is_global()) return pool_planes(input, output);
    for_each_part(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t first_row, std::size_t last_row) {
      rows_.run(input + from_.at(image, channel, 0, 0), output + to_.at(image, channel, 0, 0), static_cast<std::uint32_t>(first_row), static_cast<std::uint32_t>(last_row));
    });
  }

 private:
  using Kind = dense::PoolShape::Kind;

  /// Whether every window is a whole plane, and lanes are pixels.
  bool is_global() const {
    const auto none = [](const auto& pads) { return std::all_of(pads.begin(), pads.end(), [](std::uint32_t pad) { return pad == 0; }); };
    return !from_.lanes_are_inputs() && !to_.lanes_are_inputs() && to_.height == 1 && to_.width == 1 && rows_.shape().kernel[0] == from_.height && rows_.shape().kernel[1] == from_.width && none(rows_.shape().pads_begin) &&
           none(rows_.shape().pads_end);
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
          for (std::size_t k = 0; k < count; ++k) output[to_.at(image, first + k, 0, 0)] = rows_.shape().kind == Kind::maximum ? pooled[k] : pooled[k] / static_cast<float>(pixels);
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
          best[k] = rows_.shape().kind == Kind::maximum ? (best[k] > value ? best[k] : value) : best[k] + value;
        }
    std::copy_n(best, planes, pooled);
  }

  PoolRows rows_;
  Planes from_, to_;
  std::size_t input_, output_;
  unsigned threads_;
};

}  // namespace

StepPointer pool_on_planes(dense::PoolShape pool, const Planes& from, std::size_t input, const Planes& to, std::size_t output, cpu::Isa isa, unsigned threads) {
  return std::make_unique<PoolOnPlanes>(std::move(pool), from, input, to, output, isa, threads);
}

}  // namespace lacuna::engine::tensors
