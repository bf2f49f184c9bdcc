#include "kernel/templates/sparse_conv_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/templates/conv_epilogue.hpp"

namespace lacuna::kernel {
namespace {

class TableBuilder {
 public:
  explicit TableBuilder(const TableConv& conv)
      : conv_(conv), b_(conv.name, fmt::format("sparse convolution, table: {} images of {}x{}, tile {}x{}, vectors of {}, {}", conv.grid.images, conv.grid.height, conv.grid.width,
                                               conv.grid.tile_y, conv.grid.tile_x, conv.vector, to_string(conv.activation))) {}

  ThreadProgram build() {
    const PixelGrid& grid = conv_.grid;
    const Register source = b_.address_parameter("source", true, false);
    const Register skip = conv_.has_skip ? b_.address_parameter("skip", true, false) : source;
    const Register output = b_.address_parameter("output", false, true);
    const Register rows = b_.address_parameter("rows", true, false);
    const Register edges = b_.address_parameter("edges", true, false);
    const Register thread = b_.special(Special::thread);
    const TileAt tile = locate_tile(b_, grid, b_.bit_and(thread, 31u));
    b_.return_if(tile.is_beyond);
    source_ = pixel_address(b_, source, conv_.source, grid, tile, 0u - conv_.lowest);
    if (conv_.has_skip) skip_ = pixel_address(b_, skip, conv_.skip, grid, tile);
    output_ = pixel_address(b_, output, conv_.output, grid, tile);
    const std::uint32_t rows_of_block = conv_.warps * conv_.rows_of_warp;
    const Register first_row = b_.multiply(b_.special(Special::block_y), rows_of_block);
    const Register end = b_.minimum(b_.add(first_row, rows_of_block), conv_.rows);
    b_.count(b_.add(first_row, b_.shift_right(thread, 5u)), end, conv_.warps, [&](Register row) { add_row(b_.advance(rows, row, 16), edges); });
    const std::uint32_t pixels = grid.tile_x * grid.tile_y;
    return b_.finish(32 * conv_.warps, std::min(pixels * (1 + table_edges_at_once) + 40, 255u));
  }

 private:
  void add_row(Register row, Register edges) {
    const Register first = b_.variable(Type::u32), count = b_.variable(Type::u32), channel = b_.variable(Type::u32), bias = b_.variable(Type::u32);
    b_.load(GpuSpace::global, Element::u32, {first, count, channel, bias}, row, 0, true);
    sums_.clear();
    const Register start = b_.compute(Arithmetic::as_float, {bias});
    for (std::uint32_t k = 0; k < conv_.grid.tile_x * conv_.grid.tile_y; ++k) sums_.push_back(b_.variable(start));
    edge_ = b_.advance(edges, first, 2 * weights_at);
    b_.count(0u, b_.shift_right(count, 2u), 1, [&](Register) { add_group(); });
    b_.count(0u, b_.bit_and(count, 3u), 1, [&](Register) { add_edge(); });
    const Register skip = conv_.has_skip ? b_.advance(skip_, channel, conv_.skip.channel * 4) : Register{};
    finish(skip, b_.advance(output_, channel, conv_.output.channel * 4));
  }

  /// All sources of a group of edges first, then the sums: so many loads are on their way at once.
  void add_group() {
    const std::vector<Register> offsets = load_words(Element::u32, table_edges_at_once, 0), weights = load_words(Element::f32, table_edges_at_once, weights_at);
    b_.advance_into(edge_, edge_, 1u, 2 * weights_at);
    std::vector<std::vector<Register>> sources;
    for (Register offset : offsets) sources.push_back(load_tile(b_.advance(source_, offset, 1)));
    for (std::size_t k = 0; k < sources.size(); ++k) add_products(sources[k], weights[k]);
  }

  /// One edge of the last group.
  void add_edge() {
    const Register offset = load_words(Element::u32, 1, 0).front(), weight = load_words(Element::f32, 1, weights_at).front();
    b_.advance_into(edge_, edge_, 1u, 4);
    add_products(load_tile(b_.advance(source_, offset, 1)), weight);
  }

  std::vector<Register> load_words(Element element, std::uint32_t count, std::uint32_t offset) {
    std::vector<Register> words;
    for (std::uint32_t k = 0; k < count; ++k) words.push_back(b_.variable(element == Element::f32 ? Type::f32 : Type::u32));
    b_.load(GpuSpace::global, element, words, edge_, offset, true);
    return words;
  }

  void add_products(const std::vector<Register>& sources, Register weight) {
    for (std::size_t pixel = 0; pixel < sums_.size(); ++pixel) b_.compute_into(sums_[pixel], Arithmetic::multiply_add, {sources[pixel], weight, sums_[pixel]});
  }

  std::vector<Register> load_tile(Register address) {
    const PixelGrid& grid = conv_.grid;
    const std::uint32_t vector = std::min(conv_.vector, grid.tile_x);
    std::vector<Register> values;
    for (std::uint32_t y = 0; y < grid.tile_y; ++y)
      for (std::uint32_t x = 0; x < grid.tile_x; x += vector) {
        std::vector<Register> targets;
        for (std::uint32_t k = 0; k < vector; ++k) targets.push_back(b_.variable(Type::f32));
        b_.load(GpuSpace::global, Element::f32, targets, address, (y * conv_.source.row + x * conv_.source.column) * 4);
        values.insert(values.end(), targets.begin(), targets.end());
      }
    return values;
  }

  void finish(Register skip, Register output) {
    const PixelGrid& grid = conv_.grid;
    for (std::uint32_t y = 0; y < grid.tile_y; ++y) {
      const std::span<const Register> line(&sums_[y * grid.tile_x], grid.tile_x);
      if (conv_.has_skip) add_skip(b_, line, skip, y * conv_.skip.row * 4, aligned_floats(conv_.skip, grid));
      for (Register sum : line) apply_activation(b_, conv_.activation, sum);
      store_line(b_, line, output, y * conv_.output.row * 4, aligned_floats(conv_.output, grid));
    }
  }

  static constexpr std::uint32_t weights_at = table_edges_at_once * 4;  // bytes from the start of a group

  const TableConv& conv_;
  ThreadBuilder b_;
  Register source_{}, skip_{}, output_{}, edge_{};
  std::vector<Register> sums_;
};

}  // namespace

ThreadProgram build(const TableConv& conv) { return TableBuilder(conv).build(); }

}  // namespace lacuna::kernel
