// Kernel IR -> x86-64 machine code. A lane is a SIMD lane: every sum becomes `vectors` registers side by side, and a kernel is swept over
// the lanes in tiles of that many vectors. The code knows no operating system beyond the System V calling convention, and no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"

namespace lacuna::emit::x86 {

enum class Target { avx2, avx512 };

/// Lanes of one vector register.
unsigned vector_lanes(Target target);

/// Vector registers of the target; a sum takes one for each vector of a tile.
unsigned vector_registers(Target target);

struct Tile {
  unsigned vectors = 1;  ///< vectors of one tile
  unsigned tiles = 1;    ///< tiles to sweep, side by side in memory
};

/// Position independent. Its signature is void(float* memory, const float* constants); `memory` and all offsets of the kernels are
/// aligned to 4 bytes at least.
struct Code {
  std::vector<std::uint8_t> bytes;
  std::vector<float> constants;  ///< of all kernels, one after the other
  std::string listing;           ///< empty unless asked for
};

/// One function that runs the kernels one after the other. Throws InternalError when a kernel has more sums than registers allow, or
/// places 2 GiB apart and more.
Code emit(std::span<const kernel::Kernel> kernels, Target target, Tile tile, bool with_listing = false);

/// From one tile to the next, in bytes.
struct TileStep {
  std::int64_t source;
  std::int64_t destination;
  std::int64_t skip;
  std::uint16_t wanted[4];  ///< lanes of this tile, one bit each, by vectors; for kernels that blank the others, which AVX-512 alone can
};

/// Kernels whose spaces are apart, each as a function of its own, all position independent.
/// `ahead` is memory that is brought into the cache meanwhile: the next kernel's.
using Sweep = void(const float* source, const float* constants, float* destination, const float* skip, const TileStep* steps, std::size_t tiles, float* partial, const std::byte* ahead);

struct Sweeps {
  std::vector<std::uint8_t> bytes;  ///< of each kernel its code, then its constants; both begin on multiples of 64
  struct Entry {
    std::size_t code = 0;           ///< byte in `bytes`
    std::size_t constants = 0;
  };
  std::vector<Entry> entries;       ///< of each kernel
  std::string listing;
};

struct SweepForm {
  unsigned vectors = 1;           ///< of a tile
  std::int64_t partial_step = 0;  ///< bytes from the partial sums of a tile to those of the next
  std::size_t tiles = 0;          ///< as many as any sweep will have: in them a kernel brings the next one into the cache; 0: it does not
  /// Sources come by whole lines of the cache, two of which are shifted together in registers: loads that lie across lines are dear on some CPUs. The number says how many bytes after
  /// the begin of a line every tile's `source` is. AVX-512 and one vector only.
  std::optional<std::uint32_t> into_line;
  bool spreads = false;  ///< four of twelve weights come by one load and are spread in registers, which takes one more: for CPUs whose shuffles do not compete with multiply-adds. AVX-512 and one vector only
};

/// Tile k + 1 begins steps[k] after tile k. Throws InternalError as emit().
Sweeps emit_sweeps(std::span<const kernel::Kernel> kernels, Target target, const SweepForm& form, bool with_listing = false);

}  // namespace lacuna::emit::x86
