// A sparse convolution that is ready to run on this CPU: rows lowered, cut up among threads, as a table or as machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "devices/cpu/isa.hpp"
#include "rows/planes.hpp"

namespace lacuna::plan {

enum class ConvKernelKind : std::uint8_t {
  table,      ///< one compiled kernel walks offsets and weights: any instruction set, any size
  steps,      ///< a table whose lanes read every second float, so that a stride of two needs no copy; a table like any other where that cannot be
  baked,      ///< machine code with the offsets in its instructions
  depthwise,  ///< every output plane reads one input plane, with 3x3 or 5x5 taps; a table where it does not
  line_pairs, ///< two lines at once by minimal filtering, in machine code, for nearly full weights; a table where it cannot be
  gather,     ///< lanes are output channels: a matrix-vector product, for outputs of a few pixels
};

struct ConvKernelChoice {
  ConvKernelKind kind = ConvKernelKind::table;
  unsigned vectors = 8;      ///< of pixels, of a tile
  unsigned rows = 64;        ///< of a block, or of each of those together; of a table: before the next range of channels
  unsigned chunk_tiles = 1;  ///< tiles that a block works off before the next block
  unsigned groups = 1;       ///< ranges of input channels that are summed up one after the other, so that sources and code stay in L1
  unsigned together = 1;     ///< blocks of code that follow each other on every tile: what one brings into L1 the others find there
  bool by_lines = false;     ///< sources come as whole lines of the cache and are joined in registers: for CPUs on which loads across lines are slow. AVX-512, one vector, tiles that begin alike in lines
  bool packs = false;        ///< code: what some lines of output read of the input is copied near each other first (rows::Strides::packed), where it can be
  bool spreads = false;      ///< a third of the weights come four at a time and are spread in registers: for CPUs whose shuffles do not compete with multiply-adds. AVX-512, one vector, one row less than registers allow

  bool operator==(const ConvKernelChoice&) const = default;
};

std::string to_string(const ConvKernelChoice& choice);

class SparseConv {
 public:
  /// Throws InputError where planes do not fit the convolution, Unsupported for more than two spatial axes, DeviceError if the system refuses
  /// memory for code. Needs: in, out and skip have lanes of the same kind.
  SparseConv(const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip, ConvKernelChoice choice, cpu::Isa isa, unsigned threads);
  ~SparseConv();
  SparseConv(SparseConv&&) noexcept;
  SparseConv& operator=(SparseConv&&) noexcept;

  /// Memory for a run, aligned to 64 bytes: what threads share, and what each has to itself; the same memory from layer to layer, so that it stays in the cache of the thread's core.
  struct Scratch {
    float* common;
    float* of_threads;
    std::size_t thread_pitch;  ///< floats, a multiple of 16
  };
  std::size_t common_floats() const;
  std::size_t thread_floats() const;

  /// Needs: the halo of `in` is zero; `out` overlaps neither `in` nor `skip`, unless it is `skip` and may_write_over_skip() says yes. Leaves `out` complete, its halo zero. The bits are the same for every choice (but gather, line pairs, and depthwise with a stride), tile and number of threads on one instruction set.
  void run(const float* in, const float* skip, float* out, const Scratch& scratch) const;
  /// The same with scratch_floats() for both kinds.
  void run(const float* in, const float* skip, float* out, float* scratch) const { run(in, skip, out, {scratch, scratch + common_floats(), thread_floats()}); }
  std::size_t scratch_floats() const { return common_floats() + threads() * thread_floats(); }

  /// Whether run_rows() can be had: one thread, one image, and tiles that end with the rows of pixels.
  bool has_rows() const;
  /// Rows [0, rows) of the output, as `in` and `out` would begin with them. Writes pixels and nothing else. Pairs of lines: `rows` is even.
  void run_rows(const float* in, float* out, std::uint32_t rows, float* scratch) const;

  /// Whether sums may be written where what was added to them stood: nothing is read twice then.
  bool may_write_over_skip() const;

  unsigned threads() const;
  const ConvKernelChoice& choice() const;
  std::size_t code_bytes() const;     ///< machine code, or the table
  std::uint64_t edges() const;        ///< multiply-adds for one run: nonzeros x pixels x batch
  std::string describe() const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// What is worth timing; the first needs no code. At most about ten.
std::vector<ConvKernelChoice> conv_candidates(const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip, cpu::Isa isa);

/// For a convolution that works on strips of rows, one after the other, while they are in L2, given what was chosen for whole planes and the bytes of its code. Tiles of one vector fill all rows,
/// pieces of code may be larger since sources are near, and nearly full weights take pairs of lines, if strips have pairs: nothing waits for memory there. `by_lines`: where they can.
ConvKernelChoice choice_for_strips(const Conv& conv, const rows::Planes& in, const rows::Planes& out, const ConvKernelChoice& tuned, std::size_t code_bytes, bool has_pairs, bool by_lines, cpu::Isa isa);

}  // namespace lacuna::plan
