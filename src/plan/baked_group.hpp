// A row group as machine code for one panel width: the positions of its weights are in the instructions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/executable_memory.hpp"
#include "devices/cpu/kernels.hpp"
#include "kernel/kernel.hpp"
#include "plan/tile_shape.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

class BakedGroup {
 public:
  /// Needs: shape is one of tile_shapes(isa), and lanes a multiple of its vectors. Throws DeviceError if the system refuses memory for code.
  BakedGroup(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape);

  void run(float* arena) const;

  unsigned lanes() const { return lanes_; }
  TileShape shape() const { return shape_; }
  std::size_t code_bytes() const { return code_.size(); }

 private:
  struct Bytes;
  BakedGroup(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape, Bytes code);
  void finish(float* arena) const;

  cpu::Isa isa_;
  unsigned lanes_;
  TileShape shape_;
  cpu::ExecutableMemory code_;
  base::AlignedFloats constants_;
  Activation activation_;
  rows::PlaneRange destination_;
};

/// The kernel of some rows of a group, on planes of `lanes` lanes.
kernel::Kernel row_block(const rows::RowGroup& group, std::span<const std::uint32_t> rows, unsigned lanes, std::string name);

/// The kernels of a group, block by block, on panels of `lanes` lanes: `--emit=kernel`.
std::vector<kernel::Kernel> row_blocks(const rows::RowGroup& group, unsigned lanes, unsigned rows_of_a_block);

/// The machine code of a group as text: `--emit=asm`.
std::string list_code(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape);

/// What the code of a group will take, before it is made; within about a fifth.
std::size_t estimate_code_bytes(const rows::RowGroup& group, TileShape shape);

}  // namespace lacuna::plan
