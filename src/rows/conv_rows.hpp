// Conv -> rows on planes. A row is an output channel; a source is (input channel, ky, kx) as an offset in floats from the pixel that stands under
// the kernel's first tap; so the nonzeros of a row are the same for every pixel, and no patch of the input is ever copied out (no im2col).
//
// With a stride the taps of neighbouring outputs are not neighbours. Then the input is taken apart first, a copy into scratch: element (i, j) of
// phase (py, px) of a channel is the padded input's element (i * stride + py, j * stride + px). A tap reads one phase, with stride 1.
// Where few weights read a source that copy costs more than it saves, and lanes read the input as it stands, in steps.
//
// Without a stride an input may be packed: the lines that some tiles read, as they stand, but those of all channels near each other. What is read for every block of rows then comes
// from few pages of L2, not from as many pages as there are channels, further away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "rows/planes.hpp"

namespace lacuna::rows {

/// The window of a convolution with two axes; those it does not have are 1 wide.
struct Window {
  std::uint32_t kernel_y = 1, kernel_x = 1;
  std::uint32_t stride_y = 1, stride_x = 1;
  std::uint32_t dilation_y = 1, dilation_x = 1;
  std::uint32_t pad_y = 0, pad_x = 0;          ///< above, left
  std::uint32_t pad_y_end = 0, pad_x_end = 0;  ///< below, right
};

/// Throws Unsupported for more than two spatial axes.
Window window_of(const Conv& conv);

/// Halo that the convolution's input needs to be read in place.
struct Halo {
  std::uint32_t y = 0, x = 0;
};
Halo halo_of(const Conv& conv);

/// Whether all windows stay within the planes and the zeros around them.
bool halo_suffices(const Window& window, const Planes& in, const Planes& out);

/// How many rows above the input's first and below its last an output reads.
struct RowsBeyond {
  std::uint32_t above = 0, below = 0;
};
RowsBeyond rows_beyond(const Window& window, std::uint32_t input_height, std::uint32_t output_height);

struct ConvRows {
  struct Nonzero {
    std::int32_t offset;  ///< in floats
    float weight;
  };
  std::vector<std::size_t> row_begin;  ///< output_channels + 1
  std::vector<Nonzero> nonzeros;       ///< of a row by ascending offset, but for Strides::in_steps
  std::vector<float> bias;             ///< one for each row

  /// What the rows read: the input itself or its phases.
  Planes source;
  std::uint32_t step_y = 1, step_x = 1;  ///< from one output to the next, in elements of `source`
  std::uint32_t lane_step = 1;           ///< from one lane to the next where lanes are pixels, in floats of `source`

  /// The phases that some weight reads, if the input is taken apart: channel c * phases.size() + k of `source` is phase k of channel c.
  struct Phase {
    std::uint32_t y, x;
  };
  std::vector<Phase> phases;
  bool is_packed = false;   ///< there is one phase, the padded input with the pitch of its rows
  std::uint32_t lines = 0;  ///< of the phases of an image; `source` has room for an excerpt of them
  Window window;

  std::size_t rows() const { return bias.size(); }
};

/// How a stride is read: from the input taken apart; from the input as it stands, step by step, what lanes that are pixels of a GPU can do at no cost; or so, the nonzeros of a row in the order
/// they have in the input taken apart, and nothing else if can_be_in_steps() says no. Packed: without a stride all the same in excerpts, as taken apart if can_be_packed() says no.
enum class Strides : std::uint8_t { taken_apart, in_place, in_steps, packed };

/// What is taken apart at a time: some lines of all phases of an image (of all images where lanes are inputs). Lane `first_lane` of the image's phases is lane 0 of `source`: a multiple of
/// excerpt_unit() at or before the first line, so that what was aligned still is.
struct Excerpt {
  std::uint32_t image;
  std::uint32_t line_begin, line_end;
  std::size_t first_lane;

  bool operator==(const Excerpt&) const = default;
};

std::size_t excerpt_unit(const Planes& source);

/// Needs: `in` and `out` are planes of the convolution's input and output, with lanes of the same kind. Throws InputError where extents do not fit. `excerpt_lines`: that are taken apart
/// at most at a time; 0: all of an image.
ConvRows lower_conv(const Conv& conv, const Planes& in, const Planes& out, Strides strides = Strides::taken_apart, std::uint32_t excerpt_lines = 0);

/// Whether an output depends on one pixel of each channel: one tap, no padding.
bool reads_one_pixel(const Window& w);

/// Whether vectors of pixels can read this convolution's input in steps: of two, inside the halo.
bool can_be_in_steps(const Conv& conv, const Planes& in, const Planes& out);

/// Whether its input can be packed: there is no stride, and lanes are pixels that stand alike in input and output.
bool can_be_packed(const Conv& conv, const Planes& in, const Planes& out);

/// Of each row: even[k] = from[2 * k] and, unless `odd` is null, odd[k] = from[2 * k + 1] for k in [0, count).
using PartRows = void(const float* from, std::size_t from_pitch, std::size_t rows, std::size_t count, float* even, float* odd, std::size_t to_pitch);

/// Fills `source` with an excerpt of `in`; both as lower_conv() was given or made them. Only if there are phases.
void take_apart(const ConvRows& rows, const Planes& in, const float* input, const Excerpt& excerpt, float* source, PartRows* part_rows);

/// The rows in an order in which every `block` neighbours share many sources; greedy. Cost: O(rows^2 + nonzeros x rows / block).
std::vector<std::uint32_t> cluster_rows(const ConvRows& rows, unsigned block);

}  // namespace lacuna::rows
