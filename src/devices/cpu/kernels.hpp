// The CPU's compiled kernels, one set for each instruction set (kernels.cpp). They work on a panel: an arena of planes, each
// `lanes` floats wide and 64-byte aligned; see rows/sparse_rows.hpp for the picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "devices/cpu/isa.hpp"

namespace lacuna::cpu {

/// `rows` rows with `length` nonzeros each. In fours, four rows of different lengths are a class of their own: `length` is what they have in
/// common, `more` what each has beyond; those nonzeros follow the interleaved ones, row by row.
struct RowClass {
  std::uint32_t length;
  std::uint32_t rows;
  std::array<std::uint32_t, 4> more = {};

  bool is_mixed() const { return (more[0] | more[1] | more[2] | more[3]) != 0; }
  std::size_t nnz_of_four() const { return std::size_t{4} * length + more[0] + more[1] + more[2] + more[3]; }
};

enum class Epilogue : std::uint8_t { clip, leaky_relu, sigmoid, tanh, hard_sigmoid, hard_swish, swish };

/// Everything the table kernel needs for one group of rows: an index stream, its weights and the epilogue.
struct Table {
  std::span<const RowClass> classes;           ///< rows follow class by class
  bool in_fours = false;                       ///< the streams of every full four rows of a class are interleaved, nonzero by nonzero
  const std::uint32_t* rows = nullptr;         ///< destination of each; null: 0, 1, 2, ...
  const std::uint16_t* narrow_sources = nullptr;
  const std::uint32_t* wide_sources = nullptr; ///< used if narrow_sources is null
  const float* weights = nullptr;              ///< one for each nonzero, or a single one
  bool one_weight = false;
  const float* bias = nullptr;                 ///< one for each row, in the order of `rows`; null: one_bias for all
  float one_bias = 0;
  std::uint32_t source_plane = 0;
  std::uint32_t destination_plane = 0;
  std::span<const std::uint32_t> residual_planes;
  Epilogue epilogue = Epilogue::clip;
  float low = 0;   ///< clip: bounds (infinite: none); otherwise the activation's parameters, first and second
  float high = 0;
  std::array<std::span<const std::byte>, 2> ahead = {};  ///< what runs after this table reads: brought into L2 on the side, some lines with each row
};

/// Inputs that are on or off travel as bits through the first layer: a plane of bits holds one neuron of `bit_lanes` inputs.
inline constexpr unsigned bit_lanes = 256;
inline constexpr unsigned bit_plane_bytes = bit_lanes / 8;

/// A layer whose weights are all equal, as the counting kernel walks it: how many of a row's sources are on?
struct CountTable {
  const std::uint32_t* blocks = nullptr;   ///< rows + 1 positions, in blocks of eight sources
  const std::uint32_t* sources = nullptr;  ///< planes of bits; the last block of a row is filled up with a plane of zeros
  bool counts_above_63 = false;            ///< some row has more than 63 sources (at most 255)
};

/// How counts become values: clip(weight * (count * input) + bias).
struct CountEpilogue {
  float input = 1;
  float weight = 1;
  const float* bias = nullptr;  ///< one for each row; null: one_bias for all
  float one_bias = 0;
  float low = 0;
  float high = 0;
};

/// A nonzero of a convolution: its source is `offset` floats from the pixel.
struct ConvNonzero {
  std::int32_t offset;
  float weight;
};

inline constexpr unsigned conv_tile_vectors = 8;

/// Pixels that are worked off together, side by side in memory: float numbers of the first in each buffer.
struct ConvTile {
  std::int64_t source = 0;
  std::int64_t destination = 0;  ///< in the plane of output channel 0
  std::int64_t skip = 0;
  std::uint32_t vectors = 1;     ///< at most conv_tile_vectors
  std::uint32_t repeated = 0;    ///< lanes that the tile before computes too
  std::array<std::uint16_t, conv_tile_vectors> wanted = all_wanted;  ///< lanes of each vector that are pixels: AVX-512 writes zero to the others

  static constexpr std::array<std::uint16_t, conv_tile_vectors> all_wanted{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
};

/// Some rows of a convolution and those of their nonzeros whose sources are in one range of channels. Sums of a row that is not finished are
/// kept in ConvMemory::partial.
struct ConvTable {
  std::uint32_t rows = 0;
  const std::uint32_t* row_begin = nullptr;  ///< rows + 1
  const ConvNonzero* nonzeros = nullptr;
  const std::int64_t* destinations = nullptr;  ///< of each row: its plane, from that of channel 0
  const std::int64_t* skips = nullptr;
  const float* bias = nullptr;
  bool is_first = true;
  bool is_last = true;
  bool by_twos = false;  ///< the sources of neighbouring lanes are two floats apart
  float low = 0;
  float high = 0;
};

struct ConvMemory {
  const float* source = nullptr;
  float* destination = nullptr;
  const float* skip = nullptr;  ///< null: none
  float* partial = nullptr;     ///< rows x lanes of all tiles, aligned; unused if the rows are first and last
};

/// A matrix-vector product: lanes are output rows. Rows come in blocks of one vector; each block has `together` nonzeros for each of its rows,
/// interleaved, then what the rows have left, row by row.
struct GatherTable {
  std::uint32_t rows = 0;
  const std::size_t* block_begin = nullptr;
  const std::uint32_t* together = nullptr;
  const std::uint32_t* rest = nullptr;   ///< of each row
  std::int64_t lowest = 0;               ///< what offsets begin at
  const std::int32_t* offsets = nullptr;
  const std::uint16_t* near_offsets = nullptr;  ///< instead, where they suffice
  const float* weights = nullptr;
  const float* bias = nullptr;           ///< filled up to whole blocks
  const std::int64_t* destinations = nullptr;
  const std::int64_t* skips = nullptr;
  float low = 0;
  float high = 0;
};

/// A depthwise convolution on planes whose lanes are pixels.
struct Depthwise {
  std::uint32_t kernel = 3;  ///< 3 or 5, both ways
  std::uint32_t stride = 1;  ///< 1 or 2, both ways
  std::uint32_t width = 0;   ///< of the output
  std::uint32_t gap = 0;     ///< floats after each row that become zero
  std::size_t source_row = 0;  ///< from row to row, in floats
  std::size_t destination_row = 0;
  std::size_t source_plane = 0;  ///< from plane to plane
  std::size_t destination_plane = 0;
  std::uint32_t outputs = 1;  ///< planes that read the same input plane
  std::uint32_t rows = 0;     ///< of each plane
  std::size_t after = 0;      ///< floats after the last row and its gap that become zero
  float low = 0;
  float high = 0;
};

/// Pooling windows side by side, of lanes that are pixels.
struct PoolLines {
  std::size_t lines = 1;  ///< of a window, `pitch` floats apart
  std::size_t pitch = 0;
  std::size_t width = 0;  ///< lanes of a line
  std::size_t columns = 1;  ///< of a window
  std::size_t stride = 1;
  std::size_t count = 0;  ///< windows
  bool is_maximum = true;  ///< else the sum
  std::size_t rows = 1;    ///< of windows, and the floats from one to the next
  std::size_t source_step = 0;
  std::size_t target_step = 0;
};

/// The widths, in vectors, that the table kernel is compiled for.
inline constexpr unsigned panel_vectors[] = {1, 2, 3, 4, 6, 8};

struct Kernels {
  Isa isa;
  unsigned vector_lanes;

  /// Computes all rows of the table for all lanes; `lanes` is vector_lanes times one of panel_vectors.
  void (*run_table)(const Table& table, unsigned lanes, float* arena);

  /// Sets alive[lane] where any of `planes` planes holds a value other than zero; leaves the others as they are.
  void (*mark_alive)(const float* planes, std::size_t count, unsigned lanes, std::uint8_t* alive);

  /// Mixes the bits of `count` planes into hash[lane].
  void (*hash_lanes)(const float* planes, std::size_t count, unsigned lanes, std::uint32_t* hash);

  /// Clears equal[lane] where the lane differs, bit by bit, from a column of as many values, `stride` floats apart.
  void (*clear_unequal)(const float* planes, std::size_t count, unsigned lanes, const float* column, std::size_t stride, std::uint8_t* equal);

  /// Packs the lanes whose flag is set, plane by plane: packed[plane * stride] and on. Writes up to a vector more than that: `stride` is
  /// at least `lanes` and a vector.
  void (*pack_lanes)(const float* planes, std::size_t count, unsigned lanes, const std::uint8_t* stays, float* packed, std::size_t stride);

  /// Turns 32 slices of `count` bytes, `stride` bytes apart, into planes of bits: byte s of plane p is byte p of slice s.
  /// `count` is a multiple of 16.
  void (*interleave_slices)(const std::uint8_t* slices, std::size_t stride, std::size_t count, std::uint8_t* planes);

  /// Turns 32 rows of bits, `stride` bytes apart, into one 32-bit word of 8 * `bytes` planes: bit r of the word of plane c is bit c of row r.
  /// `words` points to the word in the first plane. `bytes` is a multiple of 16.
  void (*transpose_bits)(const std::uint8_t* rows, std::size_t stride, std::size_t bytes, std::uint8_t* words);

  /// counts[row * bit_lanes + lane] = how many of the row's sources are on.
  void (*count_bits)(const CountTable& table, const std::uint8_t* planes, std::uint32_t rows, std::uint8_t* counts);

  /// Turns the counts of `rows` rows, bit_lanes apart, into planes of `lanes` values.
  void (*counts_to_planes)(const CountEpilogue& epilogue, const std::uint8_t* counts, std::uint32_t rows, unsigned lanes, float* planes);

  /// Runs `rounds` rounds of independent multiply-adds in registers and returns how many single ones that were.
  std::uint64_t (*multiply_adds)(std::uint64_t rounds, float* sink);

  /// All rows of the table on all tiles: row by row, so that a row's nonzeros are read once for all of them.
  void (*run_conv_table)(const ConvTable& table, const ConvMemory& memory, const ConvTile* tiles, std::size_t count);

  /// Applies an activation that is not a clip to `count` values in place.
  void (*run_activation)(Epilogue epilogue, float first, float second, float* values, std::size_t count);

  /// Blocks [begin, end) of the table.
  void (*run_gather)(const GatherTable& table, const ConvMemory& memory, std::size_t begin, std::size_t end);

  /// Output planes [begin, end); all is given for plane 0. `source` is the first tap of the first pixel's window; a vector and a window beyond the last row may be read there.
  void (*run_depthwise)(const Depthwise& shape, const float* weights, const float* bias, const float* source, float* destination, std::size_t begin, std::size_t end);

  /// Of each row: even[k] = from[2 * k] and, unless `odd` is null, odd[k] = from[2 * k + 1] for k in [0, count). Needs: rows, count > 0.
  void (*part_rows)(const float* from, std::size_t from_pitch, std::size_t rows, std::size_t count, float* even, float* odd, std::size_t to_pitch);

  /// target[k] = the sum of factors[i] * lines[i][k] over i in [0, terms) for k in [0, count). Needs: 1 <= terms <= 5, count a multiple of 16.
  void (*combine_lines)(const float* const* lines, const float* factors, std::size_t terms, std::size_t count, float* target);

  /// target[k] of each row = what pooling the columns from first + k * stride on gives: down its lines, then along. `best` has two vectors and a window more than `width`; `source` may be
  /// read two vectors beyond the last window.
  void (*pool_lines)(const PoolLines& shape, const float* source, float* best, std::size_t first, float* target);
};

const Kernels& kernels_for(Isa isa);

}  // namespace lacuna::cpu
