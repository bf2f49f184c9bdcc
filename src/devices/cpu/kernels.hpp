// The CPU's compiled kernels, one set for each instruction set (kernels.cpp). They work on a panel: an arena of planes, each
// `lanes` floats wide and 64-byte aligned; see rows/sparse_rows.hpp for the picture.
#pragma once

#include <cstdint>
#include <span>

#include "devices/cpu/isa.hpp"

namespace lacuna::cpu {

/// `rows` rows with `length` nonzeros each.
struct RowClass {
  std::uint32_t length;
  std::uint32_t rows;
};

enum class Epilogue : std::uint8_t { clip, leaky_relu, sigmoid, tanh };

/// Everything the table kernel needs for one group of rows: an index stream, its weights and the epilogue.
struct Table {
  std::span<const RowClass> classes;           ///< rows follow class by class
  bool in_fours = false;                       ///< the streams of every full four rows of a class are interleaved, nonzero by nonzero
  const std::uint32_t* rows = nullptr;         ///< destination of each; null: 0, 1, 2, ...
  const std::uint16_t* narrow_sources = nullptr;
  const std::uint32_t* wide_sources = nullptr; ///< used if narrow_sources is null
  const float* weights = nullptr;              ///< one for each nonzero, or a single one
  bool one_weight = false;
  const float* bias = nullptr;                 ///< one for each row by destination; null: one_bias for all
  float one_bias = 0;
  std::uint32_t source_plane = 0;
  std::uint32_t destination_plane = 0;
  std::span<const std::uint32_t> residual_planes;
  Epilogue epilogue = Epilogue::clip;
  float low = 0;   ///< clip: bounds (infinite: none); leaky_relu: slope in low
  float high = 0;
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

  /// Runs `rounds` rounds of independent multiply-adds in registers and returns how many single ones that were.
  std::uint64_t (*multiply_adds)(std::uint64_t rounds, float* sink);
};

const Kernels& kernels_for(Isa isa);

}  // namespace lacuna::cpu
