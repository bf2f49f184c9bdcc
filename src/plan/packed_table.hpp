// A row group in the order the table kernel walks it: sorted by length, one after the other or interleaved by fours. Where rows
// already stand in that order the network's own arrays (often a memory-mapped store) are used as they are; others are copied.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

enum class Layout : std::uint8_t { rows, fours };

/// Whether fours would differ from rows: a weight for each nonzero, and four rows at least.
bool can_be_in_fours(const rows::RowGroup& group, const rows::RowOrder& order);

class PackedTable {
 public:
  PackedTable(const rows::RowGroup& group, Layout layout);

  /// Valid as long as this object is neither moved nor destroyed.
  cpu::Table view() const;

  /// Part `part` of `parts` of what the kernel reads from beginning to end: weights and sources. Valid as long.
  std::array<std::span<const std::byte>, 2> stream(std::size_t part, std::size_t parts) const;
  /// The same from nonzero number `first` on.
  std::array<std::span<const std::byte>, 2> stream_beyond(std::size_t first) const;
  std::size_t stream_bytes() const;
  /// Bytes that the table has copied; those it borrows from the network are not counted.
  std::size_t own_bytes() const;
  /// Moves them to `memory`, which `owner` keeps alive; they take own_bytes().
  void move_to(std::byte* memory, const std::shared_ptr<const void>& owner);
  bool is_reordered() const { return !order_.empty(); }
  bool is_in_fours() const { return in_fours_; }
  unsigned source_bits() const { return wide_.empty() ? 16 : 32; }
  std::size_t lengths() const { return lengths_; }  ///< different ones
  std::uint64_t nnz() const { return nnz_; }

 private:
  template <typename RangeOf>
  std::array<std::span<const std::byte>, 2> streams(const RangeOf& range_of) const;
  void copy_streams(const SparseMatrix& weights, const rows::RowOrder& order);

  std::vector<cpu::RowClass> classes_;
  std::size_t lengths_ = 0;
  std::vector<std::uint32_t> order_;
  bool in_fours_ = false;
  Array<std::uint16_t> narrow_;
  Array<std::uint32_t> wide_;
  Array<float> values_;
  Array<float> bias_;
  Activation activation_;
  std::uint32_t source_plane_;
  std::uint32_t destination_plane_;
  std::vector<std::uint32_t> residual_planes_;
  std::uint64_t nnz_;
};

/// Puts what the tables have copied into one block, in the order it is read: on large pages, so that a pass over many tables is not a walk through page tables.
void put_together(std::span<PackedTable> tables);

}  // namespace lacuna::plan
