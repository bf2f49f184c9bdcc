#include "plan/conv_gather.hpp"

#include <algorithm>
#include <limits>

namespace lacuna::plan {

ConvGather::ConvGather(const LoweredConv& conv) : conv_(conv) {
  const rows::ConvRows& rows = conv.rows;
  const ConvBlocks& blocks = conv.blocks;
  const std::size_t lanes = conv.kernels->vector_lanes, count = blocks.order.size();
  bias_.assign((count + lanes - 1) / lanes * lanes, 0);
  std::copy(blocks.bias.begin(), blocks.bias.end(), bias_.begin());
  rest_.resize(count);
  const auto begin_of = [&](std::size_t position) { return rows.row_begin[blocks.order[position]]; };
  const auto length_of = [&](std::size_t position) { return position < count ? rows.row_begin[blocks.order[position] + std::size_t{1}] - begin_of(position) : 0; };
  const auto [low, high] = std::minmax_element(rows.nonzeros.begin(), rows.nonzeros.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  lowest_ = rows.nonzeros.empty() ? 0 : low->offset;
  const bool are_near = rows.nonzeros.empty() || high->offset - lowest_ <= std::numeric_limits<std::uint16_t>::max();
  weights_.reserve(rows.nonzeros.size());
  are_near ? near_offsets_.reserve(rows.nonzeros.size()) : offsets_.reserve(rows.nonzeros.size());
  const auto add = [&](const rows::ConvRows::Nonzero& nonzero) {
    are_near ? near_offsets_.push_back(static_cast<std::uint16_t>(nonzero.offset - lowest_)) : offsets_.push_back(static_cast<std::int32_t>(nonzero.offset - lowest_));
    weights_.push_back(nonzero.weight);
  };
  for (std::size_t first = 0; first < count; first += lanes) {
    block_begin_.push_back(weights_.size());
    std::size_t together = length_of(first);
    for (std::size_t lane = 1; lane < lanes; ++lane) together = std::min(together, length_of(first + lane));
    together_.push_back(static_cast<std::uint32_t>(together));
    for (std::size_t k = 0; k < together; ++k)
      for (std::size_t lane = 0; lane < lanes; ++lane) add(rows.nonzeros[begin_of(first + lane) + k]);
    for (std::size_t position = first; position < std::min(first + lanes, count); ++position) {
      rest_[position] = static_cast<std::uint32_t>(length_of(position) - together);
      for (std::size_t k = together; k < length_of(position); ++k) add(rows.nonzeros[begin_of(position) + k]);
    }
  }
  list_gaps();
}

void ConvGather::list_gaps() {
  const rows::Planes& out = conv_.out;
  std::vector<cpu::ConvTile> pixels;
  for (std::uint32_t n = 0; n < out.plane_sets(); ++n) {
    strips_.push_back({n, 0, out.height});
    for (std::size_t y = 0; y < out.height; ++y)
      for (std::size_t x = 0; x < out.width; ++x) pixels.push_back({0, static_cast<std::int64_t>(out.at(n, 0, y, x)), 0, 1, 0});
  }
  gaps_ = gaps_of(out, pixels, out.lanes_are_inputs() ? out.batch : 1);
}

std::pair<std::size_t, std::size_t> ConvGather::rows_of(unsigned worker) const {
  const std::size_t lanes = conv_.kernels->vector_lanes, blocks = block_begin_.size(), rows = conv_.blocks.order.size();
  return {std::min(blocks * worker / conv_.threads * lanes, rows), std::min(blocks * (worker + 1) / conv_.threads * lanes, rows)};
}

void ConvGather::run(const float* in, const float* skip, float* out, float* excerpt, unsigned worker) const {
  const rows::Planes& planes = conv_.out;
  const rows::ConvRows& rows = conv_.rows;
  const auto [begin, end] = rows_of(worker);
  const bool is_apart = conv_.is_taken_apart(), has_lanes = planes.lanes_are_inputs();
  const float* const source = is_apart ? excerpt : in;
  for (std::uint32_t n = 0; n < planes.batch; ++n) {
    if (is_apart && (n == 0 || !has_lanes)) rows::take_apart(rows, conv_.in, in, {n, 0, rows.lines, 0}, excerpt, conv_.kernels->part_rows);
    for (std::size_t y = 0; y < planes.height; ++y)
      for (std::size_t x = 0; x < planes.width; ++x) {
        float* const pixel = out + planes.at(n, 0, y, x);
        run_pixel({source + rows.source.at(is_apart && !has_lanes ? 0 : n, 0, y * rows.step_y, x * rows.step_x), pixel, conv_.skip ? skip + conv_.skip->at(n, 0, y, x) : nullptr, nullptr}, worker);
        if (conv_.smooth)
          for (std::size_t position = begin; position < end; ++position) conv_.activate(pixel + conv_.blocks.destinations[position], 1);
      }
  }
  for (std::size_t position = begin; position < end; ++position) {
    for (const Gap& gap : gaps_) std::fill_n(out + conv_.blocks.destinations[position] + gap.begin, gap.length, 0.0f);
    zero_before(planes, strips_, conv_.blocks.order[position], out);
  }
}

void ConvGather::run_pixel(const cpu::ConvMemory& memory, unsigned worker) const {
  const ConvBlocks& blocks = conv_.blocks;
  cpu::GatherTable table;
  table.rows = static_cast<std::uint32_t>(blocks.order.size());
  table.block_begin = block_begin_.data();
  table.together = together_.data();
  table.rest = rest_.data();
  table.lowest = lowest_;
  table.offsets = offsets_.data();
  table.near_offsets = near_offsets_.empty() ? nullptr : near_offsets_.data();
  table.weights = weights_.data();
  table.bias = bias_.data();
  table.destinations = blocks.destinations.data();
  table.skips = blocks.skips.data();
  table.low = blocks.low;
  table.high = blocks.high;
  conv_.kernels->run_gather(table, memory, block_begin_.size() * worker / conv_.threads, block_begin_.size() * (worker + 1) / conv_.threads);
}

}  // namespace lacuna::plan
