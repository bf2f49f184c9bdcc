#include "kernel/templates/sparse_conv_baked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <lacuna/error.hpp>

#include "kernel/templates/conv_epilogue.hpp"

namespace lacuna::kernel {
namespace {

/// Offsets from an address that are too long for an instruction begin at a second address.
class FarAddress {
 public:
  FarAddress(ThreadBuilder& builder, Register address) : builder_(builder), first_(address), current_(address) {}

  struct Place {
    Register address;
    std::uint32_t offset;  ///< bytes
  };
  Place at(std::uint32_t floats) {
    if (floats < begin_ || floats - begin_ >= reach_floats) {
      begin_ = floats / reach_floats * reach_floats;
      current_ = begin_ == 0 ? first_ : builder_.advance(first_, begin_, 4);
    }
    return {current_, (floats - begin_) * 4};
  }

 private:
  static constexpr std::uint32_t reach_floats = 1u << 20;  // instructions have 24 bits for it, one of them the sign
  ThreadBuilder& builder_;
  Register first_, current_;
  std::uint32_t begin_ = 0;
};

class Baker {
 public:
  explicit Baker(const BakedConv& conv)
      : conv_(conv), b_(conv.name, fmt::format("sparse convolution, baked: {} images of {}x{}, tile {}x{}, {} row blocks, {}", conv.grid.images, conv.grid.height, conv.grid.width,
                                               conv.grid.tile_y, conv.grid.tile_x, conv.blocks.size(), to_string(conv.activation))),
        deltas_(tile_deltas(conv.grid, conv.source)), aligned_(aligned_floats(conv.source, conv.grid)) {}

  ThreadProgram build() {
    const Register source = b_.address_parameter("source", true, false);
    const Register skip = conv_.has_skip ? b_.address_parameter("skip", true, false) : source;
    const Register output = b_.address_parameter("output", false, true);
    tile_ = locate_tile(b_, conv_.grid);
    if (conv_.order == BakedOrder::rows_first) b_.return_if(tile_.is_beyond);
    find_lowest();
    source_ = pixel_address(b_, source, conv_.source, conv_.grid, tile_, static_cast<std::uint32_t>(lowest_));
    if (conv_.has_skip) skip_ = pixel_address(b_, skip, conv_.skip, conv_.grid, tile_);
    output_ = pixel_address(b_, output, conv_.output, conv_.grid, tile_);
    block_y_ = conv_.blocks.size() > 1 ? b_.special(Special::block_y) : Register{};
    dispatch(0, conv_.blocks.size());
    return b_.finish(conv_.grid.block_threads, most_registers_);
  }

 private:
  /// The pixel's address is moved down to the lowest source, so that all offsets are positive, by whole vectors.
  void find_lowest() {
    lowest_ = 0;
    for (const auto& block : conv_.blocks)
      for (const ConvRow& row : block)
        if (!row.edges.empty()) lowest_ = std::min(lowest_, row.edges.front().offset);
    lowest_ -= ((lowest_ % 4) + 4) % 4;
    if (std::int64_t{conv_.source.origin} + lowest_ < 0)
      throw InternalError(fmt::format("{}: a source is {} floats before the first pixel, which has {} before it", conv_.name, -lowest_, conv_.source.origin));
  }

  /// The row blocks [begin, end), by halving.
  void dispatch(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return add_block(conv_.blocks[begin]);
    const std::size_t middle = std::midpoint(begin, end);
    b_.when(b_.compare(Comparison::less, block_y_, static_cast<std::uint32_t>(middle)), [&] { dispatch(begin, middle); }, [&] { dispatch(middle, end); });
  }

  void add_block(std::vector<ConvRow> rows) {
    // Stores go up through the channels; who reads them in that order finds them together.
    std::sort(rows.begin(), rows.end(), [](const ConvRow& a, const ConvRow& b) { return a.channel < b.channel; });
    const BakedSources plan = plan_sources(rows, deltas_, aligned_, 1, conv_.order);
    most_registers_ = std::max(most_registers_, registers_of(plan.most_alive));
    const std::size_t pixels = deltas_.size();
    std::vector<Register> sums(rows.size() * pixels);
    std::vector<bool> has_begun(sums.size(), false);
    std::unordered_map<std::int32_t, Register> elements;
    FarAddress source(b_, source_), skip(b_, skip_), output(b_, output_);
    std::uint32_t since_barrier = 0;
    bool has_finished = conv_.order == BakedOrder::rows_first;
    for (const BakedStep& step : plan.steps) switch (step.kind) {
        case BakedStep::Kind::load:
          if (conv_.piece != 0 && conv_.order == BakedOrder::taps_first && since_barrier >= conv_.piece) {
            b_.barrier();
            since_barrier = 0;
          }
          load(step, source, elements);
          break;
        case BakedStep::Kind::multiply_add: {
          ++since_barrier;
          const std::size_t k = step.row * pixels + step.pixel;
          if (!has_begun[k]) sums[k] = b_.variable(Type::f32);
          const Source addend = has_begun[k] ? Source(sums[k]) : Source(rows[step.row].bias);
          b_.compute_into(sums[k], Arithmetic::multiply_add, {elements.at(step.element), step.weight, addend});
          has_begun[k] = true;
          break;
        }
        case BakedStep::Kind::finish_row: {
          if (!has_finished) b_.return_if(tile_.is_beyond);
          has_finished = true;
          const std::span<Register> of_row(&sums[step.row * pixels], pixels);
          if (!has_begun[step.row * pixels])
            for (Register& sum : of_row) sum = b_.variable(rows[step.row].bias);
          finish_row(rows[step.row].channel, of_row, skip, output);
        }
      }
  }

  void load(const BakedStep& step, FarAddress& source, std::unordered_map<std::int32_t, Register>& elements) {
    std::vector<Register> targets;
    for (std::int32_t k = 0; k < step.width; ++k) {
      targets.push_back(b_.variable(Type::f32));
      elements[step.element + k] = targets.back();
    }
    const auto place = source.at(static_cast<std::uint32_t>(step.element - lowest_));
    b_.load(GpuSpace::global, Element::f32, std::move(targets), place.address, place.offset);
  }

  void finish_row(std::uint32_t channel, std::span<const Register> sums, FarAddress& skip, FarAddress& output) {
    for (std::uint32_t line = 0; line < conv_.grid.tile_y; ++line) {
      const std::span<const Register> of_line = sums.subspan(line * conv_.grid.tile_x, conv_.grid.tile_x);
      if (conv_.has_skip) {
        const auto place = skip.at(channel * conv_.skip.channel + line * conv_.skip.row);
        add_skip(b_, of_line, place.address, place.offset, aligned_floats(conv_.skip, conv_.grid));
      }
      for (Register sum : of_line) apply_activation(b_, conv_.activation, sum);
      const auto place = output.at(channel * conv_.output.channel + line * conv_.output.row);
      store_line(b_, of_line, place.address, place.offset, aligned_floats(conv_.output, conv_.grid));
    }
  }

  /// Sums and sources, some addresses and numbers, and sources that the assembler asks for ahead of time.
  static std::uint32_t registers_of(std::size_t alive) { return static_cast<std::uint32_t>(std::min<std::size_t>(alive + 40, 255)); }

  const BakedConv& conv_;
  ThreadBuilder b_;
  std::vector<std::int32_t> deltas_;
  std::uint32_t aligned_;
  std::int32_t lowest_ = 0;
  TileAt tile_;
  Register source_{}, skip_{}, output_{}, block_y_{};
  std::uint32_t most_registers_ = 0;
};

}  // namespace

std::vector<std::int32_t> tile_deltas(const PixelGrid& grid, const PixelView& view) {
  std::vector<std::int32_t> deltas;
  for (std::uint32_t y = 0; y < grid.tile_y; ++y)
    for (std::uint32_t x = 0; x < grid.tile_x; ++x) deltas.push_back(static_cast<std::int32_t>(y * view.row + x * view.column));
  return deltas;
}

ThreadProgram build(const BakedConv& conv) { return Baker(conv).build(); }

}  // namespace lacuna::kernel
