#include "plan/conv_depthwise.hpp"

#include <algorithm>

#include "rows/conv_rows.hpp"

namespace lacuna::plan {

using rows::Planes;

bool can_be_depthwise(const Conv& conv, const Planes& in, const Planes& out) {
  if (conv.kernel.size() != 2 || conv.group_channels != 1 || conv.groups == 0 || conv.output_channels % conv.groups != 0) return false;
  const rows::Window w = rows::window_of(conv);
  const auto has_regular_rows = [](const Planes& planes) { return planes.has_rows_of_pixels() && (planes.batch == 1 || planes.image == planes.channels * planes.channel); };
  return (w.kernel_y == 3 || w.kernel_y == 5) && w.kernel_x == w.kernel_y && (w.stride_y == 1 || w.stride_y == 2) && w.stride_x == w.stride_y && w.dilation_y == 1 && w.dilation_x == 1 &&
         has_regular_rows(in) && has_regular_rows(out) && rows::halo_suffices(w, in, out);
}

ConvDepthwise::ConvDepthwise(const Conv& conv, const Planes& in, const Planes& out, float low, float high, cpu::Isa isa)
    : in_(in), out_(out), weights_(conv.weights.begin(), conv.weights.end()), bias_(conv.output_channels, 0.0f), kernels_(cpu::kernels_for(isa)) {
  std::copy(conv.bias.begin(), conv.bias.end(), bias_.begin());
  const rows::Window w = rows::window_of(conv);
  shape_ = {.kernel = w.kernel_y, .stride = w.stride_y, .width = out.width, .gap = static_cast<std::uint32_t>(out.row - out.width), .source_row = in.row, .destination_row = out.row,
            .source_plane = in.channel, .destination_plane = out.channel, .outputs = conv.output_channels / conv.groups, .low = low, .high = high};
  before_ = w.pad_y * in.row + w.pad_x;
}

/// Rows of pixels, as the convolutions before and after divide them, unless that leaves some thread with much less.
ConvDepthwise::Part ConvDepthwise::part_of(unsigned worker, unsigned threads) const {
  const std::size_t planes = std::size_t{out_.batch} * out_.channels;
  const auto share = [&](std::size_t total) { return std::pair(total * worker / threads, total * (worker + 1) / threads); };
  const bool by_rows = out_.height % threads == 0 || out_.height >= 8 * threads;
  if (!by_rows) return {0, out_.height, share(planes).first, share(planes).second};
  return {static_cast<std::uint32_t>(share(out_.height).first), static_cast<std::uint32_t>(share(out_.height).second), 0, planes};
}

void ConvDepthwise::run(const float* input, float* output, const Part& part) const {
  if (part.row_begin == part.row_end || part.plane_begin == part.plane_end) return;  // more threads than planes
  if (part.row_begin == 0 && part.plane_begin == 0) std::fill(output, output + out_.origin, 0.0f);
  const std::size_t first = part.plane_begin + (part.plane_end - part.plane_begin) * part.row_begin / out_.height;
  run_planes(input, output, part, first, part.plane_end);  // threads that divide rows begin at other planes: two rows may share a line, which should not be written by both at once
  run_planes(input, output, part, part.plane_begin, first);
}

void ConvDepthwise::run_planes(const float* input, float* output, const Part& part, std::size_t begin, std::size_t end) const {
  cpu::Depthwise shape = shape_;
  shape.rows = part.row_end - part.row_begin;
  shape.after = part.row_end == out_.height ? out_.channel - out_.height * out_.row : 0;  // between planes
  for (std::size_t plane = begin; plane < end;) {
    const std::size_t image = plane / out_.channels, first = plane % out_.channels, count = std::min(end - plane, out_.channels - first);
    kernels_.run_depthwise(shape, weights_.data(), bias_.data(), input + in_.at(image, 0, std::size_t{part.row_begin} * shape_.stride, 0) - before_, output + out_.at(image, 0, part.row_begin, 0), first,
                           first + count);
    plane += count;
  }
}

}  // namespace lacuna::plan
