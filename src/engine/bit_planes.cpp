// Eight inputs share a slice, one byte a neuron, small enough for L1: setting a bit there costs about a cycle. The 32 slices of a stretch of
// neurons are then interleaved into planes.
#include "engine/bit_planes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace lacuna::engine {
namespace {

constexpr std::size_t tile = 2048;  // neurons of a stretch: 64 KiB of slices and as much of planes stay in L2

std::size_t rounded_up(std::size_t width, std::size_t multiple) { return (width + multiple - 1) / multiple * multiple; }

}  // namespace

BitPlanes::BitPlanes(std::size_t width)
    : width_(width), planes_(rounded_up(width + 1, 128), Plane{}), slices_(cpu::bit_plane_bytes * std::min(tile, rounded_up(width, 16))) {}

template <typename Column>
void BitPlanes::lay_columns(const SparseMatrix& inputs, const Column* columns, std::size_t first, std::size_t count, const cpu::Kernels& kernels) {
  const std::size_t stride = slices_.size() / cpu::bit_plane_bytes;
  std::array<std::size_t, cpu::bit_lanes> at;
  for (std::size_t k = 0; k < count; ++k) at[k] = inputs.row_begin[first + k];
  for (std::size_t begin = 0; begin < width_; begin += stride) {
    std::memset(slices_.data(), 0, slices_.size());
    const std::size_t end = std::min(begin + stride, width_);
    for (std::size_t k = 0; k < count; ++k) {
      std::uint8_t* const slice = slices_.data() + k / 8 * stride;
      const auto bit = static_cast<std::uint8_t>(1u << k % 8);
      const std::size_t row_end = inputs.row_begin[first + k + 1];
      std::size_t e = at[k];
      if (end == width_)  // the last stretch: no need to look where it ends
        for (; e < row_end; ++e) slice[columns[e] - begin] |= bit;
      else
        for (; e < row_end && columns[e] < end; ++e) slice[columns[e] - begin] |= bit;
      at[k] = e;
    }
    kernels.interleave_slices(slices_.data(), stride, rounded_up(end - begin, 16), planes_[begin].bytes);
  }
}

void BitPlanes::lay(const SparseMatrix& inputs, std::size_t first, std::size_t count, const cpu::Kernels& kernels) {
  if (inputs.wide_columns.empty())
    lay_columns(inputs, inputs.narrow_columns.data(), first, count, kernels);
  else
    lay_columns(inputs, inputs.wide_columns.data(), first, count, kernels);
}

void BitPlanes::lay(const BitMatrix& inputs, std::size_t first, std::size_t count, const cpu::Kernels& kernels) {
  constexpr std::size_t rows_at_once = 32;
  constexpr std::size_t stretch = 64;  // bytes of a row: a cache line, and 16 KiB of planes stay in L1 for all rows
  const std::size_t row_bytes = inputs.words_per_row() * sizeof(std::uint64_t);
  const auto* const rows = reinterpret_cast<const std::uint8_t*>(inputs.words.data()) + first * row_bytes;
  std::uint8_t* const planes = planes_.data()->bytes;
  std::uint8_t padded[rows_at_once * stretch];
  for (std::size_t b = 0; b < row_bytes; b += stretch) {
    const std::size_t bytes = std::min(stretch, row_bytes - b);
    for (std::size_t k = 0; k < count; k += rows_at_once) {
      const std::size_t here = std::min(rows_at_once, count - k);
      const std::uint8_t* from = rows + k * row_bytes + b;
      std::uint8_t* const to = planes + b * 8 * cpu::bit_plane_bytes + k / 8;
      if (here == rows_at_once && bytes % 16 == 0) {
        kernels.transpose_bits(from, row_bytes, bytes, to);
        continue;
      }
      std::memset(padded, 0, sizeof(padded));  // missing rows and bytes are zero
      for (std::size_t r = 0; r < here; ++r) std::memcpy(padded + r * stretch, from + r * row_bytes, bytes);
      kernels.transpose_bits(padded, stretch, rounded_up(bytes, 16), to);
    }
  }
}

}  // namespace lacuna::engine
