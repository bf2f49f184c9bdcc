// Which kernels of a convolution are worth timing; the figures behind the rules are in decision 0010.
#include <algorithm>
#include <set>

#include "devices/cpu/cpu_info.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/conv_depthwise.hpp"
#include "plan/conv_line_pairs.hpp"
#include "plan/sparse_conv.hpp"
#include "plan/tile_shape.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {
namespace {

constexpr std::size_t piece_bytes = 5 << 10;  // of code that passes over the tiles before the next range of channels

/// Bytes of code for a nonzero: its weight, and a multiply-add for each vector, with or without a load of its own.
std::size_t bytes_of_nonzero(unsigned vectors) { return 8 + 8 * std::size_t{vectors}; }

struct Size {
  std::size_t nonzeros;
  std::size_t rows;
  std::size_t vectors;  ///< of pixels or inputs that code may pass over: all of them, since threads can take a part of the rows each
  std::size_t chunk_vectors;  ///< whose sources fit half of L2
  std::size_t lane_lines;     ///< rows of sources that a lane reads, of all channels
  bool has_slabs;             ///< of sources: ranges of channels save no pages
  bool reaches_aside;         ///< sources lie across lines
  bool may_pack;              ///< the input does not fit half of L2, and can be packed

  std::size_t code_bytes(TileShape shape) const { return nonzeros * bytes_of_nonzero(shape.vectors); }
  /// Ranges of channels that make the pieces of a block small.
  unsigned groups(TileShape shape) const {
    const std::size_t block_bytes = code_bytes(shape) * shape.rows / std::max<std::size_t>(rows, 1);
    return static_cast<unsigned>(std::clamp<std::size_t>((block_bytes + piece_bytes - 1) / piece_bytes, 1, 32));
  }
  /// Ranges of channels whose sources, for one tile, take about a quarter of L1.
  unsigned groups_in_l1(TileShape shape, std::size_t vector_bytes) const {
    constexpr std::size_t quarter = 8 << 10;
    return static_cast<unsigned>(std::clamp<std::size_t>((lane_lines * shape.vectors * vector_bytes + quarter / 2) / quarter, 1, 32));
  }
  /// Code that is fetched from beyond L2 must serve some tiles.
  bool is_worth_code(TileShape shape) const {
    const std::size_t l2 = cpu::cpu_info().l2_bytes, bytes = code_bytes(shape);
    return bytes <= l2 || (vectors / shape.vectors >= 3 && bytes <= 16 * l2);
  }
};

std::size_t count_nonzeros(const Conv& conv) {
  return static_cast<std::size_t>(std::count_if(conv.weights.begin(), conv.weights.end(), [](float weight) { return weight != 0; }));
}

/// Lanes of a chunk whose sources fit half of L2: with a stride an input has a plane for each phase that is read.
std::size_t chunk_lanes(const Conv& conv, const rows::Planes& in, const rows::Planes& out) {
  const rows::Window w = rows::window_of(conv);
  const std::size_t phases = std::min<std::size_t>(std::size_t{w.stride_y} * w.stride_x, std::size_t{w.kernel_y} * w.kernel_x);
  const std::size_t span = (w.kernel_y - 1) * w.dilation_y / w.stride_y * out.row;
  const std::size_t lanes = cpu::cpu_info().l2_bytes / 2 / sizeof(float) / std::max<std::size_t>(1, in.channels * phases);
  return lanes > span ? lanes - span : 0;
}

constexpr unsigned whole_plane = 1000;  // tiles: more than any plane of interest has

void add_tables(const Size& size, std::vector<ConvKernelChoice>& choices) {
  const std::size_t row_nonzeros = size.nonzeros / std::max<std::size_t>(size.rows, 1);
  choices.push_back({ConvKernelKind::table, cpu::conv_tile_vectors, 128, 1, 1});
  for (unsigned groups : {4u, 8u})
    if (row_nonzeros >= 10 * groups) choices.push_back({ConvKernelKind::table, cpu::conv_tile_vectors, 128, 1, groups});
}

/// Few rows fit 16 registers, so a block reads sources from L2 for few multiply-adds: blocks together, in ranges whose sources stay in L1.
void add_together(const Size& size, TileShape shape, std::vector<ConvKernelChoice>& choices) {
  const unsigned near = size.groups_in_l1(shape, 8 * sizeof(float));
  choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, 32 / shape.vectors, near, 8});
  if (size.vectors > 32) choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, whole_plane, near, 4});
}

/// Those of a single vector, whose sources may come by lines; packed too, in larger pieces of code, since sources are near.
void add_by_lines(const Size& size, TileShape shape, std::vector<ConvKernelChoice>& choices) {
  for (std::size_t k = 0, count = choices.size(); k < count; ++k)
    if (choices[k].kind == ConvKernelKind::baked && choices[k].vectors == 1) {
      choices.push_back(choices[k]);
      choices.back().by_lines = true;
    }
  constexpr unsigned window = 64;  // of tiles, whose partial sums stay in L2
  if (size.may_pack) choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, window, std::max(1u, size.groups(shape) * 2 / 5), 1, true, true});
}

/// For CPUs that have to spare what these need: shuffles beside multiply-adds, and decoding. Spread weights are a quarter more code, which must fit L2 or serve many tiles.
void add_for_wide_cores(const Size& size, TileShape shape, std::vector<ConvKernelChoice>& choices) {
  constexpr unsigned window = 32;  // of tiles
  const unsigned groups = size.groups(shape), some = std::max(1u, groups / 2);
  const bool may_spread = size.code_bytes(shape) <= cpu::cpu_info().l2_bytes / 2 || size.vectors > window;
  const auto add = [&](unsigned chunk, unsigned ranges, unsigned together, bool spreads) {
    if (together > 1 && size.rows <= shape.rows) return;
    choices.push_back({ConvKernelKind::baked, 1, shape.rows - (spreads ? 1 : 0), chunk, ranges, together, size.reaches_aside, false, spreads});
  };
  add(window, some, 4, false);
  if (!may_spread) return add(whole_plane, groups, 4, false);
  add(window, some, 1, true);
  add(window, some, 4, true);
  if (size.vectors > window) add(whole_plane, groups, 1, true);
}

void add_baked(const Size& size, TileShape shape, cpu::Isa isa, std::vector<ConvKernelChoice>& choices) {
  if (!size.is_worth_code(shape) || shape.vectors > size.vectors) return;
  const unsigned groups = size.groups(shape), chunk = 32 / shape.vectors;
  choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, chunk, groups});
  if (shape.vectors > 2) return;
  if (size.vectors > 32) choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, whole_plane, groups});
  if (size.chunk_vectors < 32) choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, std::max(1u, static_cast<unsigned>(size.chunk_vectors) / shape.vectors), groups});
  std::set<unsigned> fewer{groups / 2};
  if (shape.vectors == 1) fewer.insert({groups / 4, size.has_slabs && groups > 1 ? 1u : 0u});
  fewer.erase(0);
  for (unsigned some : fewer) choices.push_back({ConvKernelKind::baked, shape.vectors, shape.rows, chunk, some});
  if (isa == cpu::Isa::avx512 && shape.vectors == 1 && size.reaches_aside) add_by_lines(size, shape, choices);
  if (isa == cpu::Isa::avx512 && shape.vectors == 1) add_for_wide_cores(size, shape, choices);
  if (isa == cpu::Isa::avx2 && shape.vectors == 2 && size.rows > shape.rows) add_together(size, shape, choices);
}

}  // namespace

std::vector<ConvKernelChoice> conv_candidates(const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip, cpu::Isa isa) {
  std::vector<ConvKernelChoice> choices;
  const std::size_t lanes = cpu::kernels_for(isa).vector_lanes;
  const std::size_t sweeps = out.plane_sets() * ((out.plane_lanes() + lanes - 1) / lanes);
  const Size size{count_nonzeros(conv), conv.output_channels, std::max<std::size_t>(1, sweeps),
                  std::max<std::size_t>(2, chunk_lanes(conv, in, out) / lanes), std::size_t{conv.group_channels} * conv.groups * (conv.kernel.size() > 1 ? conv.kernel[0] : 1), in.slab != 0,
                  !conv.kernel.empty() && conv.kernel.back() > 1 && !out.lanes_are_inputs(),
                  std::size_t{in.channels} * in.channel * sizeof(float) > cpu::cpu_info().l2_bytes / 2 && rows::can_be_packed(conv, in, out)};
  const std::size_t slab = std::max({in.slab, out.slab, skip != nullptr ? skip->slab : 0});
  if (can_be_depthwise(conv, in, out)) choices.push_back({ConvKernelKind::depthwise});
  add_tables(size, choices);
  if (skip == nullptr && can_be_line_pairs(conv, in, out, isa)) {
    choices.push_back({ConvKernelKind::line_pairs, 1, tile_shapes(isa).back().rows, 1, 1});
    if (isa == cpu::Isa::avx512)
      for (bool spreads : {false, true}) choices.push_back({ConvKernelKind::line_pairs, 1, tile_shapes(isa).back().rows - (spreads ? 1 : 0), 1, 1, 1, true, false, spreads});
  }
  if (conv.group_channels == 1) choices.push_back({ConvKernelKind::table, cpu::conv_tile_vectors, 128, whole_plane, 1});  // depthwise: a row reads one plane, which stays in L1
  if (rows::can_be_in_steps(conv, in, out)) choices.push_back({ConvKernelKind::steps, cpu::conv_tile_vectors, 128, whole_plane, 1});
  if (std::size_t{out.batch} * out.height * out.width < lanes) choices.push_back({ConvKernelKind::gather});
  for (TileShape shape : tile_shapes(isa))
    if (shape.vectors < 4 && slab % (shape.vectors * lanes) == 0) add_baked(size, shape, isa, choices);  // four vectors were never the best
  return choices;
}

ConvKernelChoice choice_for_strips(const Conv& conv, const rows::Planes& in, const rows::Planes& out, const ConvKernelChoice& tuned, std::size_t code_bytes, bool has_pairs, bool by_lines, cpu::Isa isa) {
  constexpr std::size_t strip_piece_bytes = 14 << 10;
  if (tuned.kind != ConvKernelKind::baked) return tuned;
  const TileShape narrow = tile_shapes(isa).back();
  if (has_pairs && can_be_line_pairs(conv, in, out, isa)) return {ConvKernelKind::line_pairs, narrow.vectors, narrow.rows, 1, 1, 1, by_lines};
  const unsigned rows = narrow.rows - (tuned.spreads ? 1 : 0);
  const std::size_t block_bytes = code_bytes * narrow.rows / (std::size_t{conv.output_channels} * tuned.vectors);
  return {ConvKernelKind::baked, narrow.vectors, rows, whole_plane, static_cast<unsigned>(block_bytes / strip_piece_bytes + 1), 1, by_lines && conv.kernel.back() > 1, false, tuned.spreads};
}

}  // namespace lacuna::plan
