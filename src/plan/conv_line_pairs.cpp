#include "plan/conv_line_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/round_up.hpp"
#include "kernel/templates/line_pair_block.hpp"
#include "plan/tile_shape.hpp"
#include "rows/pair_filter.hpp"

namespace lacuna::plan {
namespace {

using base::round_up;
using rows::Planes;

/// Taps that read a phase along one axis.
std::uint32_t taps_of(std::uint32_t kernel, std::uint32_t stride, std::uint32_t phase) { return (kernel - phase + stride - 1) / stride; }

}  // namespace

bool can_be_line_pairs(const Conv& conv, const Planes& in, const Planes& out, cpu::Isa isa) {
  constexpr double nearly_all = 0.7;
  constexpr std::size_t few_weights = 1 << 16;  // they become code that should stay in L2
  if (conv.kernel.size() != 2 || conv.groups != 1 || conv.weights.empty() || conv.weights.size() >= few_weights || tile_shapes(isa).empty()) return false;
  if (!in.has_rows_of_pixels() || !out.has_rows_of_pixels()) return false;
  const rows::Window w = rows::window_of(conv);
  const auto nonzeros = std::count_if(conv.weights.begin(), conv.weights.end(), [](float weight) { return weight != 0; });
  const bool is_full = static_cast<double>(nonzeros) >= nearly_all * static_cast<double>(conv.weights.size());
  return is_full && w.dilation_y == 1 && w.dilation_x == 1 && w.stride_y <= 2 && w.stride_x <= 2 && w.stride_y == w.stride_x && w.kernel_y > w.stride_y && w.kernel_x >= w.stride_x &&
         taps_of(w.kernel_y, w.stride_y, 0) <= rows::most_pair_taps && out.height % 2 == 0 && out.width >= cpu::kernels_for(isa).vector_lanes;
}

/// The filters of all phases, and the lines they read.
struct ConvLinePairs::Filters {
  std::size_t points = 0;  ///< of the longest
  std::vector<kernel::LinePairBlock::Weight> weights;  ///< `output` is a channel, `source` floats

  Filters(const Conv& conv, const rows::ConvRows& taken, std::size_t line_floats, std::vector<Combined>& combined) {
    const rows::Window w = rows::window_of(conv);
    points = taps_of(w.kernel_y, w.stride_y, 0) + std::size_t{1};
    const std::vector<rows::ConvRows::Phase> phases = taken.phases.empty() ? std::vector<rows::ConvRows::Phase>{{0, 0}} : taken.phases;
    for (std::uint32_t c = 0; c < conv.group_channels; ++c)
      for (std::size_t phase = 0; phase < phases.size(); ++phase) {
        const rows::PairFilter filter = rows::pair_filter(taps_of(w.kernel_y, w.stride_y, phases[phase].y));
        for (std::size_t point = 0; point < filter.points(); ++point) {
          add_weights(conv, w, c, phases[phase], filter, point, combined.size() * line_floats);
          Combined& line = combined.emplace_back(Combined{c * phases.size() + phase, {}, {}});
          for (std::uint32_t k = 0; k < filter.inputs[point].size(); ++k)
            if (filter.inputs[point][k] != 0) {
              line.lines.push_back(k);
              line.factors.push_back(static_cast<float>(filter.inputs[point][k]));
            }
        }
      }
  }

 private:
  void add_weights(const Conv& conv, const rows::Window& w, std::uint32_t channel, rows::ConvRows::Phase phase, const rows::PairFilter& filter, std::size_t point, std::size_t source) {
    const std::uint32_t taps_y = taps_of(w.kernel_y, w.stride_y, phase.y), taps_x = taps_of(w.kernel_x, w.stride_x, phase.x);
    for (std::uint32_t x = 0; x < taps_x; ++x)
      for (std::uint32_t o = 0; o < conv.output_channels; ++o) {
        const float* const window = conv.weights.data() + (std::size_t{o} * conv.group_channels + channel) * w.kernel_y * w.kernel_x;
        double sum = 0;
        for (std::uint32_t y = 0; y < taps_y; ++y) sum += filter.weights[point][y] * window[(y * w.stride_y + phase.y) * w.kernel_x + x * w.stride_x + phase.x];
        const std::size_t among = rows::point_among(point, filter.points(), points);
        if (sum != 0) weights.push_back({source + x, static_cast<std::uint16_t>(o), static_cast<std::uint16_t>(among), static_cast<float>(sum)});
      }
  }
};

ConvLinePairs::ConvLinePairs(const Conv& conv, const Planes& in, const Planes& out, float low, float high, ConvKernelChoice& choice, cpu::Isa isa) : in_(in), out_(out), kernels_(cpu::kernels_for(isa)) {
  const rows::Window w = rows::window_of(conv);
  rows_ = rows::lower_conv(conv, in, out, rows::Strides::taken_apart, 2 * pairs_at_once + (w.kernel_y - 1) / w.stride_y);
  const std::uint32_t lanes = kernels_.vector_lanes;
  line_floats_ = round_up(out.width + (w.kernel_x - std::size_t{1}) / w.stride_x, 16);
  const Filters filters(conv, rows_, line_floats_, combined_);
  rows_.nonzeros = {};
  pair_floats_ = combined_.size() * line_floats_;
  phase_floats_ = rows_.phases.empty() ? 0 : round_up(rows_.source.floats, 16) + 16;  // whole vectors are combined
  for (std::uint32_t x = 0; x < out.width; x += lanes) tile_places_.push_back(std::min(x, out.width - lanes));

  const std::size_t outputs_at_once = std::max<std::size_t>(1, choice.rows / filters.points);
  std::vector<kernel::Kernel> kernels;
  for (std::uint32_t first = 0; first < conv.output_channels; first += static_cast<std::uint32_t>(outputs_at_once)) {
    kernel::LinePairBlock block;
    block.name = fmt::format("line pairs of channels from {}", first);
    for (std::size_t p = 0; p < filters.points; ++p) block.ending.push_back(static_cast<float>(rows::second_ending(p, filters.points)));
    for (std::uint32_t o = first; o < std::min<std::size_t>(first + outputs_at_once, conv.output_channels); ++o)
      block.outputs.push_back({out.channel * o * sizeof(float), (out.channel * o + out.row) * sizeof(float), conv.bias.empty() ? 0.0f : conv.bias[o]});
    for (kernel::LinePairBlock::Weight weight : filters.weights)
      if (weight.output >= first && weight.output < first + block.outputs.size())
        block.weights.push_back({weight.source * sizeof(float), static_cast<std::uint16_t>(weight.output - first), weight.point, weight.weight});
    block.low = low;
    block.high = high;
    kernels.push_back(kernel::build(block));
  }
  blocks_ = kernels.size();
  choice.by_lines = choice.by_lines && isa == cpu::Isa::avx512 && out.width % lanes == 0;
  choice.spreads = choice.spreads && isa == cpu::Isa::avx512;
  body_ = make_baked_body(kernels, isa, {1, pairs_at_once * tile_places_.size(), choice.by_lines ? std::optional(0u) : std::nullopt, choice.spreads});
}

ConvLinePairs::Part ConvLinePairs::part_of(unsigned worker, unsigned threads) const {
  const auto line = [&](unsigned part) { return static_cast<std::uint32_t>(std::size_t{out_.height / 2} * part / threads * 2); };
  return {line(worker), line(worker + 1)};
}

void ConvLinePairs::combine(const float* input, std::uint32_t image, std::uint32_t pair_begin, std::uint32_t pair_end, float* scratch) const {
  const rows::Window& w = rows_.window;
  const Planes& source = rows_.source;
  const bool is_apart = !rows_.phases.empty();
  const std::uint32_t first_line = 2 * pair_begin, reach = (w.kernel_y - 1) / w.stride_y;
  const float* from = nullptr;  // the first line of channel 0
  if (is_apart) {
    const std::size_t unit = rows::excerpt_unit(source), first_lane = first_line * source.row / unit * unit;
    rows::take_apart(rows_, in_, input, {image, first_line, 2 * pair_end + reach, first_lane}, scratch, kernels_.part_rows);
    from = scratch + source.lane_at(0, first_line * source.row - first_lane);
  } else {
    from = input + source.at(image, 0, 0, 0) + first_line * source.row - w.pad_y * source.row - w.pad_x;
  }
  float* target = scratch + phase_floats_;
  for (std::uint32_t pair = 0; pair < pair_end - pair_begin; ++pair)
    for (const Combined& line : combined_) {
      const float* lines[rows::most_pair_taps + 1];
      for (std::size_t k = 0; k < line.lines.size(); ++k) lines[k] = from + line.channel * source.channel + (2 * pair + line.lines[k]) * source.row;
      kernels_.combine_lines(lines, line.factors.data(), line.lines.size(), line_floats_, target);
      target += line_floats_;
    }
}

void ConvLinePairs::run(const float* input, float* output, const Part& part, float* scratch) const {
  if (part.line_begin == part.line_end) return;
  rows::zero_halo(out_, output, part.line_begin, part.line_end);
  run_lines(input, output, part, scratch);
}

void ConvLinePairs::run_lines(const float* input, float* output, const Part& part, float* scratch) const {
  std::vector<cpu::ConvTile> tiles;
  for (std::uint32_t image = 0; image < out_.batch; ++image)
    for (std::uint32_t begin = part.line_begin / 2; begin < part.line_end / 2; begin += pairs_at_once) {
      const std::uint32_t end = std::min(begin + pairs_at_once, part.line_end / 2);
      combine(input, image, begin, end, scratch);
      tiles.clear();
      for (std::uint32_t pair = begin; pair < end; ++pair)
        for (std::uint32_t x : tile_places_) {
          cpu::ConvTile& tile = tiles.emplace_back();
          tile.source = static_cast<std::int64_t>((pair - begin) * pair_floats_ + x);
          tile.destination = static_cast<std::int64_t>(out_.at(image, 0, 2 * std::size_t{pair}, x));
        }
      for (std::size_t block = 0; block < blocks_; ++block) body_->run(block, {scratch + phase_floats_, output, nullptr, nullptr}, tiles.data(), tiles.size());
    }
}

}  // namespace lacuna::plan
