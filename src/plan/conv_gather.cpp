#include "plan/conv_gather.hpp"

#include <algorithm>
#include <limits>

namespace lacuna::plan {

ConvGather::ConvGather(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa) : blocks_(blocks), kernels_(cpu::kernels_for(isa)) {
  const std::size_t lanes = kernels_.vector_lanes, count = blocks.order.size();
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
}

std::pair<std::size_t, std::size_t> ConvGather::rows_of(unsigned part, unsigned parts) const {
  const std::size_t lanes = kernels_.vector_lanes, blocks = block_begin_.size();
  return {std::min(blocks * part / parts * lanes, blocks_.order.size()), std::min(blocks * (part + 1) / parts * lanes, blocks_.order.size())};
}

void ConvGather::run(const cpu::ConvMemory& memory, unsigned part, unsigned parts) const {
  cpu::GatherTable table;
  table.rows = static_cast<std::uint32_t>(blocks_.order.size());
  table.block_begin = block_begin_.data();
  table.together = together_.data();
  table.rest = rest_.data();
  table.lowest = lowest_;
  table.offsets = offsets_.data();
  table.near_offsets = near_offsets_.empty() ? nullptr : near_offsets_.data();
  table.weights = weights_.data();
  table.bias = bias_.data();
  table.destinations = blocks_.destinations.data();
  table.skips = blocks_.skips.data();
  table.low = blocks_.low;
  table.high = blocks_.high;
  kernels_.run_gather(table, memory, block_begin_.size() * part / parts, block_begin_.size() * (part + 1) / parts);
}

}  // namespace lacuna::plan
