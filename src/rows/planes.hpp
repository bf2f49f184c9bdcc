// Planes: where the elements of a value {batch, channels, height, width} stand in memory when sparse convolutions read or write it.
//
//   element (n, c, y, x) is float number  origin + n * image + c * channel + y * row + x * column
//
// Each plane is surrounded by zeros (the halo), so that a kernel that reaches over the border needs no test: the offset of a source is the same
// for every pixel. Lanes are pixels (column == 1) or inputs of the batch (image == 1); neighbouring rows and planes share their halo:
//
//   . . . . . . .      the zeros to the right of a row are those to the left of the next,
//   a a a a a a .      the rows of zeros below plane a are those above plane b:
//   a a a a a a .      a sweep over a plane from its first pixel to its last runs through
//   . . . . . . .      at most halo_x columns that are not pixels
//   b b b b b b .
//
// In slabs, 16 or 64 lanes of every channel stand together, then as many more of every channel (where lanes are inputs, those of a pixel): a kernel that reads one pixel of all channels reads few pages.
// Sources are then the same for all pixels only if no kernel reaches beyond its own pixel; there is no halo, and what is not an element is anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <lacuna/network.hpp>

namespace lacuna::rows {

inline constexpr std::size_t wide_slab = 64;    ///< lanes: all that a tile of any kernel has
inline constexpr std::size_t narrow_slab = 16;  ///< one vector of AVX-512: its tiles read line after line, which CPUs fetch ahead

/// Floats between the places in a page where buffers begin that are used together: stores to one would hold up loads from another at the same place.
inline constexpr std::size_t apart_in_page = 272;

struct Planes {
  std::uint32_t batch = 1;
  std::uint32_t channels = 0;
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  std::uint32_t halo_y = 0;  ///< rows of zeros above and below
  std::uint32_t halo_x = 0;  ///< columns of zeros left and right, maybe shared between rows
  std::size_t image = 0;     ///< strides, in floats
  std::size_t channel = 0;
  std::size_t row = 0;
  std::size_t column = 1;
  std::size_t origin = 0;    ///< of element (0, 0, 0, 0)
  std::size_t floats = 0;    ///< of the whole buffer, with the slack that vectors at its ends may touch
  std::size_t slab = 0;      ///< lanes of a channel that stand side by side; 0: all, a plane

  std::size_t at(std::size_t n, std::size_t c, std::size_t y, std::size_t x) const { return lane_at(n, y * row + x * column) + c * channel; }
  /// Of a lane of channel 0, counted along its rows and the gaps between them.
  std::size_t lane_at(std::size_t n, std::size_t lane) const { return origin + n * image + (slab == 0 ? lane : lane / slab * slab * channels + lane % slab); }

  /// The lane of image 0 that stands there.
  std::size_t lane_of(std::size_t place) const { return slab == 0 ? place - origin : (place - origin) / (slab * channels) * slab + (place - origin) % slab; }

  /// Lanes from `lane` on that stand side by side, however many there are.
  std::size_t side_by_side(std::size_t lane) const { return slab == 0 ? std::numeric_limits<std::size_t>::max() : slab - lane % slab; }

  bool lanes_are_inputs() const { return image == 1 && batch > 1; }
  /// Whether lanes are pixels, and those of a row stand side by side.
  bool has_rows_of_pixels() const { return slab == 0 && column == 1 && !lanes_are_inputs(); }
  /// Whether a row of all channels comes before the next row of any.
  bool has_rows_of_channels() const { return slab == 0 && height > 1 && row >= channels * channel; }
  /// Images that have planes of their own: all, or one for all where lanes are inputs.
  std::uint32_t plane_sets() const { return lanes_are_inputs() ? 1 : batch; }
  /// Floats from the first to the last element of a row, both counted.
  std::size_t row_lanes() const { return (width - std::size_t{1}) * column + (lanes_are_inputs() ? batch : 1); }
  /// The same for a whole plane.
  std::size_t plane_lanes() const { return (height - std::size_t{1}) * row + row_lanes(); }

  /// Floats that threads divide, again and again in the same way: those of a plane, or of an image in slabs.
  std::size_t divided() const { return slab == 0 ? channel : lanes_are_inputs() ? floats : image; }

  bool operator==(const Planes&) const = default;
};

enum class Lanes : std::uint8_t { pixels, batch };

/// Planes for a value of shape {batch, channels}, {batch, channels, width} or {batch, channels, height, width}. Planes begin on multiples of 16
/// floats, and never 4096 bytes apart: such planes would fight for the same lines of L1. Throws Unsupported for more axes.
Planes planes_for(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x, Lanes lanes = Lanes::pixels);

/// The same in slabs of so many lanes, with rows as far apart as planes with this halo have them. Lanes that are inputs: a slab is a pixel of all channels.
Planes slabs_for(const Shape& shape, std::uint32_t halo_x, Lanes lanes = Lanes::pixels, std::size_t slab = wide_slab);

/// Planes for a band, some rows of a larger image: the rows above and below belong to each channel alone, since they hold elements of other bands. Needs: four axes.
Planes band_planes_for(const Shape& shape, std::uint32_t halo_y, std::uint32_t halo_x);

/// Zeroes everything that is not an element: halo, gaps and slack. Writes no element.
void zero_halo(const Planes& planes, float* memory);
/// The same for what stands before rows [first_row, last_row) of each plane, and after the last row of all. Parts that have all rows have all of it.
void zero_halo(const Planes& planes, float* memory, std::size_t first_row, std::size_t last_row);

/// Copies between row-major {batch, channels, height, width} and planes. load_planes() zeroes the halo too.
void load_planes(const float* elements, const Planes& planes, float* memory);
/// The same for rows [first_row, last_row) of each plane. Parts that have all rows load all.
void load_planes(const float* elements, const Planes& planes, float* memory, std::size_t first_row, std::size_t last_row);
void store_elements(const Planes& planes, const float* memory, float* elements);
/// The same for channels [first_channel, last_channel).
void store_elements(const Planes& planes, const float* memory, float* elements, std::size_t first_channel, std::size_t last_channel);

/// Copies the elements from planes to planes of other strides and halos, and zeroes the halo there. Needs: the same extents.
void copy_planes(const Planes& from, const float* source, const Planes& to, float* target);

/// Copies a band of one image to rows from `first_row` on of the whole, and zeroes the halo there as zero_halo() would for these rows. Needs: zeros between the band's rows.
void copy_band(const Planes& band, const float* source, const Planes& whole, float* target, std::size_t first_row);

}  // namespace lacuna::rows
