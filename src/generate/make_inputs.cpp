// make_inputs: images become sparse 0/1 rows. Inputs are made in blocks on all cores and kept compressed from the
// start: 60,000 x 65,536 is 0.8 GB, never a dense matrix.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <lacuna/error.hpp>
#include <vector>

#include "base/parallel.hpp"
#include "generate/image_source.hpp"
#include "generate/resample.hpp"

namespace lacuna::generate {
namespace {

constexpr std::uint32_t block_inputs = 256;

/// The threshold above which about `wanted` pixels lie: the nearest possible count, at least one pixel if any is not
/// black.
std::uint8_t threshold_for(std::span<const std::uint8_t> pixels, std::uint64_t wanted) {
  std::array<std::uint32_t, 256> counts{};
  for (std::uint8_t pixel : pixels) ++counts[pixel];
  std::uint64_t above = 0;
  unsigned level = 255;
  while (level > 1 && (above == 0 || above + counts[level] / 2 < wanted)) above += counts[level--];
  return static_cast<std::uint8_t>(level);
}

template <typename Column>
struct Block {
  std::vector<Column> columns;
  std::vector<std::uint32_t> counts;  ///< ones in each input
};

/// What one thread works with.
struct Workspace {
  std::vector<std::uint8_t> image;
  std::vector<std::uint8_t> resized;
  std::vector<float> scratch;
};

/// How many pixels of the resized image should be ones. Shrinking greys thin strokes, so a smaller image takes the
/// share that its original has.
std::uint64_t ones_wanted(const ImageSource& source, std::uint32_t input, const Workspace& work) {
  if (source.ink) return (std::uint64_t{source.ink(input)} * work.resized.size()) >> 16;
  const auto is_one = [&](std::uint8_t pixel) { return pixel > source.threshold; };
  const auto ones = static_cast<std::uint64_t>(std::count_if(work.image.begin(), work.image.end(), is_one));
  return ones * work.resized.size() / work.image.size();
}

template <typename Column>
std::uint32_t add_ones(std::span<const std::uint8_t> pixels, std::uint8_t threshold, std::vector<Column>& columns) {
  const std::size_t before = columns.size();
  columns.resize(before + pixels.size());
  Column* const first = columns.data() + before;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {  // no branch: always stored, kept if above
    first[ones] = static_cast<Column>(i);
    ones += pixels[i] > threshold ? 1 : 0;
  }
  columns.resize(before + ones);
  return static_cast<std::uint32_t>(ones);
}

template <typename Column>
Block<Column> make_block(const ImageSource& source, const Resampler& resampler, std::uint32_t first, std::uint32_t last,
                         Workspace& work) {
  Block<Column> block;
  for (std::uint32_t input = first; input < last; ++input) {
    source.draw(input, work.image);
    resampler.apply(work.image, work.resized, work.scratch);
    std::uint8_t threshold = source.threshold;
    if (source.ink || work.resized.size() < work.image.size())
      threshold = threshold_for(work.resized, ones_wanted(source, input, work));
    block.counts.push_back(add_ones(work.resized, threshold, block.columns));
  }
  block.columns.shrink_to_fit();
  return block;
}

template <typename Column>
std::vector<Column> make_rows(const ImageSource& source, std::uint32_t side, std::uint32_t count,
                              std::vector<std::uint32_t>& row_begin) {
  const std::size_t blocks = (count + std::size_t{block_inputs} - 1) / block_inputs;
  const unsigned threads = base::thread_count(0);
  const Resampler resampler(source.width, source.height, side);  // columns of the image are rows here
  std::vector<Workspace> workspaces(threads);
  std::vector<Block<Column>> made(blocks);
  base::parallel_for(threads, blocks, [&](std::size_t b, unsigned worker) {
    Workspace& work = workspaces[worker];
    work.image.resize(static_cast<std::size_t>(source.width) * source.height);
    work.resized.resize(static_cast<std::size_t>(side) * side);
    const auto first = static_cast<std::uint32_t>(b * block_inputs);
    made[b] = make_block<Column>(source, resampler, first, std::min(count, first + block_inputs), work);
  });

  std::uint64_t ones = 0;
  row_begin.assign(1, 0);
  for (const Block<Column>& block : made)
    for (std::uint32_t in_row : block.counts) {
      ones += in_row;
      row_begin.push_back(static_cast<std::uint32_t>(ones));
    }
  if (ones >= std::uint64_t{1} << 32)
    throw InputError(fmt::format("{} inputs of {} neurons have {} ones; a matrix holds fewer than 4294967296", count,
                                 static_cast<std::uint64_t>(side) * side, ones));
  std::vector<Column> columns;
  columns.reserve(ones);
  for (Block<Column>& block : made) {
    columns.insert(columns.end(), block.columns.begin(), block.columns.end());
    block = {};
  }
  return columns;
}

}  // namespace

SparseMatrix make_inputs(const ImageSource& source, std::uint32_t side, std::uint32_t count) {
  SparseMatrix inputs;
  inputs.rows = count;
  inputs.columns = side * side;
  std::vector<std::uint32_t> row_begin;
  if (inputs.columns <= 65536)
    inputs.narrow_columns = make_rows<std::uint16_t>(source, side, count, row_begin);
  else
    inputs.wide_columns = make_rows<std::uint32_t>(source, side, count, row_begin);
  inputs.row_begin = std::move(row_begin);
  inputs.values = std::vector<float>{1.0f};
  return inputs;
}

}  // namespace lacuna::generate
