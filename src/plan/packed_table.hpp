// A row group in the order the table kernel walks it. Where rows already stand in that order the network's own arrays (often a
// memory-mapped store) are used as they are; only groups whose rows differ in length are copied.
#pragma once

#include <vector>

#include "devices/cpu/kernels.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::plan {

class PackedTable {
 public:
  explicit PackedTable(const rows::RowGroup& group);

  /// Valid as long as this object is neither moved nor destroyed.
  cpu::Table view() const;
  bool is_reordered() const { return !order_.empty(); }
  unsigned source_bits() const { return wide_.empty() ? 16 : 32; }
  std::size_t classes() const { return classes_.size(); }
  std::uint64_t nnz() const { return nnz_; }

 private:
  void copy_in_order(const SparseMatrix& weights);

  std::vector<cpu::RowClass> classes_;
  std::vector<std::uint32_t> order_;
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

}  // namespace lacuna::plan
