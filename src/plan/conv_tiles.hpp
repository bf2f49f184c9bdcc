// A convolution by tiles of pixels: what tables and machine code have in common. Threads have shares of tiles and of blocks of rows; each takes its part of the input apart, if there is a stride,
// and keeps the zeros between pixels.
#pragma once

#include <memory>

#include "plan/conv_body.hpp"
#include "plan/conv_shares.hpp"
#include "plan/lowered_conv.hpp"
#include "plan/sparse_conv.hpp"

namespace lacuna::plan {

class ConvTiles {
 public:
  /// Null where tiles would read beyond the input's buffer, which only those that read in steps can. `conv` must live as long; its blocks are told where they write. `choice` is told if sources cannot come by lines.
  static std::unique_ptr<ConvTiles> make(LoweredConv& conv, ConvKernelChoice& choice, cpu::Isa isa);

  /// The same as in SparseConv.
  void run(const float* in, const float* skip, float* out, const SparseConv::Scratch& scratch) const;
  bool has_rows() const;
  void run_rows(const float* in, float* out, std::uint32_t rows, float* scratch) const;
  bool may_write_over_skip() const;
  std::size_t common_floats() const;
  std::size_t thread_floats() const;

  std::size_t bytes() const { return body_->bytes(); }
  bool copies_output() const { return inner_.has_value(); }

 private:
  explicit ConvTiles(const LoweredConv& conv) : conv_(conv) {}

  bool cut_up(const ConvKernelChoice& choice);
  void find_common_excerpt();
  void list_gaps(cpu::Isa isa);
  void size_partials(const ConvKernelChoice& choice);
  std::size_t most_tiles() const;
  std::optional<std::uint32_t> into_line() const;

  void take_part(const float* input, float* excerpt, unsigned worker) const;
  void run_share(const ConvShare& share, const float* input, float* excerpt, const cpu::ConvMemory& memory) const;
  void activate(const ConvShare& share, std::size_t block, const ConvChunk& chunk, float* destination) const;
  std::size_t inner_floats() const;

  const LoweredConv& conv_;
  std::optional<rows::Planes> inner_;  ///< where sums go first, if the output has no room for tiles that are wider than its rows
  std::vector<ConvShare> shares_;
  std::optional<rows::Excerpt> common_;  ///< all that shares read: they take it apart together
  std::size_t partial_floats_ = 0;       ///< of one thread: sums that are not finished
  std::unique_ptr<ConvBody> body_;
};

}  // namespace lacuna::plan
