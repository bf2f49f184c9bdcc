// Convolutions with nearly all of their weights, as first layers have: two lines of output at once by minimal filtering (rows/pair_filter.hpp), which takes about two thirds of the multiply-adds.
//
// Lines of the input (of its phases, with a stride) are combined into the lines that points read, for some pairs of output lines at a time; machine code then
// multiplies and adds them up, and combines the points' sums into both lines before it writes them.
#pragma once

#include <memory>
#include <vector>

#include <lacuna/network.hpp>

#include "plan/conv_body.hpp"
#include "plan/sparse_conv.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan {

/// Whether there is a kernel for it, and a point in it. Needs: no skip connection.
bool can_be_line_pairs(const Conv& conv, const rows::Planes& in, const rows::Planes& out, cpu::Isa isa);

class ConvLinePairs {
 public:
  /// Needs: can_be_line_pairs(). `choice.rows` sums are kept in registers at most; it is told if sources cannot come by lines.
  ConvLinePairs(const Conv& conv, const rows::Planes& in, const rows::Planes& out, float low, float high, ConvKernelChoice& choice, cpu::Isa isa);

  /// Lines of output that one of `threads` writes.
  struct Part {
    std::uint32_t line_begin, line_end;
  };
  Part part_of(unsigned worker, unsigned threads) const;

  /// Leaves the part complete in all images, zeros around it included. `scratch` has scratch_floats().
  void run(const float* input, float* output, const Part& part, float* scratch) const;

  /// The same without the zeros.
  void run_lines(const float* input, float* output, const Part& part, float* scratch) const;

  std::size_t scratch_floats() const { return phase_floats_ + pairs_at_once * pair_floats_; }
  std::size_t bytes() const { return body_->bytes(); }

 private:
  static constexpr std::uint32_t pairs_at_once = 4;

  /// A line that a point reads: so many lines of the phase, beginning with that of the pair's first output.
  struct Combined {
    std::size_t channel;  ///< of the source's planes
    std::vector<std::uint32_t> lines;
    std::vector<float> factors;
  };

  struct Filters;

  void combine(const float* input, std::uint32_t image, std::uint32_t pair_begin, std::uint32_t pair_end, float* scratch) const;

  rows::Planes in_, out_;
  rows::ConvRows rows_;  ///< how the input is taken apart
  std::vector<Combined> combined_;
  std::size_t line_floats_ = 0;  ///< of a combined line
  std::size_t pair_floats_ = 0;  ///< of all of a pair
  std::size_t phase_floats_ = 0;
  std::vector<std::uint32_t> tile_places_;  ///< in a line of output
  std::unique_ptr<ConvBody> body_;
  std::size_t blocks_ = 0;
  const cpu::Kernels& kernels_;
};

}  // namespace lacuna::plan
