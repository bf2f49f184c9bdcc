// The table of a convolution with few output pixels: rows in slices of 32, sorted by length so that the rows of a slice are about as long as each other.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include <lacuna/error.hpp>

#include "kernel/templates/sparse_dot.hpp"
#include "plan/gpus/conv_parts.hpp"

namespace lacuna::plan::gpus {
namespace {

constexpr std::uint32_t slice = kernel::DotLayer::slice_rows;
constexpr std::uint32_t most_blocks_y = 65535;  // of a grid

void add_slice(const ConvParts& parts, std::span<const std::size_t> rows, std::int32_t lowest, ConvKernels& made) {
  const std::size_t first = made.edges.size() / 2;
  std::size_t longest = 0;
  for (std::size_t row : rows) longest = std::max(longest, parts.edges_of(row).size());
  made.edges.resize((first + longest * slice) * 2, 0);
  for (std::size_t lane = 0; lane < slice; ++lane) {
    const bool is_row = lane < rows.size();
    const auto edges = is_row ? parts.edges_of(rows[lane]) : std::span<const kernel::ConvEdge>();
    made.rows.insert(made.rows.end(), {static_cast<std::uint32_t>(first + lane), static_cast<std::uint32_t>(edges.size()),
                                       is_row ? static_cast<std::uint32_t>(rows[lane]) : kernel::DotLayer::no_channel,
                                       is_row ? std::bit_cast<std::uint32_t>(parts.rows.bias[rows[lane]]) : 0});
    for (std::size_t k = 0; k < edges.size(); ++k) {
      made.edges[(first + k * slice + lane) * 2] = static_cast<std::uint32_t>(edges[k].offset - lowest);
      made.edges[(first + k * slice + lane) * 2 + 1] = std::bit_cast<std::uint32_t>(edges[k].weight);
    }
  }
}

}  // namespace

ConvKernels plan_dot(const ConvParts& parts) {
  std::int32_t lowest = 0;
  for (const kernel::ConvEdge& edge : parts.edges) lowest = std::min(lowest, edge.offset);
  std::vector<std::size_t> order(parts.rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return parts.edges_of(a).size() > parts.edges_of(b).size(); });
  ConvKernels made;
  made.kernel = ConvKernel::dot;
  for (std::size_t begin = 0; begin < order.size(); begin += slice)
    add_slice(parts, std::span(order).subspan(begin, std::min<std::size_t>(slice, order.size() - begin)), lowest, made);
  if (made.edges.empty()) made.edges.resize(2, 0);  // a buffer has something in it
  kernel::DotLayer layer{.name = parts.name, .rows = static_cast<std::uint32_t>(made.rows.size() / 4), .inputs = parts.grid.images, .images = std::min(parts.grid.images, 4u), .height = parts.grid.height, .width = parts.grid.width,
                         .source = parts.source, .output = parts.output, .skip = parts.skip, .has_skip = parts.has_skip, .activation = parts.activation};
  layer.source.origin -= static_cast<std::uint32_t>(-lowest);
  if (layer.blocks_y() > most_blocks_y) throw Unsupported(fmt::format("{}: {} pixels and inputs for a dot kernel; {} are the most", parts.name, layer.blocks_y(), most_blocks_y));
  made.programs.push_back(kernel::build(layer));
  made.launches.push_back({0, layer.blocks_x(), layer.blocks_y()});
  made.description = fmt::format("dot, {} threads a row, {} inputs a thread", layer.parts, layer.images);
  return made;
}

}  // namespace lacuna::plan::gpus
